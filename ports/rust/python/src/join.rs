//! All pairs of fingerprints within a distance: fingerprints are put into buckets by some bits of a lane, and the
//! fingerprints of a bucket are joined by tables.
//!
//! A table has a key: bits in which the two fingerprints of a pair agree. Bits of the key divide a bucket into parts of a
//! few fingerprints, side by side. Nothing is sorted, and a bucket stays in the second-level cache.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use simhash_doc::memory::{copy, reserve};

use crate::buffers::{Array, bytearray};
use crate::memory::fallible;
use crate::processor::{Work, fastest};

/// Values that are compared with one at a time, without a branch. A part rarely has more.
const TILE: usize = 8;
/// The same in longer parts.
const LONG_TILE: usize = 64;
/// A part of more values is divided by further bits of the key, if there are any.
const LONG_PART: usize = 128;
/// A division makes at most 2^16 parts: their ends take 256 KB.
const MOST_PART_BITS: u32 = 16;

/// The bits of a lane that number the buckets.
#[derive(Clone, Copy, FromPyObject)]
pub struct BucketField {
    lane: usize,
    /// The lowest of the bits.
    low: u32,
    bits: u32,
}

impl BucketField {
    /// Fail if the bits are not those of one of so many lanes.
    fn check(self, lanes: usize) -> PyResult<()> {
        let Self { lane, low, bits } = self;
        if lane >= lanes {
            return Err(PyValueError::new_err(format!(
                "the buckets are numbered by lane {lane}; there are {lanes} lanes"
            )));
        }
        // All 64 bits would be more buckets than there can be.
        if low >= u64::BITS || bits >= u64::BITS || low + bits > u64::BITS {
            let message = format!("the buckets are numbered by {bits} bits from bit {low} on; a lane has 64");
            return Err(PyValueError::new_err(message));
        }
        Ok(())
    }

    fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.low
    }

    fn bucket(self, row: &[u64]) -> usize {
        ((row[self.lane] & self.mask()) >> self.low) as usize
    }
}

/// A table of one lane.
#[derive(FromPyObject)]
pub struct Table {
    /// The bits in which the two fingerprints of a pair agree.
    key: u64,
    /// An earlier table finds the pairs that agree under one of these masks.
    skipped: Vec<u64>,
}

/// What is searched.
struct Search {
    field: BucketField,
    tables: Vec<Table>,
    /// The distance t(i) of each lane i, without those that are not joined: a pair is within it in some lane. The first such lane finds the pair.
    limits: Vec<u32>,
    /// The largest distance in all lanes.
    distance: u32,
    /// Add each fingerprint that occurs more than once as a pair with itself.
    copies: bool,
    /// Of many pairs, add only those that connect what all of them connect.
    connect: bool,
    /// So many pairs are found at a time, and those of one more fingerprint.
    piece: usize,
}

/// Both sides of pairs.
type Pairs<const LANES: usize> = (Vec<[u64; LANES]>, Vec<[u64; LANES]>);

/// Add the number of rows, shape (n, lanes), of each bucket to `counts`, which nobody else may change meanwhile.
#[pyfunction]
pub fn count_buckets(rows: &Bound<'_, PyAny>, field: BucketField, counts: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, rows, counts) = (rows.py(), Array::of(rows)?, Array::of(counts)?);
    let lanes = rows.columns()?;
    field.check(lanes)?;
    counts.check_apart(&rows, "counts")?;
    let counts = counts.shared()?;
    if counts.len() as u64 != 1 << field.bits {
        let message = format!("`counts` has {} items; expected 2^{}, one for each bucket", counts.len(), field.bits);
        return Err(PyValueError::new_err(message));
    }
    py.detach(|| {
        for row in rows.chunks_exact(lanes) {
            let count = &counts[field.bucket(row)];
            count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
        }
    });
    Ok(())
}

/// Write the rows of the buckets from `first` on to `out`, those of each bucket from its place on, which advances.
///
/// Nobody else may change `places` meanwhile, or write to the same places of `out`.
#[pyfunction]
pub fn fill_buckets(
    rows: &Bound<'_, PyAny>,
    field: BucketField,
    first: usize,
    places: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (py, rows, places, out) = (rows.py(), Array::of(rows)?, Array::of(places)?, Array::of(out)?);
    let lanes = rows.columns()?;
    field.check(lanes)?;
    if out.columns()? != lanes {
        let message = format!("`out` has {} lanes, and the rows have {lanes}; expected the same", out.columns()?);
        return Err(PyValueError::new_err(message));
    }
    places.check_apart(&rows, "places")?;
    out.check_apart(&rows, "out")?;
    let (places, out) = (places.shared()?, out.shared()?);
    let fits = py.detach(|| {
        for row in rows.chunks_exact(lanes) {
            if let Some(place) = places.get(field.bucket(row).wrapping_sub(first)) {
                let at = place.load(Relaxed) as usize;
                if at >= out.len() / lanes {
                    return false;
                }
                place.store(at as u64 + 1, Relaxed);
                for (target, &lane) in out[at * lanes..][..lanes].iter().zip(row) {
                    target.store(lane, Relaxed);
                }
            }
        }
        true
    });
    if fits {
        return Ok(());
    }
    Err(PyValueError::new_err(
        "a bucket has more fingerprints than counted: the fingerprints changed during the search",
    ))
}

/// The pairs in buckets that one of the tables is the first to find, each pair once: an iterator of pieces of them.
///
/// `rows` are in the order of their buckets. `edges` say where the first bucket begins, and where each ends.
#[pyclass]
pub struct BucketPairs {
    rows: Array<u64>,
    lanes: usize,
    edges: Vec<usize>,
    search: Search,
    /// None if memory was short.
    progress: Option<Progress>,
}

#[pymethods]
impl BucketPairs {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        rows: &Bound<'_, PyAny>,
        edges: Vec<usize>,
        field: BucketField,
        tables: Vec<Table>,
        limits: Vec<u32>,
        distance: u32,
        copies: bool,
        connect: bool,
        piece: usize,
    ) -> PyResult<Self> {
        let rows = Array::of(rows)?;
        let lanes = rows.columns()?;
        field.check(lanes)?;
        check_edges(&edges, rows.len() / lanes)?;
        if !matches!(lanes, 1 | 2 | 4 | 8) {
            let message = format!("the number of lanes is {lanes}; expected 1, 2, 4 or 8");
            return Err(PyValueError::new_err(message));
        }
        if limits.len() <= field.lane {
            let message = format!("there are distances of {} lanes; lane {} is joined", limits.len(), field.lane);
            return Err(PyValueError::new_err(message));
        }
        if piece == 0 {
            return Err(PyValueError::new_err("a piece has 0 pairs; expected at least 1"));
        }
        let search = Search { field, tables, limits, distance, copies, connect, piece };
        Ok(Self { rows, lanes, edges, search, progress: Some(Progress::default()) })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Sides<'py>>> {
        match self.lanes {
            1 => self.next::<1>(py),
            2 => self.next::<2>(py),
            4 => self.next::<4>(py),
            _ => self.next::<8>(py),
        }
    }
}

/// Both sides of pairs, for Python.
type Sides<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

impl BucketPairs {
    fn next<'py, const LANES: usize>(&mut self, py: Python<'py>) -> PyResult<Option<Sides<'py>>> {
        let Self { rows, edges, search, progress, .. } = self;
        // After a failure, not even from the beginning: pairs were returned already.
        let mut own = progress.take().ok_or_else(|| PyRuntimeError::new_err("memory was short in the search"))?;
        let (first, second) = fallible(|| {
            Ok(py.detach(|| fastest(Join::<LANES> { rows: rows.as_chunks().0, edges, search, progress: &mut own })))
        })?;
        *progress = Some(own);
        if first.is_empty() {
            return Ok(None);
        }
        let first_side = bytearray(py, first.as_flattened(), u64::to_ne_bytes)?;
        drop(first);
        Ok(Some((first_side, bytearray(py, second.as_flattened(), u64::to_ne_bytes)?)))
    }
}

/// Fail if edges are not those of buckets of so many rows.
fn check_edges(edges: &[usize], rows: usize) -> PyResult<()> {
    if !edges.is_sorted() {
        return Err(PyValueError::new_err("the edges of the buckets descend; expected ascending ones"));
    }
    if let Some(&last) = edges.last().filter(|&&last| last > rows) {
        return Err(PyValueError::new_err(format!("the last bucket ends at row {last}; there are {rows} rows")));
    }
    if edges.windows(2).any(|bounds| bounds[1] - bounds[0] > u32::MAX as usize) {
        return Err(PyValueError::new_err("a bucket has more than 2^32 - 1 rows"));
    }
    Ok(())
}

/// The search for the next pairs, none at the end.
struct Join<'a, const LANES: usize> {
    rows: &'a [[u64; LANES]],
    edges: &'a [usize],
    search: &'a Search,
    progress: &'a mut Progress,
}

impl<const LANES: usize> Work for Join<'_, LANES> {
    type Found = Pairs<LANES>;

    #[inline(always)]
    fn run(self) -> Pairs<LANES> {
        let Self { rows, edges, search, progress } = self;
        let mut pairs = (Vec::new(), Vec::new());
        while let [start, end, ..] = edges[progress.bucket.min(edges.len())..] {
            if join_bucket(&rows[start..end], search, &mut progress.within, &mut pairs).is_err() {
                break;
            }
            progress.bucket += 1;
            if pairs.0.len() >= search.piece {
                break;
            }
        }
        pairs
    }
}

/// Where a search goes on.
#[derive(Default)]
struct Progress {
    /// The number of the bucket.
    bucket: usize,
    within: Within,
}

/// Where a search goes on in a bucket.
#[derive(Default)]
struct Within {
    /// The number of the table.
    table: usize,
    /// The rows of the bucket without copies, if they are known to be distinct by having been compared.
    distinct: Option<Vec<u64>>,
    levels: Vec<Level>,
    undivided: Vec<Undivided>,
    /// The division in which the last piece ended.
    division: Option<Division>,
}

/// Fingerprints of a bucket, or of a part of it, in the order of the parts of a division. The first level is the bucket.
#[derive(Default)]
struct Level {
    /// The lane by which they are joined. More values follow, of no meaning, so that each has a tile after it.
    values: Vec<u64>,
    /// The place of each in the bucket; empty if there is one lane, which is the row.
    places: Vec<u32>,
    /// Where each part ends.
    ends: Vec<u32>,
}

/// A part of a level that is divided by more bits.
struct Undivided {
    level: usize,
    start: usize,
    end: usize,
    bits: u64,
}

/// Parts of a level side by side, whose values are compared.
struct Division {
    /// The number of the level.
    level: usize,
    /// The number of its values.
    count: usize,
    /// The number of the part of a value.
    fields: Vec<Field>,
    /// The other bits of the key.
    bits: u64,
    /// The size of the largest part.
    largest: usize,
    /// The next value that is compared with the tile after it.
    next: usize,
    /// The next part whose values are compared with those after the tile.
    part: usize,
    /// The next of its values.
    next_in_part: usize,
}

impl Division {
    /// A part of more values is divided by further bits of the key. If there are none, it may be connected.
    fn longest(&self, connect: bool) -> usize {
        if self.bits == 0 && !connect { usize::MAX } else { LONG_PART }
    }
}

/// Why the comparison of the fingerprints of a bucket stops.
enum Stop {
    /// One occurs more than once.
    Copies,
    /// The piece is complete.
    Full,
}

/// Add the pairs of a bucket, to the end or to the end of the piece.
#[inline(always)]
fn join_bucket<const LANES: usize>(
    rows: &[[u64; LANES]],
    search: &Search,
    within: &mut Within,
    pairs: &mut Pairs<LANES>,
) -> Result<(), Stop> {
    if rows.len() < 2 {
        return Ok(());
    }
    let lane = search.field.lane;
    if within.levels.is_empty() {
        within.levels.push(Level::default());
    }
    if within.table == 0 && within.division.is_none() {
        within.levels[0].hold(rows, lane);
    }
    while let Some(table) = search.tables.get(within.table) {
        let found = pairs.0.len();
        let Within { distinct, levels, undivided, division, .. } = within;
        let all = distinct.as_ref().map_or(rows, |distinct| distinct.as_chunks().0);
        let are_distinct = distinct.is_some() || within.table > 0;
        match join_by(table, all, search, are_distinct, levels, undivided, division, pairs) {
            Ok(()) => within.table += 1,
            Err(stop) if are_distinct => return Err(stop),
            // Without the copies, from the beginning. If there may be some, no piece ends in the bucket: its pairs would
            // be found again.
            Err(_) => {
                pairs.0.truncate(found);
                pairs.1.truncate(found);
                let rows = remove_copies(rows, &levels[1], search.copies, pairs);
                levels[0].hold(&rows, lane);
                *distinct = Some(rows.into_flattened());
                undivided.clear();
                *division = None;
            }
        }
    }
    within.table = 0;
    within.distinct = None;
    Ok(())
}

/// Add a pair.
#[inline(always)]
fn add_pair<const LANES: usize>(pairs: &mut Pairs<LANES>, row: [u64; LANES], other: [u64; LANES]) {
    reserve(&mut pairs.0, 1);
    reserve(&mut pairs.1, 1);
    pairs.0.push(row);
    pairs.1.push(other);
}

/// Return each row once, from the first division of the bucket: equal rows are in one part.
fn remove_copies<const LANES: usize>(
    rows: &[[u64; LANES]],
    divided: &Level,
    report: bool,
    pairs: &mut Pairs<LANES>,
) -> Vec<[u64; LANES]> {
    let (mut distinct, mut part, mut start) = (Vec::new(), Vec::new(), 0);
    for &end in &divided.ends {
        part.clear();
        reserve(&mut part, end as usize - start);
        part.extend((start..end as usize).map(|i| divided.row(rows, i)));
        part.sort_unstable();
        for copies in part.chunk_by(|a, b| a == b) {
            reserve(&mut distinct, 1);
            distinct.push(copies[0]);
            if report && copies.len() > 1 {
                add_pair(pairs, copies[0], copies[0]);
            }
        }
        start = end as usize;
    }
    distinct
}

/// Add the pairs of a bucket that a table is the first to find.
///
/// Stops at two rows that are equal, unless all are known to be distinct. Any table would find them: they have one key.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn join_by<const LANES: usize>(
    table: &Table,
    rows: &[[u64; LANES]],
    search: &Search,
    distinct: bool,
    levels: &mut Vec<Level>,
    undivided: &mut Vec<Undivided>,
    unfinished: &mut Option<Division>,
    pairs: &mut Pairs<LANES>,
) -> Result<(), Stop> {
    if unfinished.is_none() {
        let bits = table.key & !search.field.mask();
        undivided.push(Undivided { level: 0, start: 0, end: rows.len(), bits });
    }
    loop {
        let mut division = match unfinished.take() {
            Some(division) => division,
            None => match undivided.pop() {
                Some(part) => divide(&part, rows, levels),
                None => return Ok(()),
            },
        };
        let limit = search.limits[search.field.lane];
        let comparison = Comparison { rows, level: &levels[division.level], table, search, limit, distinct };
        if let Err(stop) = comparison.compare(&mut division, undivided, pairs) {
            *unfinished = Some(division);
            return Err(stop);
        }
    }
}

/// Divide a part of a level by bits of the key. The next level has the parts.
#[inline(always)]
fn divide<const LANES: usize>(part: &Undivided, rows: &[[u64; LANES]], levels: &mut Vec<Level>) -> Division {
    if levels.len() == part.level + 1 {
        levels.push(Level::default());
    }
    let (before, after) = levels.split_at_mut(part.level + 1);
    let (source, divided) = (&before[part.level], &mut after[0]);
    // The bucket of one lane is not copied.
    let values = if LANES == 1 && part.level == 0 { rows.as_flattened() } else { &source.values };
    let values = &values[part.start..part.end];
    let places = if LANES > 1 { &source.places[part.start..part.end] } else { &[] };
    let fields = lowest_fields(part.bits, part_bits(values.len()));
    let bits = bits_of(&fields);
    let largest = match fields[..] {
        [] => divided.fill::<LANES>(values, places, bits, |_| 0),
        [one] => divided.fill::<LANES>(values, places, bits, |value| one.of(value)),
        [one, other] => divided.fill::<LANES>(values, places, bits, |value| one.of(value) | other.of(value)),
        _ => divided.fill::<LANES>(values, places, bits, |value| part_of(&fields, value)),
    };
    let bits = part.bits & !fields.iter().map(|field| field.mask()).sum::<u64>();
    let (level, count) = (part.level + 1, values.len());
    Division { level, count, fields, bits, largest, next: 0, part: 0, next_in_part: 0 }
}

impl Level {
    /// Hold the rows of a bucket, undivided.
    #[inline(always)]
    fn hold<const LANES: usize>(&mut self, rows: &[[u64; LANES]], lane: usize) {
        if LANES > 1 {
            self.values.clear();
            reserve(&mut self.values, rows.len());
            self.values.extend(rows.iter().map(|row| row[lane]));
            self.places.clear();
            reserve(&mut self.places, rows.len());
            self.places.extend(0..rows.len() as u32);
        }
    }

    /// Return the row of a value, by the rows of the bucket.
    #[inline(always)]
    fn row<const LANES: usize>(&self, rows: &[[u64; LANES]], i: usize) -> [u64; LANES] {
        if LANES > 1 { rows[self.places[i] as usize] } else { [self.values[i]; LANES] }
    }

    /// Divide values by their part, a number of so many bits. Return the size of the largest part.
    #[inline(always)]
    fn fill<const LANES: usize>(
        &mut self,
        values: &[u64],
        places: &[u32],
        bits: u32,
        part_of: impl Fn(u64) -> usize,
    ) -> usize {
        let largest = count_parts(&mut self.ends, values.iter().map(|&value| part_of(value)), bits);
        if self.values.len() < values.len() + TILE {
            let more = values.len() + TILE - self.values.len();
            reserve(&mut self.values, more);
            self.values.resize(values.len() + TILE, 0);
        }
        if self.places.len() < places.len() {
            let more = places.len() - self.places.len();
            reserve(&mut self.places, more);
            self.places.resize(places.len(), 0);
        }
        let (divided, divided_places, ends) = (&mut self.values[..], &mut self.places[..], &mut self.ends[..]);
        let mut put = |value| {
            let end = &mut ends[part_of(value)];
            let at = *end as usize;
            *end += 1;
            divided[at] = value;
            at
        };
        if LANES == 1 {
            for &value in values {
                put(value);
            }
        } else {
            for (&value, &place) in values.iter().zip(places) {
                divided_places[put(value)] = place;
            }
        }
        self.ends.pop(); // of no part
        largest
    }
}

/// Write where each part begins, and the end, from the numbers of the parts, of so many bits. Return the largest size.
#[inline(always)]
fn count_parts(starts: &mut Vec<u32>, parts: impl Iterator<Item = usize>, bits: u32) -> usize {
    starts.clear();
    starts.resize((1 << bits) + 1, 0);
    for part in parts {
        starts[part + 1] += 1;
    }
    let (mut largest, mut total) = (0, 0);
    for start in starts {
        largest = largest.max(*start);
        total += *start;
        *start = total;
    }
    largest as usize
}

/// Return the number of bits that divide so many values into parts of a few.
fn part_bits(values: usize) -> u32 {
    MOST_PART_BITS.min(usize::BITS - values.leading_zeros())
}

/// Bits of a value that are some bits of the number of its part.
#[derive(Clone, Copy)]
struct Field {
    low: u32,
    width: u32,
    /// The lowest of the bits in the number.
    at: u32,
}

impl Field {
    #[inline(always)]
    fn of(self, value: u64) -> usize {
        ((value >> self.low & ((1 << self.width) - 1)) << self.at) as usize
    }

    fn mask(self) -> u64 {
        ((1 << self.width) - 1) << self.low
    }
}

/// Return fields of the lowest bits of a mask, at most so many.
fn lowest_fields(mut mask: u64, bits: u32) -> Vec<Field> {
    let (mut fields, mut at) = (Vec::new(), 0);
    while mask != 0 && at < bits {
        let low = mask.trailing_zeros();
        let field = Field { low, width: (mask >> low).trailing_ones().min(bits - at), at };
        fields.push(field);
        mask &= !field.mask();
        at += field.width;
    }
    fields
}

/// Return the number of bits of all fields.
fn bits_of(fields: &[Field]) -> u32 {
    fields.iter().map(|field| field.width).sum()
}

/// Return the number of the part of a value.
#[inline(always)]
fn part_of(fields: &[Field], value: u64) -> usize {
    fields.iter().map(|field| field.of(value)).sum()
}

/// How the values of a level are compared.
struct Comparison<'a, const LANES: usize> {
    rows: &'a [[u64; LANES]],
    level: &'a Level,
    table: &'a Table,
    search: &'a Search,
    limit: u32,
    distinct: bool,
}

impl<const LANES: usize> Comparison<'_, LANES> {
    /// Compare the values of each part, and add those parts that are too long to what is to be divided.
    #[inline(always)]
    fn compare(
        &self,
        division: &mut Division,
        undivided: &mut Vec<Undivided>,
        pairs: &mut Pairs<LANES>,
    ) -> Result<(), Stop> {
        self.compare_next(division, pairs)?;
        if division.largest <= TILE + 1 {
            return Ok(());
        }
        let (level, bits, longest) = (division.level, division.bits, division.longest(self.search.connect));
        let mut start = self.start(division.part);
        for (part, &end) in self.level.ends.iter().enumerate().skip(division.part) {
            let end = end as usize;
            let size = end - start;
            let connects = match size <= longest {
                true => self.search.connect && division.next_in_part <= start && self.is_dense(start, end),
                false => bits == 0,
            };
            if connects {
                self.connect(start, end, pairs)?;
                if pairs.0.len() >= self.search.piece {
                    division.part = part + 1;
                    return Err(Stop::Full);
                }
            } else if size <= longest {
                if let Err((stop, next)) = self.compare_others(start.max(division.next_in_part), end, pairs) {
                    (division.part, division.next_in_part) = (part, next);
                    return Err(stop);
                }
            } else {
                undivided.push(Undivided { level, start, end, bits });
            }
            start = end;
        }
        Ok(())
    }

    /// Compare each value with the tile after it, which may belong to other parts.
    ///
    /// Parts that are too long are left out: those are divided first.
    #[inline(always)]
    fn compare_next(&self, division: &mut Division, pairs: &mut Pairs<LANES>) -> Result<(), Stop> {
        let longest = division.longest(self.search.connect);
        for (i, &value) in self.level.values[..division.count].iter().enumerate().skip(division.next) {
            if any_near(value, self.tile::<TILE>(i + 1), self.limit) {
                let part = part_of(&division.fields, value);
                let (start, end) = (self.start(part), self.level.ends[part] as usize);
                let others = i + 1..end.min(i + 1 + TILE);
                if end - start <= longest {
                    self.add_near(i, others, pairs)?;
                    if pairs.0.len() >= self.search.piece {
                        division.next = i + 1;
                        return Err(Stop::Full);
                    }
                } else if !self.distinct && self.has_copy(i, others) {
                    return Err(Stop::Copies);
                }
            }
        }
        division.next = division.count;
        Ok(())
    }

    /// Return where a part begins.
    #[inline(always)]
    fn start(&self, part: usize) -> usize {
        if part == 0 { 0 } else { self.level.ends[part - 1] as usize }
    }

    /// Compare values of a part, from one on, with those of the part that `compare_next` leaves out.
    ///
    /// Fails with the value to go on with.
    #[inline(always)]
    fn compare_others(&self, start: usize, end: usize, pairs: &mut Pairs<LANES>) -> Result<(), (Stop, usize)> {
        for (i, &value) in (start..).zip(&self.level.values[start..end]) {
            let mut from = i + 1 + TILE;
            while from < end {
                let (near, to) = if from + LONG_TILE <= end {
                    (any_near(value, self.tile::<LONG_TILE>(from), self.limit), from + LONG_TILE)
                } else {
                    (any_near(value, self.tile::<TILE>(from), self.limit), from + TILE)
                };
                if near {
                    self.add_near(i, from..to.min(end), pairs).map_err(|stop| (stop, i))?;
                }
                from = to;
            }
            if pairs.0.len() >= self.search.piece {
                return Err((Stop::Full, i + 1));
            }
        }
        Ok(())
    }

    /// Return whether a part has so many pairs that connecting it is faster: judged by its first value.
    #[inline(always)]
    fn is_dense(&self, start: usize, end: usize) -> bool {
        let values = &self.level.values[start..end];
        let near = |value: &&u64| (values[0] ^ **value).count_ones() <= self.limit;
        values.len() > TILE + 1 && values.iter().filter(near).count() > values.len() / 4
    }

    /// Add pairs that connect the values of a part as all of its pairs do: a tree for each connected component.
    ///
    /// Breadth first: each value is compared with those that are not connected yet. If many are near, these are soon few.
    /// Two equal rows may be connected through a third one, and no copies noticed. They are in one component anyway.
    #[inline(always)]
    fn connect(&self, start: usize, end: usize, pairs: &mut Pairs<LANES>) -> Result<(), Stop> {
        let (mut apart, mut connected): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        reserve(&mut apart, end - start);
        reserve(&mut connected, end - start);
        apart.extend(start..end);
        let mut values = copy(&self.level.values[start..end]);
        while let Some(i) = connected.pop().or_else(|| values.pop().and_then(|_| apart.pop())) {
            let (value, row) = (self.level.values[i], self.level.row(self.rows, i));
            let mut at = 0;
            while at < values.len() {
                if values[at..].first_chunk::<LONG_TILE>().is_some_and(|tile| !any_near(value, tile, self.limit)) {
                    at += LONG_TILE;
                    continue;
                }
                let end = at + LONG_TILE;
                while at < end.min(values.len()) {
                    if (value ^ values[at]).count_ones() <= self.limit {
                        let other = self.level.row(self.rows, apart[at]);
                        if !self.distinct && row == other {
                            return Err(Stop::Copies);
                        }
                        if distance(&row, &other) <= self.search.distance {
                            add_pair(pairs, row, other);
                            connected.push(apart.swap_remove(at));
                            values.swap_remove(at);
                            continue;
                        }
                    }
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Add the pairs of value `i` with others of its part.
    #[inline(always)]
    fn add_near(&self, i: usize, others: Range<usize>, pairs: &mut Pairs<LANES>) -> Result<(), Stop> {
        for j in others {
            let difference = self.level.values[i] ^ self.level.values[j];
            if difference.count_ones() > self.limit || difference & self.table.key != 0 {
                continue;
            }
            let (row, other) = (self.level.row(self.rows, i), self.level.row(self.rows, j));
            if !self.distinct && row == other {
                return Err(Stop::Copies);
            }
            if self.table.skipped.iter().all(|mask| difference & mask != 0) && self.is_pair(&row, &other) {
                add_pair(pairs, row, other);
            }
        }
        Ok(())
    }

    /// Return so many values from one on: as an array, which becomes vector instructions.
    #[inline(always)]
    fn tile<const SIZE: usize>(&self, from: usize) -> &[u64; SIZE] {
        self.level.values[from..].first_chunk().expect("values follow the last one")
    }

    fn has_copy(&self, i: usize, mut others: Range<usize>) -> bool {
        others.any(|j| self.level.row(self.rows, i) == self.level.row(self.rows, j))
    }

    /// Return whether two rows are within the distance, and no lane before this one finds them.
    #[inline(always)]
    fn is_pair(&self, row: &[u64; LANES], other: &[u64; LANES]) -> bool {
        if LANES == 1 {
            return true;
        }
        let mut distance = 0;
        for (lane, (a, b)) in row.iter().zip(other).enumerate() {
            let bits = (a ^ b).count_ones();
            if lane < self.search.field.lane && bits <= self.search.limits[lane] {
                return false;
            }
            distance += bits;
        }
        distance <= self.search.distance
    }
}

/// Return the number of bits in which two rows differ.
#[inline(always)]
fn distance<const LANES: usize>(row: &[u64; LANES], other: &[u64; LANES]) -> u32 {
    row.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Return whether one of the values is within the limit of another one.
#[inline(always)]
fn any_near<const SIZE: usize>(value: u64, others: &[u64; SIZE], limit: u32) -> bool {
    // Without a branch, so that the loop becomes vector instructions: the difference is negative if one is near.
    let mut near = 0;
    for other in others {
        near |= u64::from((value ^ other).count_ones()).wrapping_sub(u64::from(limit) + 1);
    }
    near >> 63 != 0
}
