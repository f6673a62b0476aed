//! Tests of everything from a figure's values to what people see.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod samples;

#[test]
fn look() {
    let folder = std::path::PathBuf::from(std::env::var("LOOK").unwrap());
    for figure in samples::all() {
        std::fs::write(folder.join(format!("{}.svg", figure.name)), agglio_paper::plot::svg(&figure)).unwrap();
        std::fs::write(folder.join(format!("{}.png", figure.name)), agglio_paper::plot::png(&figure).unwrap()).unwrap();
    }
}

#[test]
fn look_fig1() {
    use agglio_paper::catalogue::*;
    let folder = std::path::PathBuf::from(std::env::var("LOOK").unwrap());
    let settings =
        Settings { quick: false, as_published: false, seeds: 5, seed: 0, threads: 2, interrupt: Default::default() };
    let begun = std::time::Instant::now();
    let figure = (CATALOGUE[0].draw)(&settings, &|_| ()).unwrap();
    println!("{:?}\n{:#?} {:#?}", begun.elapsed(), figure.claims, figure.tables);
    std::fs::write(folder.join("fig1.svg"), agglio_paper::plot::svg(&figure)).unwrap();
    std::fs::write(folder.join("fig1.png"), agglio_paper::plot::png(&figure).unwrap()).unwrap();
}
