//! Figure 1: what the paper's caption says is to be seen.

use agglio_paper::claim::Verdict;
use agglio_paper::figure::{Cell, Content, Figure};
use agglio_paper::figures::fig1;
use agglio_paper::request::Request;

pub fn quick() -> Figure {
    let interrupt = std::sync::Arc::default();
    let request = Request { quick: true, as_published: false, seeds: 2, seed: 0, threads: 1, interrupt };
    fig1::draw(&request, &|_| ()).unwrap()
}

#[test]
fn both_softplus_are_convex_wherever_they_were_looked_at_and_all_else_holds() {
    let figure = quick();
    assert_eq!(figure.claims.len(), 10);
    for claim in &figure.claims {
        let expected = match claim.statement.as_str() {
            "the loss of softplus is non-convex at τ = 1" | "the loss of leaky softplus is non-convex at τ = 1" => {
                Verdict::Failed
            }
            // a fixed step on a loss that is τ² times as low
            "excessive graduation slows descent down" => Verdict::Given,
            _ => Verdict::Held,
        };
        assert_eq!(claim.verdict(), expected, "{claim:?}");
    }
}

/// Between w* and the origin, and beyond it, SiLU is curved downwards: points drawn around w* do not show it.
#[test]
fn silu_is_not_convex_on_the_way_to_the_origin() {
    let figure = quick();
    let dents = figure.tables.iter().find(|table| table.title.starts_with("Where the loss")).unwrap();
    let silu = dents.rows.iter().find(|row| row[0] == Cell::Text("SiLU".into())).unwrap();
    let [Cell::Range { high: ratio, .. }, Cell::Range { low, high, .. }] = silu[1..] else { panic!("{silu:?}") };
    assert!(ratio < -0.01 && low > 0.5 && high < 2.0, "{silu:?}");
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
