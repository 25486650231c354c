//! All pairs of fingerprints within a distance: fingerprints are put into buckets by some bits of a lane, and the
//! fingerprints of a bucket are joined by tables.
//!
//! A table has a key: bits in which the two fingerprints of a pair agree. Bits of the key divide a bucket into parts of a
//! few fingerprints, side by side. Nothing is sorted, and a bucket stays in the second-level cache.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::buffers::{Array, bytearray};

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
    /// The largest distance in each lane that is searched. Pairs within that of a lane before this one are found there.
    limits: Vec<u32>,
    /// The largest distance in all lanes.
    distance: u32,
    /// Add each fingerprint that occurs more than once as a pair with itself.
    copies: bool,
}

/// Both sides of pairs.
type Pairs<const LANES: usize> = (Vec<[u64; LANES]>, Vec<[u64; LANES]>);

/// Add the number of rows, shape (n, lanes), of each bucket to `counts`, which nobody else may change meanwhile.
#[pyfunction]
pub fn count_buckets(rows: &Bound<'_, PyAny>, field: BucketField, counts: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, rows, counts) = (rows.py(), Array::of(rows)?, Array::of(counts)?);
    let lanes = rows.columns();
    let counts = counts.shared()?;
    py.detach(|| {
        for row in rows.chunks_exact(lanes) {
            let count = &counts[field.bucket(row)];
            count.store(count.load(Relaxed) + 1, Relaxed);
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
    let lanes = rows.columns();
    let (places, out) = (places.shared()?, out.shared()?);
    py.detach(|| {
        for row in rows.chunks_exact(lanes) {
            if let Some(place) = places.get(field.bucket(row).wrapping_sub(first)) {
                let at = place.load(Relaxed);
                place.store(at + 1, Relaxed);
                for (target, &lane) in out[at as usize * lanes..][..lanes].iter().zip(row) {
                    target.store(lane, Relaxed);
                }
            }
        }
    });
    Ok(())
}

/// Return both sides of the pairs that one of the tables is the first to find, each pair once.
///
/// `rows` are in the order of their buckets. `edges` say where the first bucket begins, and where each ends.
#[pyfunction]
pub fn join_buckets<'py>(
    rows: &Bound<'py, PyAny>,
    edges: Vec<usize>,
    field: BucketField,
    tables: Vec<Table>,
    limits: Vec<u32>,
    distance: u32,
    copies: bool,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let (py, rows) = (rows.py(), Array::of(rows)?);
    if edges.windows(2).any(|bounds| bounds[1] - bounds[0] > u32::MAX as usize) {
        return Err(PyValueError::new_err("a bucket has more than 2^32 - 1 rows"));
    }
    let search = Search { field, tables, limits, distance, copies };
    match rows.columns() {
        1 => found::<1>(py, &rows, &edges, &search),
        2 => found::<2>(py, &rows, &edges, &search),
        4 => found::<4>(py, &rows, &edges, &search),
        8 => found::<8>(py, &rows, &edges, &search),
        lanes => Err(PyValueError::new_err(format!("the number of lanes is {lanes}; expected 1, 2, 4 or 8"))),
    }
}

fn found<'py, const LANES: usize>(
    py: Python<'py>,
    rows: &[u64],
    edges: &[usize],
    search: &Search,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let (first, second) = py.detach(|| fastest_join::<LANES>(rows.as_chunks().0, edges, search));
    let first = bytearray(py, first.as_flattened(), u64::to_ne_bytes)?;
    Ok((first, bytearray(py, second.as_flattened(), u64::to_ne_bytes)?))
}

/// Call `join` as it is compiled for this processor: a wheel is for every one, which need not count bits by itself.
#[allow(unsafe_code)]
fn fastest_join<const LANES: usize>(rows: &[[u64; LANES]], edges: &[usize], search: &Search) -> Pairs<LANES> {
    #[cfg(target_arch = "x86_64")]
    {
        let has_popcnt = is_x86_feature_detected!("popcnt");
        if has_popcnt && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has what the function uses.
            return unsafe { join_avx512(rows, edges, search) };
        }
        if has_popcnt && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function uses.
            return unsafe { join_avx2(rows, edges, search) };
        }
    }
    join(rows, edges, search)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,avx512f,avx512vpopcntdq")]
fn join_avx512<const LANES: usize>(rows: &[[u64; LANES]], edges: &[usize], search: &Search) -> Pairs<LANES> {
    join(rows, edges, search)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,avx2")]
fn join_avx2<const LANES: usize>(rows: &[[u64; LANES]], edges: &[usize], search: &Search) -> Pairs<LANES> {
    join(rows, edges, search)
}

/// Return the pairs of all buckets.
// It is inlined with what it calls, because only a function and what is inlined there is compiled for a processor.
#[inline(always)]
fn join<const LANES: usize>(rows: &[[u64; LANES]], edges: &[usize], search: &Search) -> Pairs<LANES> {
    let mut levels = vec![Level::default()];
    let mut pairs = (Vec::new(), Vec::new());
    for bounds in edges.windows(2) {
        join_bucket(&rows[bounds[0]..bounds[1]], search, &mut levels, &mut pairs);
    }
    pairs
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

/// A bucket has a fingerprint that occurs more than once.
struct Copies;

#[inline(always)]
fn join_bucket<const LANES: usize>(
    rows: &[[u64; LANES]],
    search: &Search,
    levels: &mut Vec<Level>,
    pairs: &mut Pairs<LANES>,
) {
    if rows.len() < 2 {
        return;
    }
    levels[0].hold(rows, search.field.lane);
    let mut without_copies = None;
    for (number, table) in search.tables.iter().enumerate() {
        let found = pairs.0.len();
        let all = without_copies.as_deref().unwrap_or(rows);
        if join_by(table, all, search, number > 0, levels, pairs).is_err() {
            pairs.0.truncate(found);
            pairs.1.truncate(found);
            let distinct = remove_copies(rows, &levels[1], search.copies, pairs);
            levels[0].hold(&distinct, search.field.lane);
            let _ = join_by(table, &distinct, search, true, levels, pairs);
            without_copies = Some(distinct);
        }
    }
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
        part.extend((start..end as usize).map(|i| divided.row(rows, i)));
        part.sort_unstable();
        for copies in part.chunk_by(|a, b| a == b) {
            distinct.push(copies[0]);
            if report && copies.len() > 1 {
                pairs.0.push(copies[0]);
                pairs.1.push(copies[0]);
            }
        }
        start = end as usize;
    }
    distinct
}

/// Add the pairs of a bucket that a table is the first to find.
///
/// Fails at two rows that are equal, unless all are known to be distinct. Any table would find them: they have one key.
#[inline(always)]
fn join_by<const LANES: usize>(
    table: &Table,
    rows: &[[u64; LANES]],
    search: &Search,
    distinct: bool,
    levels: &mut Vec<Level>,
    pairs: &mut Pairs<LANES>,
) -> Result<(), Copies> {
    let bits = table.key & !search.field.mask();
    let mut undivided = vec![Undivided { level: 0, start: 0, end: rows.len(), bits }];
    while let Some(part) = undivided.pop() {
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
        let longest = if bits == 0 { usize::MAX } else { LONG_PART };
        let limit = search.limits[search.field.lane];
        let comparison = Comparison { rows, level: divided, table, search, limit, distinct };
        comparison.compare_next(values.len(), &fields, longest, pairs)?;
        if largest > TILE + 1 {
            let mut start = 0;
            for &end in &divided.ends {
                let end = end as usize;
                if end - start <= longest {
                    comparison.compare_others(start, end, pairs)?;
                } else {
                    undivided.push(Undivided { level: part.level + 1, start, end, bits });
                }
                start = end;
            }
        }
    }
    Ok(())
}

impl Level {
    /// Hold the rows of a bucket, undivided.
    #[inline(always)]
    fn hold<const LANES: usize>(&mut self, rows: &[[u64; LANES]], lane: usize) {
        if LANES > 1 {
            self.values.clear();
            self.values.extend(rows.iter().map(|row| row[lane]));
            self.places.clear();
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
            self.values.resize(values.len() + TILE, 0);
        }
        if self.places.len() < places.len() {
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
    /// Compare each value with the tile after it, which may belong to other parts, except in parts that are too long.
    #[inline(always)]
    fn compare_next(
        &self,
        count: usize,
        fields: &[Field],
        longest: usize,
        pairs: &mut Pairs<LANES>,
    ) -> Result<(), Copies> {
        for (i, &value) in self.level.values[..count].iter().enumerate() {
            if any_near(value, self.tile::<TILE>(i + 1), self.limit) {
                let part = part_of(fields, value);
                let start = if part == 0 { 0 } else { self.level.ends[part - 1] as usize };
                let end = self.level.ends[part] as usize;
                let others = i + 1..end.min(i + 1 + TILE);
                if end - start <= longest {
                    self.add_near(i, others, pairs)?;
                } else if !self.distinct && self.has_copy(i, others) {
                    return Err(Copies);
                }
            }
        }
        Ok(())
    }

    /// Compare each value of a part with those of the part that `compare_next` leaves out.
    #[inline(always)]
    fn compare_others(&self, start: usize, end: usize, pairs: &mut Pairs<LANES>) -> Result<(), Copies> {
        for (i, &value) in (start..).zip(&self.level.values[start..end]) {
            let mut from = i + 1 + TILE;
            while from < end {
                let (near, to) = if from + LONG_TILE <= end {
                    (any_near(value, self.tile::<LONG_TILE>(from), self.limit), from + LONG_TILE)
                } else {
                    (any_near(value, self.tile::<TILE>(from), self.limit), from + TILE)
                };
                if near {
                    self.add_near(i, from..to.min(end), pairs)?;
                }
                from = to;
            }
        }
        Ok(())
    }

    /// Add the pairs of value `i` with others of its part.
    #[inline(always)]
    fn add_near(&self, i: usize, others: Range<usize>, pairs: &mut Pairs<LANES>) -> Result<(), Copies> {
        for j in others {
            let difference = self.level.values[i] ^ self.level.values[j];
            if difference.count_ones() > self.limit || difference & self.table.key != 0 {
                continue;
            }
            let (row, other) = (self.level.row(self.rows, i), self.level.row(self.rows, j));
            if !self.distinct && row == other {
                return Err(Copies);
            }
            if self.table.skipped.iter().all(|mask| difference & mask != 0) && self.is_pair(&row, &other) {
                pairs.0.push(row);
                pairs.1.push(other);
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
