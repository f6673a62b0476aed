//! The *lines* of predictions on their way to their place.

use agglio::read::Verbatim;
use agglio::text::escape::visible;
use agglio::text::format;
use anyhow::{Result, bail};

use super::wanted::Wanted;
use crate::output::{self, Output, Writer};
use crate::{csv, interrupt, memory, threads};

/// Number of lines that are written between two checks for signals.
const LINES: usize = 1 << 10;

/// Lines of kept texts and of numbers. In a file they appear together at the end; elsewhere they are written at the end.
pub struct Lines<'a> {
    output: &'a Output,
    layout: Layout,
    place: Place,
    pub rows: usize,
    /// Rows whose first number is infinite or NaN.
    pub not_finite: usize,
    /// Text of some lines.
    text: String,
}

/// How a line is written.
struct Layout {
    header: String,
    /// Numbers in a line.
    numbers: usize,
    /// Whether NaN is an empty cell.
    has_gaps: bool,
}

/// The place of the lines until all are known.
enum Place {
    Draft(Writer),
    Memory { kept: Vec<Verbatim>, numbers: Vec<f64>, most: u64 },
}

impl<'a> Lines<'a> {
    /// No lines yet.
    ///
    /// # Errors
    /// If two columns would have the same name, or the file cannot be written.
    pub fn new(output: &'a Output, kept: &[String], wanted: &Wanted<'_>) -> Result<Lines<'a>> {
        let layout = Layout::new(kept, wanted)?;
        let place = match output {
            Output::File { .. } => {
                // a signal must not leave the draft behind
                interrupt::hold();
                let mut writer = output.open()?;
                writer.put(&layout.header)?;
                Place::Draft(writer)
            }
            Output::Stdout | Output::Special(_) => Place::Memory {
                kept: vec![Verbatim::default(); kept.len()],
                numbers: Vec::new(),
                // no bound where the system does not tell
                most: memory::available(threads::count(None)),
            },
        };
        Ok(Lines { output, layout, place, rows: 0, not_finite: 0, text: String::new() })
    }

    /// Takes the kept texts and the numbers of some rows.
    ///
    /// # Errors
    /// If there is no memory or no space for them.
    pub fn take(&mut self, kept: &[Verbatim], new: &[f64]) -> Result<()> {
        let before = self.rows;
        self.rows += new.len() / self.layout.numbers;
        self.not_finite += new.iter().step_by(self.layout.numbers).filter(|number| !number.is_finite()).count();
        match &mut self.place {
            Place::Draft(writer) => self.layout.write(writer, kept, new, &mut self.text),
            Place::Memory { kept: all, numbers, most } => {
                all.iter_mut().zip(kept).for_each(|(all, new)| all.append(new));
                let bytes = 8 * (numbers.len() + new.len()) as u64 + all.iter().map(Verbatim::bytes).sum::<u64>();
                if bytes > *most || numbers.try_reserve(new.len()).is_err() {
                    bail!("the free memory holds only {before} predictions; write them to a file with -o");
                }
                numbers.extend_from_slice(new);
                Ok(())
            }
        }
    }

    /// Prints the lines, or lets the file appear.
    ///
    /// # Errors
    /// If the system says no, or a signal has come.
    pub fn publish(mut self) -> Result<()> {
        let writer = match self.place {
            Place::Draft(writer) => writer,
            Place::Memory { kept, numbers, .. } => {
                interrupt::hold();
                let mut writer = self.output.open()?;
                writer.put(&self.layout.header)?;
                self.layout.write(&mut writer, &kept, &numbers, &mut self.text)?;
                writer
            }
        };
        interrupt::check()?;
        output::publish([writer])
    }
}

impl Layout {
    fn new(kept: &[String], wanted: &Wanted<'_>) -> Result<Layout> {
        let own = wanted.names();
        let names: Vec<&str> = kept.iter().map(String::as_str).chain(own.iter().copied()).collect();
        if let Some(twice) = names.iter().enumerate().find_map(|(k, name)| names[..k].contains(name).then_some(name)) {
            let twice = visible(twice);
            bail!("two columns of the result would be called `{twice}`: rename the one in the data, or do not keep it");
        }
        Ok(Layout { header: csv::header(names), numbers: own.len(), has_gaps: wanted.has_gaps() })
    }

    fn write(&self, writer: &mut Writer, kept: &[Verbatim], numbers: &[f64], text: &mut String) -> Result<()> {
        for (k, some) in numbers.chunks(LINES * self.numbers).enumerate() {
            interrupt::check()?;
            text.clear();
            for (i, numbers) in some.chunks(self.numbers).enumerate() {
                self.push(kept, k * LINES + i, numbers, text);
            }
            writer.put(text)?;
        }
        Ok(())
    }

    /// One line.
    fn push(&self, kept: &[Verbatim], row: usize, numbers: &[f64], text: &mut String) {
        for column in kept {
            text.push_str(&csv::quoted(column.get(row)));
            text.push(',');
        }
        for (j, &number) in numbers.iter().enumerate() {
            if j > 0 {
                text.push(',');
            }
            if !(self.has_gaps && number.is_nan()) {
                format::push_exact(text, number);
            }
        }
        text.push('\n');
    }
}
