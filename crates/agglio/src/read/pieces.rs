//! *Pieces* are the parts of a table that are read from a file one after the other, so that a table may be larger than
//! memory.
//!
//! The source is split into blocks of lines. Threads convert blocks to numbers while the next blocks are read. A block
//! that is not plain is put back and read record by record, so that only one module handles the special cases of CSV
//! and their messages. Blocks are appended in order, so the table does not depend on the number of threads.

use std::io::Read;
use std::mem::swap;
use std::ops::Range;
use std::thread::available_parallelism;

use memchr::memchr;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Result;
use crate::read::block::{Block, Layout};
use crate::read::csv::{Missing, broken};
use crate::read::records::Records;
use crate::read::rows::Rows;
use crate::read::{Category, Table};

/// Bytes of a block: about a millisecond of work, and small enough for the cache of a processor.
const BLOCK_BYTES: usize = 1 << 18;
/// Number of blocks that are read at a time for each thread.
const BLOCKS_PER_THREAD: usize = 4;
/// More threads would wait for the thread that reads.
const MOST_THREADS: usize = 8;

/// A table that is read in pieces; see [`Csv::open`](crate::read::Csv::open).
#[derive(Debug)]
pub struct Pieces<'a, R> {
    records: Records<R>,
    rows: Rows<'a>,
    /// None if the file must be read record by record.
    layout: Option<Layout>,
    /// Whether the current record has not been converted yet.
    pending: bool,
    ended: bool,
    /// The lines that are parsed next, and the lines after them.
    lines: Vec<u8>,
    next_lines: Vec<u8>,
    blocks: Vec<Block>,
    /// The end of each block in `lines`.
    ends: Vec<usize>,
    /// Bytes of a block.
    size: usize,
    /// Number of blocks that are read at a time. It grows while the blocks are plain.
    count: usize,
    threads: usize,
    /// Started when there is work for it.
    pool: Option<ThreadPool>,
}

impl<'a, R: Read> Pieces<'a, R> {
    /// Continues after the header, or with the first record if there is no header.
    pub(super) fn new(records: Records<R>, rows: Rows<'a>, threads: Option<usize>) -> Pieces<'a, R> {
        let cores = || available_parallelism().map_or(1, usize::from);
        let drop = rows.missing == Missing::Drop;
        Pieces {
            layout: Layout::new(&rows.columns, rows.width(), records.delimiter(), drop),
            pending: !rows.has_header,
            ended: false,
            lines: Vec::new(),
            next_lines: Vec::new(),
            blocks: Vec::new(),
            ends: Vec::new(),
            size: BLOCK_BYTES,
            count: 1,
            threads: threads.unwrap_or_else(cores).clamp(1, MOST_THREADS),
            pool: None,
            records,
            rows,
        }
    }

    /// An empty table for [`Pieces::append_to`].
    pub fn table(&self) -> Table {
        self.rows.empty_table()
    }

    /// Appends the next rows to a table from [`Pieces::table`]; false if there are no more.
    ///
    /// Levels of categories are in order of first appearance until there are no more rows, and sorted then.
    ///
    /// # Errors
    /// If the text is not a table, a selected cell is not a finite number, or the table would be too large.
    pub fn append_to(&mut self, table: &mut Table) -> Result<bool> {
        if self.ended {
            table.categories.iter_mut().for_each(Category::sort);
            return Ok(false);
        }
        if self.pending || self.layout.is_none() {
            self.take_records(self.size, table)?;
            return Ok(true);
        }
        if self.lines.is_empty() {
            self.records.take_lines(self.size * self.count, &mut self.lines);
        }
        self.count = (self.count * 2).min(self.threads * BLOCKS_PER_THREAD);
        self.parse_lines();
        match self.take_blocks(table) {
            None => {
                swap(&mut self.lines, &mut self.next_lines);
                self.next_lines.clear();
            }
            Some(odd) => {
                self.count = 1;
                self.records.put_back(&self.next_lines);
                self.records.put_back(self.lines.get(odd.start..).unwrap_or_default());
                self.lines.clear();
                self.next_lines.clear();
                self.take_records(odd.len(), table)?;
            }
        }
        Ok(true)
    }

    /// Parses the current lines as blocks. If a thread pool does this, the next lines are read at the same time.
    fn parse_lines(&mut self) {
        let Some(layout) = &self.layout else { return };
        self.ends = ends(&self.lines, self.size);
        self.blocks.resize_with(self.blocks.len().max(self.ends.len()), Block::default);
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let texts = starts.zip(&self.ends).filter_map(|(start, &end)| self.lines.get(start..end));
        // a block without memory is not parsed, so it is not plain
        let work = self
            .blocks
            .iter_mut()
            .zip(texts)
            .filter_map(|(block, text)| block.prepare(text.len(), layout).is_ok().then_some((block, text)));
        match start_pool(&mut self.pool, if self.ends.len() > 1 { self.threads } else { 1 }) {
            None => work.for_each(|(block, text)| block.parse(text, layout)),
            Some(pool) => pool.in_place_scope(|scope| {
                work.for_each(|(block, text)| scope.spawn(move |_| block.parse(text, layout)));
                self.records.take_lines(self.size * self.count, &mut self.next_lines);
            }),
        }
    }

    /// Appends the plain blocks up to the first that is not plain. Returns the position of that block in the lines.
    fn take_blocks(&mut self, table: &mut Table) -> Option<Range<usize>> {
        let mut start = 0;
        for (block, &end) in self.blocks.iter().zip(&self.ends) {
            if !block.plain || !self.rows.take_block(block, table) {
                return Some(start..end);
            }
            self.records.pass(end - start, block.rows + block.dropped);
            start = end;
        }
        // there is no block if a line is longer than the lines that were read, or is the last one: read one record
        if start == 0 { Some(0..1) } else { None }
    }

    /// Converts the records that begin in the next `bytes` bytes.
    fn take_records(&mut self, bytes: usize, table: &mut Table) -> Result<()> {
        let until = self.records.bytes() + bytes as u64;
        loop {
            if !self.pending {
                if self.records.bytes() >= until && self.rows.survey.is_none() {
                    return Ok(());
                }
                match self.records.advance() {
                    Err(why) if self.rows.survey.is_none() => return Err(broken(&why, &self.records, self.rows.path)),
                    // the first problem is reported
                    Err(_) => return self.rows.finish(true),
                    Ok(more) => self.pending = more,
                }
                if !self.pending {
                    self.ended = true;
                    return self.rows.finish(false);
                }
            }
            if !self.rows.want_more(&self.records) {
                return self.rows.finish(true);
            }
            self.rows.take(&self.records, table)?;
            self.pending = false;
        }
    }
}

/// The ends of blocks of at least `size` bytes that end with a line.
fn ends(lines: &[u8], size: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut end = 0;
    while end < lines.len() {
        let last = lines.get(end + size - 1..).and_then(|rest| memchr(b'\n', rest));
        end = last.map_or(lines.len(), |last| end + size + last);
        ends.push(end);
    }
    ends
}

/// The thread pool, if there is work for more than one thread and the threads can be started.
fn start_pool(pool: &mut Option<ThreadPool>, threads: usize) -> Option<&ThreadPool> {
    if threads > 1 && pool.is_none() {
        *pool = ThreadPoolBuilder::new().num_threads(threads).build().ok();
    }
    pool.as_ref().filter(|_| threads > 1)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::read::{Csv, Features, Selection};

    /// A source that gives a few bytes at a time, and may break.
    struct Trickle<'a> {
        text: &'a [u8],
        most: usize,
        breaks: bool,
    }

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.breaks && self.text.is_empty() {
                return Err(io::Error::other("the wire is cut"));
            }
            let most = self.most.min(buffer.len());
            self.text.read(&mut buffer[..most])
        }
    }

    /// What is read, with every digit, or what is said; in blocks of `size` bytes, or record by record without.
    fn read(csv: &Csv, source: Trickle<'_>, selection: &Selection, size: Option<usize>) -> String {
        let read = || {
            let mut pieces = csv.open(source, Path::new("d.csv"), selection)?;
            match size {
                Some(size) => pieces.size = size,
                None => pieces.layout = None,
            }
            let mut table = pieces.table();
            while pieces.append_to(&mut table)? {}
            Ok(table)
        };
        read().map_or_else(|why: crate::Error| why.to_string(), |table| format!("{table:?}"))
    }

    #[rustfmt::skip]
    const ODD: &[&str] = &[
        "", " ", "NA", "nan", "-inf", "1e400", "-1", "+7", "abc", "1,5", " 3\t", "\"2\"", "\"a\nb\"", "\"", "4\"", "1e5x",
        "12345678901234567890123", "1e-300", "-0", "\r", "\0", "é",
    ];

    fn cell() -> impl Strategy<Value = String> {
        prop_oneof![
            12 => (-9..9_i32).prop_map(|x| x.to_string()),
            12 => any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| format!("{x:e}")),
            1 => select(ODD).prop_map(str::to_owned),
        ]
    }

    fn line() -> impl Strategy<Value = String> {
        let width = prop_oneof![20 => Just(4_usize), 1 => 0..6_usize];
        let cells = width.prop_flat_map(|width| prop::collection::vec(cell(), width));
        let end = prop_oneof![12 => Just("\n"), 3 => Just("\r\n"), 1 => select(&["\r", "\n\n", " \n", "\r\r\n"][..])];
        (cells, end).prop_map(|(cells, end)| cells.join(",") + end)
    }

    fn terms(texts: &[&str]) -> Features {
        Features::Only(texts.iter().map(|&text| text.to_owned()).collect())
    }

    fn selections() -> impl Strategy<Value = Selection> {
        let (target, weights) = (Some("y".to_owned()), Some("w".to_owned()));
        let only = Features::Only(vec!["b".into(), "a".into()]);
        select(vec![
            Selection::default(),
            Selection { target: target.clone(), ..Selection::default() },
            Selection { features: Features::Except(vec!["a".into()]), ..Selection::default() },
            Selection { target: target.clone(), weights: weights.clone(), ..Selection::default() },
            Selection { target: target.clone(), offset: weights.clone(), features: only, ..Selection::default() },
            Selection { target: target.clone(), features: terms(&["log(a)"]), ..Selection::default() },
            Selection {
                target: target.clone(),
                offset: Some("sqrt(w)".into()),
                features: terms(&["a", "b^-1:a", "a^0.5"]),
                ..Selection::default()
            },
            Selection { target, weights, features: terms(&["log(a)"]), ..Selection::default() },
            Selection { categories: vec!["w".into(), "a".into()], features: terms(&["a"]), ..Selection::default() },
            Selection { kept: vec!["w".into(), "a".into()], features: terms(&["a", "b"]), ..Selection::default() },
            Selection {
                target: Some("y".into()),
                features: Features::Nothing,
                categories: vec!["b".into()],
                kept: vec!["y".into(), "b".into(), "y".into()],
                ..Selection::default()
            },
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Blocks and threads change neither the table nor a word of what is said instead.
        #[test]
        fn blocks_are_read_as_their_records_are(
            header in select(&["a,b,w,y\n", "a,b,w,y\r\n", "a,b,w,y\r", "\u{feff}a,b,\"w\",y\n"][..]),
            lines in prop::collection::vec(line(), 0..40),
            selection in selections(),
            size in prop_oneof![1..30_usize, 30..1000_usize],
            most in prop_oneof![1..10_usize, Just(usize::MAX)],
            (drop, breaks, cut) in (any::<bool>(), prop::bool::weighted(0.1), 0..4_usize),
            memory in prop_oneof![4 => Just(u64::MAX), 1 => 0..4000_u64],
        ) {
            let text = header.to_owned() + &lines.concat();
            // the last line may have no end
            let text = &text.as_bytes()[..text.len().saturating_sub(cut).max(header.len())];
            let missing = if drop { Missing::Drop } else { Missing::Error };
            let csv = |threads| Csv::new().missing(missing).memory(memory).threads(Some(threads));
            let source = || Trickle { text, most, breaks };
            let expected = read(&csv(1), source(), &selection, None);
            for threads in [1, 2] {
                prop_assert_eq!(&read(&csv(threads), source(), &selection, Some(size)), &expected);
            }
        }
    }

    /// An LF right after a CR is no line of its own, wherever a block ends; one after a CR and a line is.
    #[test]
    fn lines_are_counted_across_blocks() {
        for text in
            ["a,b\r1,2\n\n1,x\n", "a,b\r\n\n1,2\n1,x\n", "a,b\r\n1,2\r\n\r\n1,x\r\n", "a,b\n1,2\r1,2\n\n\r\n1,x\n"]
        {
            let source = || Trickle { text: text.as_bytes(), most: usize::MAX, breaks: false };
            let expected = read(&Csv::new(), source(), &Selection::default(), None);
            for size in 1..20 {
                assert_eq!(read(&Csv::new(), source(), &Selection::default(), Some(size)), expected);
            }
        }
    }

    #[test]
    fn many_blocks_are_read_as_their_records_are() {
        let line = |i: u64| format!("{},{:e},{}.{i},{}\n", i % 7, 1.0 / (i as f64 + 0.3), i * i, i % 2);
        let text = (0..60_000).fold("a,b,w,y\n".to_owned(), |text, i| text + &line(i));
        let odd = text.replace("\n3,", "\n3 ,").replace("59999,", "x,");
        for text in [&text, &odd] {
            let source = || Trickle { text: text.as_bytes(), most: usize::MAX, breaks: false };
            let csv = |threads| Csv::new().threads(Some(threads));
            let expected = read(&csv(1), source(), &Selection::default(), None);
            for threads in [1, 2, 3] {
                assert!(read(&csv(threads), source(), &Selection::default(), Some(BLOCK_BYTES)) == expected);
            }
        }
    }
}
