//! Figure 1: what the paper's caption says is to be seen.

use agglio_paper::figure::{Content, Figure};
use agglio_paper::figures::fig1;
use agglio_paper::request::Request;

pub fn quick() -> Figure {
    let interrupt = std::sync::Arc::default();
    let request = Request { quick: true, as_published: false, seeds: 2, seed: 0, threads: 1, interrupt };
    fig1::draw(&request, &|_| ()).unwrap()
}

#[test]
fn its_claims_hold() {
    let figure = quick();
    assert_eq!(figure.claims.len(), 6);
    for claim in &figure.claims {
        assert!(claim.held(), "{claim:?}");
    }
}

#[test]
fn curves_pass_the_origin_and_surfaces_are_lowest_at_the_truth() {
    let figure = quick();
    assert_eq!((figure.panels.len(), figure.columns), (12, 4));
    for panel in &figure.panels {
        match &panel.content {
            Content::Lines(lines) => {
                for line in lines {
                    let middle = line.x.len() / 2;
                    assert_eq!((line.x[middle], line.y[middle]), (0.0, 0.0), "{}", panel.title);
                }
            }
            Content::Surface(surface) => {
                let (middle, lowest) = (surface.x.len() / 2, surface.z.iter().flatten().copied().fold(1e9, f64::min));
                assert!(surface.z[middle][middle] == lowest && lowest < 1e-25, "{}: {lowest:e}", panel.title);
            }
        }
    }
}
