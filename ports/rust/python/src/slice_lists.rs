//! The nearest signatures by slice lists: those that a query meets in many lists are compared. See `lookup/issl.py`.

use std::hint::black_box;
use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use simhash_doc::memory::zeros;

use crate::buffers::Array;
use crate::memory::fallible;
use crate::nearest::{Answers, Nearest, answers, check_memory, common_width, lanes};
use crate::processor::{Work, fastest};

/// Bits of a slice.
const WIDTH: u32 = u16::BITS;
/// Lists of a slice.
const LISTS: usize = 1 << WIDTH;

/// Equal scores follow each other, and a processor waits before it adds to the same counter again.
const COUNTERS: usize = 4;

/// Slice lists, and what is searched in them.
struct Search<'a> {
    signatures: &'a [u8],
    /// Bytes of a signature.
    width: usize,
    /// Where the list of each value begins, and the end, for each slice.
    starts: &'a [u32],
    /// The positions of the signatures of each list, for each slice.
    members: &'a [u32],
    queries: &'a [u8],
    /// The bits in which the slice of a list that is read may differ.
    flips: Vec<u16>,
    candidates: usize,
    k: usize,
}

/// Return the positions and the distances of about the k nearest signatures to each query.
///
/// Of the signatures met in lists whose values differ by at most `max_error` bits, those with the best scores are
/// compared, at most so many candidates. Both results are int64, shape (q, k), nearest first, filled up with -1.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn search_slice_lists<'py>(
    signatures: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    members: &Bound<'py, PyAny>,
    queries: &Bound<'py, PyAny>,
    k: usize,
    max_error: u32,
    candidates: usize,
) -> PyResult<Answers<'py>> {
    let py = signatures.py();
    let (signatures, queries) = (Array::<u8>::of(signatures)?, Array::<u8>::of(queries)?);
    let (starts, members) = (Array::<u32>::of(starts)?, Array::<u32>::of(members)?);
    let width = common_width(&signatures, &queries)?;
    let (slices, count) = (width / 2, signatures.len() / width);
    if width % 2 != 0 || starts.len() != slices * (LISTS + 1) || members.len() != slices * count {
        return Err(PyValueError::new_err(format!("the lists are not those of {count} signatures of {width} bytes")));
    }
    if max_error >= WIDTH / 2 {
        return Err(PyValueError::new_err(format!("max_error is {max_error}; expected at most {}", WIDTH / 2 - 1)));
    }
    if k > count {
        return Err(PyValueError::new_err(format!("k is {k}; there are {count} signatures")));
    }
    let search = Search {
        signatures: &signatures,
        width,
        starts: &starts,
        members: &members,
        queries: &queries,
        flips: (0..=u16::MAX).filter(|flip| flip.count_ones() <= max_error).collect(),
        candidates,
        k,
    };
    fallible(|| {
        check_memory(queries.len() / width, k);
        match py.detach(|| fastest(search)) {
            Some(found) => answers(py, found, k),
            None => Err(PyValueError::new_err(
                "a list names a signature that does not exist, or that another list of the slice has",
            )),
        }
    })
}

impl Work for Search<'_> {
    type Found = Option<Vec<Nearest>>;

    #[inline(always)]
    fn run(self) -> Self::Found {
        match u8::try_from(highest_score(self.width / 2)) {
            Ok(_) => self.all_nearest::<u8>(),
            Err(_) => self.all_nearest::<u16>(),
        }
    }
}

/// A sum of credits. The smaller it is, the more sums a cache holds.
trait Score: Copy + Default + PartialEq + Into<usize> {
    fn plus(self, credit: u8) -> Self;
}

impl Score for u8 {
    #[inline(always)]
    fn plus(self, credit: u8) -> Self {
        self.saturating_add(credit)
    }
}

impl Score for u16 {
    #[inline(always)]
    fn plus(self, credit: u8) -> Self {
        self.saturating_add(credit.into())
    }
}

/// Return the score of a signature that is met without an error in so many slices.
fn highest_score(slices: usize) -> usize {
    slices * (WIDTH / 2) as usize
}

impl Search<'_> {
    /// Return the nearest signatures to each query; None if the lists are corrupt.
    #[inline(always)]
    fn all_nearest<T: Score>(&self) -> Option<Vec<Nearest>> {
        let mut scores = Scores::<T>::new(self.signatures.len() / self.width, highest_score(self.width / 2));
        self.queries.chunks_exact(self.width).map(|query| self.nearest(query, &mut scores)).collect()
    }

    /// Return the nearest signatures to a query; None if the lists are corrupt.
    #[inline(always)]
    fn nearest<T: Score>(&self, query: &[u8], scores: &mut Scores<T>) -> Option<Nearest> {
        // Memory far apart is read by loops that do nothing else, so that a processor waits for many places at once.
        let lists = self.lists(query);
        black_box(lists.iter().try_fold(0, |any, list| {
            Some(any ^ *self.members.get(list.start)? ^ *self.members.get(list.end.saturating_sub(1))?)
        }));
        for (list, flip) in lists.into_iter().zip(self.flips.iter().cycle()) {
            scores.add(self.members.get(list)?, (WIDTH / 2 - flip.count_ones()) as u8)?;
        }
        let best = scores.take_best(self.candidates)?;
        black_box(best.iter().fold(0, |any, &position| any ^ self.signatures[position as usize * self.width]));
        let query: Vec<_> = lanes(query).collect();
        let distances: Vec<_> = best.iter().map(|&position| self.distance(position as usize, &query)).collect();
        let mut nearest = Nearest::new(self.k);
        for (position, distance) in best.into_iter().zip(distances) {
            nearest.add(distance, position as usize);
        }
        Some(nearest)
    }

    /// Return where the lists near a query are in `members`: for each slice, one for each of `flips`.
    #[inline(always)]
    fn lists(&self, query: &[u8]) -> Vec<Range<usize>> {
        let slices = query.as_chunks().0.iter().map(|slice| u16::from_be_bytes(*slice));
        let mut lists = Vec::with_capacity(query.len() / 2 * self.flips.len());
        for (number, (starts, slice)) in self.starts.chunks_exact(LISTS + 1).zip(slices).enumerate() {
            let first = number * self.signatures.len() / self.width;
            lists.extend(self.flips.iter().map(|flip| {
                let value = usize::from(slice ^ flip);
                first + starts[value] as usize..first + starts[value + 1] as usize
            }));
        }
        lists
    }

    #[inline(always)]
    fn distance(&self, position: usize, query: &[u64]) -> u64 {
        let signature = &self.signatures[position * self.width..][..self.width];
        lanes(signature).zip(query).map(|(a, b)| u64::from((a ^ b).count_ones())).sum()
    }
}

/// For each slice met, half its width minus its errors, summed up for each signature.
///
/// On average, a slice of an unrelated signature differs by half its width. So the score orders signatures by an
/// estimate of their distance, in which slices that were not met count as unrelated.
struct Scores<T> {
    of: Vec<T>,
    /// The positions of the signatures met, and more of no meaning.
    met: Vec<u32>,
    count: usize,
    /// The scores of the signatures met.
    of_met: Vec<T>,
    /// How many signatures have each score, in counters that are added up.
    frequencies: Vec<[usize; COUNTERS]>,
}

impl<T: Score> Scores<T> {
    fn new(signatures: usize, highest: usize) -> Self {
        let frequencies = vec![[0; COUNTERS]; highest + 1];
        Self { of: zeros(signatures), met: zeros(signatures + 1), count: 0, of_met: Vec::new(), frequencies }
    }

    /// Add the credit of a list to its signatures; None if one does not exist.
    #[inline(always)]
    fn add(&mut self, list: &[u32], credit: u8) -> Option<()> {
        for &position in list {
            let score = self.of.get_mut(position as usize)?;
            // Without a branch: it is overwritten if it was met before.
            self.met[self.count] = position;
            self.count += usize::from(*score == T::default());
            *score = score.plus(credit);
        }
        Some(())
    }

    /// Return the positions with the highest scores, at most so many, the first of equals; all scores are 0 after it.
    ///
    /// None if a score is higher than it can be.
    #[inline(always)]
    fn take_best(&mut self, candidates: usize) -> Option<Vec<u32>> {
        let met = &self.met[..self.count];
        self.of_met.clear();
        self.of_met.extend(met.iter().map(|&position| std::mem::take(&mut self.of[position as usize])));
        self.frequencies.fill([0; COUNTERS]);
        for scores in self.of_met.chunks(COUNTERS) {
            for (counter, &score) in scores.iter().enumerate() {
                self.frequencies.get_mut(score.into())?[counter] += 1;
            }
        }
        let (mut least, mut above) = (self.frequencies.len(), 0);
        while least > 1 {
            let frequency = self.frequencies[least - 1].iter().sum::<usize>();
            if above + frequency > candidates {
                break;
            }
            (least, above) = (least - 1, above + frequency);
        }
        // All from `least` on fit, and some of those with one score less.
        let (mut best, mut level) = (Vec::with_capacity(candidates.min(self.count)), Vec::new());
        for (&position, &score) in met.iter().zip(&self.of_met) {
            if score.into() >= least {
                best.push(position);
            } else if score.into() + 1 == least {
                level.push(position);
            }
        }
        let wanted = candidates - above;
        if wanted < level.len() {
            level.select_nth_unstable(wanted);
            level.truncate(wanted);
        }
        best.append(&mut level);
        self.count = 0;
        Some(best)
    }
}
