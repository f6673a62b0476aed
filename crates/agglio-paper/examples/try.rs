//! scratch
use agglio_paper::figure::Cell;
use agglio_paper::figures::*;
use agglio_paper::settings::Settings;
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let quick = std::env::args().nth(2).is_some();
    let s = Settings::new(quick);
    let hear = |w: &str| eprintln!("{w}");
    let begun = std::time::Instant::now();
    let table: &[(&str, fn(&Settings, &dyn Fn(&str)) -> agglio_paper::Result<agglio_paper::figure::Figure>)] = &[
        ("fig2a", fig2::a),
        ("fig2b", fig2::b),
        ("fig2c", fig2::c),
        ("fig3a", fig3::a),
        ("fig3b", fig3::b),
        ("fig3c", fig3::c),
        ("fig4a", fig4::a),
        ("fig4b", fig4::b),
        ("fig4c", fig4::c),
        ("fig6a", fig6::a),
        ("fig6b", fig6::b),
        ("fig6c", fig6c::c),
        ("fig7a", fig7::a),
        ("fig7b", fig7::b),
        ("table1", table1::draw),
        ("fig5a", fig5::a),
        ("fig5b", fig5::b),
        ("fig5c", fig5::c),
    ];
    let f = table.iter().find(|(n, _)| *n == name).unwrap().1(&s, &hear).unwrap();
    println!("{:.1} s", begun.elapsed().as_secs_f64());
    for t in &f.tables {
        println!("{:?}", t.columns);
        for r in &t.rows {
            println!(
                "{}",
                r.iter()
                    .map(|c| match c {
                        Cell::Text(t) => t.clone(),
                        Cell::Number(x) => format!("{x:.3e}"),
                        Cell::Range { median, low, high } => format!("{median:.1e} [{low:.0e} {high:.0e}]"),
                    })
                    .collect::<Vec<_>>()
                    .join(" | ")
            );
        }
    }
    for c in &f.claims {
        println!(
            "{} {:.3} {} | {} ({:?})",
            if c.held() { "held" } else { "NOT " },
            c.margin(),
            c.statement,
            c.measured,
            c.bound
        );
    }
}
