//! *Progress* is the bar that is shown while a fit runs, and the trace that is written.

use std::io::{IsTerminal, stderr};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use agglio::fit::{Observer, Step};
use agglio::prove::Progress;
use anyhow::{Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt;
use crate::output::Writer;
use crate::truth::distance;
use agglio::text::format;

/// Time between two updates of a bar. The first one comes after this time, so a quick fit shows no bar.
const PAUSE: Duration = Duration::from_millis(100);
/// Length of the temperature's bar.
const PARTS: u64 = 1000;

/// A bar over the bytes of a file; hidden unless there is a terminal to see it on.
pub fn reading(name: &Path, length: Option<u64>, quiet: bool) -> ProgressBar {
    let known = "reading {msg} [{bar:24}] {percent}% {bytes}";
    let unknown = "reading {msg} {spinner} {bytes}";
    let bar = bar(if length.is_some() { known } else { unknown }, length, quiet);
    bar.with_message(name.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

fn bar(template: &str, length: Option<u64>, quiet: bool) -> ProgressBar {
    let seen = !quiet && stderr().is_terminal();
    let target = if seen { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(length, target).with_style(style.progress_chars("=> "))
}

/// A bar over the fits of a search, with the time that it will still take.
pub fn searching(fits: usize, quiet: bool) -> ProgressBar {
    let bar = bar("{spinner} [{bar:24}] {pos} of {len} fits, {eta} left", Some(fits as u64), quiet);
    if !bar.is_hidden() {
        bar.enable_steady_tick(PAUSE);
    }
    bar
}

/// A bar over the figures of the paper, with the current task and its time.
pub fn drawing(figures: usize, quiet: bool) -> ProgressBar {
    let bar = bar("{spinner} [{bar:16}] {pos} of {len}  {elapsed}  {prefix} {msg}", Some(figures as u64), quiet);
    if !bar.is_hidden() {
        bar.enable_steady_tick(PAUSE);
    }
    bar
}

/// Watches a fit: draws its bar and writes its trace.
pub struct Watch {
    bar: Bar,
    trace: Option<Trace>,
}

impl Watch {
    /// A watch over a fit that ends at the temperature `cap`. If the true coefficients are known, the trace has the distance to
    /// them.
    ///
    /// # Errors
    /// If the trace cannot be written.
    pub fn new(cap: f64, quiet: bool, trace: Option<Writer>, truth: Option<&[f64]>) -> Result<Watch> {
        let trace = trace.map(|writer| Trace::new(writer, truth.map(ToOwned::to_owned))).transpose()?;
        Ok(Watch { bar: Bar::new(cap, quiet), trace })
    }

    /// Takes the bar away and gives back the trace, to be published.
    ///
    /// # Errors
    /// If the trace could not be written.
    pub fn finish(self) -> Result<Option<Writer>> {
        self.bar.shown.finish_and_clear();
        self.trace.map(|trace| trace.failure.map_or(Ok(trace.writer), Err)).transpose()
    }
}

impl Observer for Watch {
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        self.bar.step(step);
        self.trace.as_mut().map_or(ControlFlow::Continue(()), |trace| trace.step(step))
    }

    fn proof(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.bar.proof(progress);
        // the fit has ended before, and stands
        if interrupt::take() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The progress of the temperature towards its last value: the only part of a fit whose length is known.
struct Bar {
    shown: ProgressBar,
    seen: bool,
    cap: f64,
    first: Option<f64>,
    drawn: Instant,
}

impl Bar {
    fn new(cap: f64, quiet: bool) -> Bar {
        let shown = bar("{spinner} [{bar:16}] {msg}  {elapsed}", Some(PARTS), quiet);
        Bar { seen: !shown.is_hidden(), shown, cap, first: None, drawn: Instant::now() }
    }

    fn step(&mut self, step: &Step<'_>) {
        let first = *self.first.get_or_insert(step.tau);
        // asking for the time is cheap, drawing is not
        if !self.seen || self.drawn.elapsed() < PAUSE {
            return;
        }
        self.drawn = Instant::now();
        let risen = (step.tau / first).ln() / (self.cap / first).ln();
        self.shown.set_position(if risen.is_finite() { (risen * PARTS as f64) as u64 } else { PARTS });
        let (tau, loss) = (format::brief(step.tau), format::short(step.loss));
        self.shown
            .set_message(format!("τ {tau}  loss {loss}  gradient {:.0e}  pass {:.0}", step.gradient, step.passes));
        self.shown.tick();
    }

    fn proof(&mut self, progress: &Progress<'_>) {
        if !self.seen || self.drawn.elapsed() < PAUSE {
            return;
        }
        self.drawn = Instant::now();
        let Progress { lower_bound, upper_bound, open, .. } = *progress;
        let closed = lower_bound / upper_bound;
        self.shown.set_position(if closed.is_finite() { (closed * PARTS as f64) as u64 } else { PARTS });
        let [lower, upper] = [lower_bound, upper_bound].map(|bound| format::digits(bound, 4));
        self.shown.set_message(format!("{lower} ≤ loss ≤ {upper}, {open} regions open"));
        self.shown.tick();
    }
}

/// A CSV file with a line for every step.
struct Trace {
    writer: Writer,
    /// The true coefficients, if they are known.
    truth: Option<Vec<f64>>,
    started: Instant,
    failure: Option<Error>,
}

impl Trace {
    fn new(mut writer: Writer, truth: Option<Vec<f64>>) -> Result<Trace> {
        let distance = if truth.is_some() { ",distance" } else { "" };
        writer.put(&format!("step,stage,passes,seconds,tau,rows,loss,gradient,accepted{distance}\n"))?;
        Ok(Trace { writer, truth, started: Instant::now(), failure: None })
    }

    /// A trace that cannot be written ends the fit: its result would be refused anyway.
    fn step(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let seconds = self.started.elapsed().as_secs_f64();
        let Step { step: count, stage, rows, accepted, .. } = *step;
        let [passes, seconds, tau, loss, gradient] =
            [step.passes, seconds, step.tau, step.loss, step.gradient].map(format::exact);
        let line = format!("{count},{stage},{passes},{seconds},{tau},{rows},{loss},{gradient},{accepted}");
        let own = |truth: &Vec<f64>| format!(",{}", format::exact(distance(&step.coefficients(), truth)));
        let line = line + &self.truth.as_ref().map(own).unwrap_or_default() + "\n";
        match self.writer.put(&line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(why) => {
                self.failure = Some(why);
                ControlFlow::Break(())
            }
        }
    }
}
