//! scratch
use agglio_paper::contestant::*;
use agglio_paper::settings::*;
use agglio_paper::task::*;
fn main() {
    let s = Settings::new(true);
    let task = Task::usual("sigmoid");
    let d = task.draw(0).unwrap();
    let mut t = 0.0;
    for _ in 0..3000 {
        let b = std::time::Instant::now();
        let r = Contestant::AUTO.run(&task, &d, &vec![], 0, &s).unwrap();
        let _ = b;
        t += r.error.seconds[0];
    }
    println!("{:.3e}", t / 3000.0);
}
