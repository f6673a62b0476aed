//! The *machine* that a run was made on, as far as it says.

use std::fs;
use std::thread::available_parallelism;

/// The processor's name and number of cores.
pub fn processor() -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    let name = name().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{name}, {cores} {}", if cores == 1 { "core" } else { "cores" })
}

/// What Linux says; other systems are not asked.
fn name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}
