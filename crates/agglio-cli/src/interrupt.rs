//! *Interrupts* are the signals of Ctrl-C and SIGTERM.
//!
//! They end the program at once if nothing would be lost. During a fit, the first signal asks the fit to finish early, and the
//! second ends the program at once.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// By convention a program that a signal ended exits with this and the signal's number.
const SIGNALLED: i32 = 128;

/// Whether the next signal ends the program at once.
static AT_ONCE: AtomicBool = AtomicBool::new(true);
/// The signal that came while work was going on.
static SIGNAL: AtomicUsize = AtomicUsize::new(0);
/// Whether one came.
static CAUGHT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Begins to listen.
///
/// # Errors
/// If the system does not allow it.
pub fn listen() -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // in this order: the signal that is caught must not be the one that ends the program
        flag::register_conditional_shutdown(signal, SIGNALLED + signal, &AT_ONCE)?;
        flag::register_usize(signal, &SIGNAL, signal as usize)?;
        flag::register(signal, flag())?;
        flag::register(signal, &AT_ONCE)?;
    }
    // a file that may not grow is an error of writing, and not the end
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// From here on a signal does not end the program at once. Work that watches [`is_caught`] must finish early, and determines
/// the exit code.
pub fn hold() {
    AT_ONCE.store(false, Ordering::SeqCst);
}

/// Does something short that must not be left half done, and lets a signal that came meanwhile end the program then.
///
/// # Errors
/// [`Interrupted`].
pub fn shield<T>(work: impl FnOnce() -> T) -> Result<T, Interrupted> {
    hold();
    let done = work();
    AT_ONCE.store(true, Ordering::SeqCst);
    check().map(|()| done)
}

/// The flag that a signal raises, for work that is done elsewhere.
pub fn flag() -> Arc<AtomicBool> {
    CAUGHT.clone()
}

/// Whether a signal has come.
pub fn is_caught() -> bool {
    CAUGHT.load(Ordering::SeqCst)
}

/// Whether a signal has come that is not yet taken. It ends one part of the work, and the rest goes on.
pub fn take() -> bool {
    CAUGHT.swap(false, Ordering::SeqCst)
}

/// How the program exits when a signal has ended its work.
pub fn exit_code() -> ExitCode {
    let signal = SIGNAL.load(Ordering::SeqCst) as u8;
    ExitCode::from(SIGNALLED as u8 + signal)
}

/// Fails once a signal has come, for work that has no result before its end.
///
/// # Errors
/// [`Interrupted`].
pub fn check() -> Result<(), Interrupted> {
    if is_caught() { Err(Interrupted) } else { Ok(()) }
}

/// A signal has ended the work.
#[derive(Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted; no file was written")
    }
}

impl std::error::Error for Interrupted {}
