//! The k nearest of many signatures to each query, by comparing all.

use std::collections::BinaryHeap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use simhash_doc::memory::check;

use crate::buffers::{Array, bytearray};
use crate::memory::fallible;
use crate::processor::{Work, fastest};

/// Signatures that are compared at a time, without a branch.
const TILE: usize = 64;
/// Bytes of signatures that are compared with all queries in turn: they stay in the first-level cache.
const BLOCK: usize = 1 << 15;
/// In place of a missing answer.
const NONE: i64 = -1;

/// Positions and distances, for Python.
pub type Answers<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// The nearest signatures so far, at most k; of equal distances, those with the first positions.
pub struct Nearest {
    k: usize,
    /// Distances and positions, the worst first.
    heap: BinaryHeap<(u64, usize)>,
}

impl Nearest {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k) }
    }

    /// Return a distance that is too large for a position after all others.
    #[inline(always)]
    fn limit(&self) -> u64 {
        if self.heap.len() < self.k { u64::MAX } else { self.heap.peek().map_or(0, |worst| worst.0) }
    }

    #[inline(always)]
    pub fn add(&mut self, distance: u64, position: usize) {
        if self.heap.len() < self.k {
            self.heap.push((distance, position));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && (distance, position) < *worst
        {
            *worst = (distance, position);
        }
    }
}

/// Return the positions and the distances of the k nearest to each query, nearest first, filled up with -1.
pub fn answers(py: Python<'_>, found: Vec<Nearest>, k: usize) -> PyResult<Answers<'_>> {
    let (mut positions, mut distances) = (vec![NONE; found.len() * k], vec![NONE; found.len() * k]);
    for (query, nearest) in found.into_iter().enumerate() {
        for (at, (distance, position)) in (query * k..).zip(nearest.heap.into_sorted_vec()) {
            (positions[at], distances[at]) = (position as i64, distance as i64);
        }
    }
    Ok((bytearray(py, &positions, i64::to_ne_bytes)?, bytearray(py, &distances, i64::to_ne_bytes)?))
}

/// Return the positions and the distances of the k nearest rows, shape (n, width), to each query, shape (q, width).
///
/// `k` is at most n. Both results are int64, shape (q, k), nearest first, equal distances by position.
#[pyfunction]
pub fn nearest<'py>(rows: &Bound<'py, PyAny>, queries: &Bound<'py, PyAny>, k: usize) -> PyResult<Answers<'py>> {
    let (py, rows, queries) = (rows.py(), Array::<u8>::of(rows)?, Array::<u8>::of(queries)?);
    let width = common_width(&rows, &queries)?;
    let (rows, queries) = (&*rows, &*queries);
    if k > rows.len() / width {
        return Err(PyValueError::new_err(format!("k is {k}; there are {} rows", rows.len() / width)));
    }
    fallible(|| {
        check_memory(queries.len() / width, k);
        answers(py, py.detach(|| fastest(Exhaustive { rows, queries, width, k })), k)
    })
}

/// Fail if memory is short for the answers to so many queries.
pub fn check_memory(queries: usize, k: usize) {
    let answer = size_of::<(u64, usize)>() + 2 * size_of::<i64>();
    check(queries.saturating_mul(k).saturating_mul(answer));
}

/// Return the number of bytes of a row, which is that of a query.
pub fn common_width(rows: &Array<u8>, queries: &Array<u8>) -> PyResult<usize> {
    let (width, found) = (rows.columns()?, queries.columns()?);
    if width != found {
        return Err(PyValueError::new_err(format!("the queries have {found} bytes, and the rows have {width}")));
    }
    Ok(width)
}

/// Return a signature as integers; the last one is filled up with zeros.
#[inline(always)]
pub fn lanes(signature: &[u8]) -> impl Iterator<Item = u64> {
    let (complete, rest) = signature.as_chunks();
    let last = (!rest.is_empty()).then(|| {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        last
    });
    complete.iter().copied().chain(last).map(u64::from_ne_bytes)
}

/// The comparison of all rows with all queries.
struct Exhaustive<'a> {
    rows: &'a [u8],
    queries: &'a [u8],
    width: usize,
    k: usize,
}

impl Work for Exhaustive<'_> {
    type Found = Vec<Nearest>;

    #[inline(always)]
    fn run(self) -> Vec<Nearest> {
        let queries: Vec<Vec<u64>> =
            self.queries.chunks_exact(self.width).map(|query| lanes(query).collect()).collect();
        let mut found: Vec<_> = queries.iter().map(|_| Nearest::new(self.k)).collect();
        let size = TILE * self.width.div_ceil(8);
        let mut tiles = vec![0; size * (BLOCK / (8 * size)).max(1)];
        let rows_of_block = tiles.len() / size * TILE;
        for (number, block) in self.rows.chunks(rows_of_block * self.width).enumerate() {
            transpose(block, self.width, &mut tiles);
            let count = block.len() / self.width;
            for (query, nearest) in queries.iter().zip(&mut found) {
                for (at, tile) in (0..count).step_by(TILE).zip(tiles.chunks_exact(size)) {
                    compare(tile, query, number * rows_of_block + at, TILE.min(count - at), nearest);
                }
            }
        }
        found
    }
}

/// Write signatures to tiles: the first lanes of all signatures of a tile, then the second ones, and so on.
#[inline(always)]
fn transpose(block: &[u8], width: usize, tiles: &mut [u64]) {
    let size = TILE * width.div_ceil(8);
    for (rows, tile) in block.chunks(TILE * width).zip(tiles.chunks_exact_mut(size)) {
        for (at, row) in rows.chunks_exact(width).enumerate() {
            for (target, lane) in tile[at..].iter_mut().step_by(TILE).zip(lanes(row)) {
                *target = lane;
            }
        }
    }
}

/// Compare a query with the first `count` signatures of a tile, whose positions begin at `first`.
#[inline(always)]
fn compare(tile: &[u64], query: &[u64], first: usize, count: usize, nearest: &mut Nearest) {
    // Without a branch, so that the loops become vector instructions: the difference is negative if one is near.
    let mut distances = [0; TILE];
    for (lane, value) in tile.as_chunks::<TILE>().0.iter().zip(query) {
        for (distance, other) in distances.iter_mut().zip(lane) {
            *distance += u64::from((value ^ other).count_ones());
        }
    }
    let limit = nearest.limit();
    let mut near = 0;
    for distance in distances {
        near |= distance.wrapping_sub(limit);
    }
    if near >> 63 != 0 || limit == u64::MAX {
        for (position, &distance) in (first..).zip(&distances[..count]) {
            nearest.add(distance, position);
        }
    }
}
