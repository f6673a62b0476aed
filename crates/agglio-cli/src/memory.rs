//! *Memory* that is free for data. A table that does not fit is refused, before the system ends the process.

use std::fs::read_to_string;
use std::sync::LazyLock;

/// Share of the free memory that data may take; the rest is for the fit.
const SHARE: f64 = 0.8;

/// Bytes that the program itself may ask for later, the working memory of threads among them.
const RESERVE: u64 = 16 << 20;

/// Bytes of addresses that a thread's own heap keeps, used or not.
const HEAP: u64 = 64 << 20;

/// Number of bytes that data may take if this number of threads work; no bound if the system does not report its memory.
pub fn available(threads: usize) -> u64 {
    // one thread needs no heap beside that of the program; to make one takes twice its addresses
    let heaps = if threads > 1 { HEAP.saturating_mul(threads as u64 + 1) } else { 0 };
    let addresses = addresses().map(|free| free.saturating_sub(heaps));
    let free = [system(), group(), addresses].into_iter().flatten().min();
    free.map_or(u64::MAX, |free| (free.saturating_sub(RESERVE) as f64 * SHARE) as u64)
}

/// Threads whose heaps leave half of the addresses free, one at least; none where addresses are not limited.
pub fn most_threads() -> Option<usize> {
    addresses().map(|free| (free / 2 / HEAP).saturating_sub(1).max(1) as usize)
}

/// Free memory of the machine, as Linux reports it.
fn system() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Free memory of the control group of the process, as in a container.
fn group() -> Option<u64> {
    let number = |name: &str| read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok();
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

/// The addresses that the process may have; read once, since a search asks for each of its settings.
static LIMIT: LazyLock<Option<u64>> = LazyLock::new(|| {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
});

/// Address space that the process may still reserve under `ulimit -v`.
fn addresses() -> Option<u64> {
    let most = (*LIMIT)?;
    let status = read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: u64 = used.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(most.saturating_sub(used * 1024))
}
