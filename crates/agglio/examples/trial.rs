use agglio::{Options, activation::named, rows::Dense};
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1])?;
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let d = rows[0].len() - 1;
    let x: Vec<f64> = rows.iter().flat_map(|r| r[..d].to_vec()).collect();
    let y: Vec<f64> = rows.iter().map(|r| r[d]).collect();
    let phi = named(&a[2])?;
    let table = Dense::new(x, d, y)?;
    let icpt = a[3] == "1";
    let mut o = Options::new(phi.clone()).intercept(icpt).threads(1);
    if let Some(r) = a.get(5) { o = o.set("range", r)?; }
    let plan = o.build()?;
    let fitted = plan.fit(&table)?;
    let s = agglio::prove::trial(&fitted, &phi, 1e-6, a[4].parse()?)?;
    println!("{} {:?} loss {} {s}", a[1], fitted.status(), fitted.report().loss);
    Ok(())
}
