//! *Records* are the lines of a CSV file, split into fields. They are read one at a time, with bounded memory.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr3, memrchr};

/// Bytes that are read from the source at a time.
const CHUNK: usize = 1 << 16;
/// Maximum length of a record in bytes.
pub const LONGEST: usize = 16 << 20;
/// Maximum number of fields of a record.
pub const MOST_FIELDS: usize = 1 << 20;

/// The position at which a record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u64,
    /// Byte, from 0.
    pub byte: u64,
}

/// Why the next record cannot be read.
#[derive(Debug)]
pub enum Broken {
    /// The system could not read the source.
    Read(io::Error),
    /// The record has more bytes than [`LONGEST`].
    Long,
    /// More than [`LONGEST`] blank lines come before it.
    Blank,
    /// The record has more fields than [`MOST_FIELDS`].
    Wide,
    /// A quote that is never closed, with the line in which it is opened.
    Unclosed(u64),
    /// Text other than a delimiter after a closing quote.
    AfterQuote,
}

/// A reader of records. Lines end in LF, CRLF or CR; blank lines are skipped. A quoted field may contain delimiters and
/// line ends, and `""` for a quote. White space before an opening quote and after a closing quote is ignored.
#[derive(Debug)]
pub struct Records<R> {
    source: R,
    delimiter: u8,
    chunk: Vec<u8>,
    /// The part of the chunk that has not been parsed.
    unread: Range<usize>,
    /// The read error of the source. It is reported after everything before it has been parsed.
    failure: Option<io::Error>,
    /// Whether the source has ended.
    exhausted: bool,
    /// The fields of the record, one after the other.
    text: Vec<u8>,
    /// The end of each field in `text`.
    ends: Vec<usize>,
    start: Position,
    here: Position,
    /// Number of blank lines since the previous record.
    blanks: usize,
    /// Whether the last byte was CR, so that a following LF belongs to the same line end.
    after_cr: bool,
}

/// The state of the parser inside a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Only white space so far.
    Start,
    Plain,
    /// In quotes that were opened in this line.
    Quoted(u64),
    /// After a quote in a quoted field: the end of the field, or the first half of a doubled quote.
    Closed(u64),
}

impl<R: Read> Records<R> {
    /// Reads the start of the source, which shows the kind of file.
    ///
    /// # Errors
    /// If the system cannot read the source.
    pub fn new(source: R) -> io::Result<Records<R>> {
        let here = Position { line: 1, byte: 0 };
        let mut records = Records {
            source,
            delimiter: b',',
            chunk: vec![0; CHUNK],
            unread: 0..0,
            failure: None,
            exhausted: false,
            text: Vec::new(),
            ends: Vec::new(),
            start: here,
            here,
            blanks: 0,
            after_cr: false,
        };
        while records.unread.end < CHUNK && records.read_more()? > 0 {}
        Ok(records)
    }

    /// The text that has been read but not parsed.
    pub fn ahead(&self) -> &[u8] {
        &self.chunk[self.unread.clone()]
    }

    /// Skips bytes that are not part of the text, such as a byte-order mark.
    pub fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.unread.len());
        self.unread.start += bytes;
        self.here.byte += bytes as u64;
    }

    /// The delimiter of fields.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Sets the delimiter of fields. Default: a comma.
    pub fn delimit(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    /// Number of fields of the record.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Field `j` of the record without surrounding white space; empty if there is no such field.
    pub fn get(&self, j: usize) -> &[u8] {
        let end = self.ends.get(j).copied().unwrap_or(0);
        let start = j.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end).unwrap_or_default().trim_ascii()
    }

    /// The position at which the record begins.
    pub fn start(&self) -> Position {
        self.start
    }

    /// Number of bytes parsed so far.
    pub fn bytes(&self) -> u64 {
        self.here.byte
    }

    /// Takes about `size` bytes of whole lines out of the text, or none if no line ends within them. They count as
    /// parsed only after [`Records::pass`].
    pub fn take_lines(&mut self, size: usize, lines: &mut Vec<u8>) {
        lines.clear();
        lines.extend_from_slice(&self.ahead()[..size.min(self.unread.len())]);
        self.unread.start += lines.len();
        if self.unread.is_empty() {
            self.read_into(size, lines);
        }
        let after_cr = self.after_cr;
        self.after_cr &= lines.is_empty();
        if after_cr && lines.first() == Some(&b'\n') {
            // the second half of a CRLF
            lines.remove(0);
            self.here.byte += 1;
        }
        let end = memrchr(b'\n', lines).map_or(0, |end| end + 1);
        self.put_back(&lines[end..]);
        lines.truncate(end);
    }

    /// Puts text back that was taken out and not passed.
    pub fn put_back(&mut self, text: &[u8]) {
        if self.unread.is_empty() {
            self.unread = self.chunk.len()..self.chunk.len();
        }
        if text.len() > self.unread.start {
            // make space in front of the unread text
            let missing = text.len() - self.unread.start;
            self.chunk.splice(0..0, std::iter::repeat_n(0, missing));
            self.unread = self.unread.start + missing..self.unread.end + missing;
        }
        let start = self.unread.start - text.len();
        self.chunk[start..self.unread.start].copy_from_slice(text);
        self.unread.start = start;
    }

    /// Marks lines that were taken out as parsed.
    pub fn pass(&mut self, bytes: usize, lines: usize) {
        self.here.byte += bytes as u64;
        self.here.line += lines as u64;
        self.blanks = 0;
    }

    /// Reads from the source until `lines` has `size` bytes or the source ends.
    fn read_into(&mut self, size: usize, lines: &mut Vec<u8>) {
        let missing = size.saturating_sub(lines.len());
        if self.exhausted || self.failure.is_some() {
            return;
        }
        lines.reserve_exact(missing);
        match self.source.by_ref().take(missing as u64).read_to_end(lines) {
            Ok(bytes) => self.exhausted = bytes < missing,
            Err(why) => self.failure = Some(why),
        }
    }

    /// Advances to the next record; false at the end of the source.
    ///
    /// # Errors
    /// If the text cannot be read, or is not CSV.
    pub fn advance(&mut self) -> Result<bool, Broken> {
        self.text.clear();
        self.ends.clear();
        self.start = self.here;
        let mut state = State::Start;
        loop {
            let Some(&byte) = self.ahead().first() else {
                if self.refill()? {
                    continue;
                }
                return self.end_of_source(state);
            };
            let quoted = matches!(state, State::Quoted(_));
            if !quoted && (byte == b'\n' || byte == b'\r') {
                if self.end_line(byte, state)? {
                    return Ok(true);
                }
            } else {
                state = self.within_line(byte, state)?;
                self.after_cr = false;
            }
        }
    }

    /// Parses text that begins with `byte` and does not end the line.
    fn within_line(&mut self, byte: u8, state: State) -> Result<State, Broken> {
        let is_blank = byte == b' ' || byte == b'\t';
        match state {
            State::Quoted(since) => self.quoted(since),
            State::Closed(since) if byte == b'"' => self.keep(1).map(|()| State::Quoted(since)),
            _ if byte == self.delimiter => {
                self.skip(1);
                self.end_field().map(|()| State::Start)
            }
            State::Start if byte == b'"' => {
                // remove the white space before the quote
                self.text.truncate(self.ends.last().copied().unwrap_or(0));
                self.skip(1);
                Ok(State::Quoted(self.here.line))
            }
            State::Start | State::Closed(_) if is_blank => self.keep(1).map(|()| state),
            State::Closed(_) => Err(Broken::AfterQuote),
            State::Start | State::Plain => self.plain(),
        }
    }

    /// Parses unquoted text up to a delimiter or a line end.
    fn plain(&mut self) -> Result<State, Broken> {
        let ahead = self.ahead();
        let end = memchr3(self.delimiter, b'\n', b'\r', ahead).unwrap_or(ahead.len());
        self.keep(end)?;
        Ok(State::Plain)
    }

    /// Parses quoted text up to a quote.
    fn quoted(&mut self, since: u64) -> Result<State, Broken> {
        let ahead = self.ahead();
        let quote = memchr(b'"', ahead);
        let end = quote.unwrap_or(ahead.len());
        let lines = ahead[..end].iter().filter(|&&byte| byte == b'\n').count();
        self.keep(end).map_err(|why| if matches!(why, Broken::Long) { Broken::Unclosed(since) } else { why })?;
        self.here.line += lines as u64;
        self.skip(usize::from(quote.is_some()));
        Ok(if quote.is_some() { State::Closed(since) } else { State::Quoted(since) })
    }

    fn keep(&mut self, bytes: usize) -> Result<(), Broken> {
        if self.text.len() + bytes > LONGEST {
            return Err(Broken::Long);
        }
        let start = self.unread.start;
        self.text.extend_from_slice(&self.chunk[start..start + bytes]);
        self.skip(bytes);
        Ok(())
    }

    fn end_field(&mut self) -> Result<(), Broken> {
        if self.ends.len() == MOST_FIELDS {
            return Err(Broken::Wide);
        }
        self.ends.push(self.text.len());
        Ok(())
    }

    /// Ends a line; true if it was a record, false if it was blank.
    fn end_line(&mut self, byte: u8, state: State) -> Result<bool, Broken> {
        self.skip(1);
        let second_half = byte == b'\n' && self.after_cr;
        self.here.line += u64::from(!second_half);
        self.after_cr = byte == b'\r';
        if state == State::Start && self.ends.is_empty() {
            self.text.clear();
            self.start = self.here;
            self.blanks += 1;
            return if self.blanks > LONGEST { Err(Broken::Blank) } else { Ok(false) };
        }
        self.blanks = 0;
        self.end_field()?;
        Ok(true)
    }

    fn end_of_source(&mut self, state: State) -> Result<bool, Broken> {
        match state {
            State::Quoted(since) => Err(Broken::Unclosed(since)),
            State::Start if self.ends.is_empty() => Ok(false),
            _ => self.end_field().map(|()| true),
        }
    }

    /// Reads the next chunk of the source; false at its end.
    fn refill(&mut self) -> Result<bool, Broken> {
        self.unread = 0..0;
        self.read_more().map(|bytes| bytes > 0).map_err(Broken::Read)
    }

    fn read_more(&mut self) -> io::Result<usize> {
        if let Some(why) = self.failure.take() {
            return Err(why);
        }
        if self.exhausted {
            return Ok(0);
        }
        loop {
            match self.source.read(&mut self.chunk[self.unread.end..]) {
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
                Ok(bytes) => {
                    self.unread.end += bytes;
                    self.exhausted = bytes == 0;
                    return Ok(bytes);
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should not")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut records = Records::new(text).unwrap();
        let mut all = Vec::new();
        while records.advance().unwrap() {
            all.push((0..records.len()).map(|j| records.get(j).to_vec()).collect());
        }
        all
    }

    proptest! {
        /// On text that is well formed, an independent reader finds the same fields.
        #[test]
        fn fields_are_those_of_another_reader(
            cells in prop::collection::vec(prop::collection::vec("[ \"\n\r,;a-c0-9.]{0,6}", 3), 1..6),
            quoted in prop::collection::vec(any::<bool>(), 18),
            newline in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let needs_quotes = |cell: &str| cell.contains(['"', '\n', '\r', ',']);
            let mut quoted = quoted.into_iter().cycle();
            let mut written = |cell: &String| match needs_quotes(cell) || quoted.next() == Some(true) {
                true => format!("\"{}\"", cell.replace('"', "\"\"")),
                false => cell.clone(),
            };
            let mut line = |row: &Vec<String>| row.iter().map(&mut written).collect::<Vec<_>>().join(",") + newline;
            let text: String = cells.iter().map(&mut line).collect();
            let mut other = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
            let theirs: Vec<Vec<Vec<u8>>> =
                other.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect();
            prop_assert_eq!(fields(text.as_bytes()), theirs);
        }
    }
}
