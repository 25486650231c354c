//! A document that arrives in pieces.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use simhash_doc::{Accumulator, TokenCounts};

use crate::text::{Measured, push, scheme};

/// The tokens of a text that arrives in pieces.
///
/// The text behind the last place where it can be cut is kept as it is. So the counts and this text are the complete
/// state, which can be pickled.
#[pyclass(module = "simhash_doc_native")]
#[derive(Clone, Default)]
pub struct TokenCounter {
    accumulator: Accumulator,
    rest: Vec<u8>,
}

#[pymethods]
impl TokenCounter {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Add the next bytes of the text. If a signal interrupts it, a part of them has been added.
    fn feed(&mut self, data: &Bound<'_, PyBytes>) -> PyResult<()> {
        let (py, data) = (data.py(), data.as_bytes());
        let Some((end, start)) = last_cut(data) else {
            self.rest.extend_from_slice(data);
            return Ok(());
        };
        push(py, &mut self.accumulator, &self.rest)?;
        push(py, &mut self.accumulator, &data[..end])?;
        self.accumulator.push(b" "); // what follows is a text of its own
        self.rest.clear();
        self.rest.extend_from_slice(&data[start..]);
        Ok(())
    }

    /// Add the tokens of another counter, which may be this one.
    fn merge(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<()> {
        let counts = other.try_borrow()?.counts(slf.py());
        let mut own = slf.try_borrow_mut()?;
        let accumulator = &mut own.accumulator;
        slf.py().detach(|| accumulator.merge_counts(&counts));
        Ok(())
    }

    /// Add distinct tokens with their counts, which stand for `total` occurrences.
    ///
    /// Raises:
    ///     ValueError: a token is empty or has a zero byte, or a count is 0.
    fn add(&mut self, total: u64, items: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut counts = TokenCounts::default();
        for item in items.try_iter()? {
            let (token, count): (Bound<'_, PyBytes>, u8) = item?.extract()?;
            add(&mut counts, token.as_bytes(), count)?;
        }
        counts.add_total(total);
        self.accumulator.merge_counts(&counts);
        Ok(())
    }

    /// Return an independent counter of the same text so far.
    fn copy(&self, py: Python<'_>) -> Self {
        py.detach(|| self.clone())
    }

    /// Return the occurrences of tokens, and a list of the distinct tokens with their counts, of the text so far.
    fn tokens<'py>(&self, py: Python<'py>) -> (u64, Vec<(Bound<'py, PyBytes>, u8)>) {
        let counts = self.counts(py);
        let mut items = Vec::with_capacity(counts.len());
        counts.for_each(|token, count| items.push((PyBytes::new(py, token), count)));
        (counts.total(), items)
    }

    /// Return the result of `measure` for the text so far.
    fn measure<'py>(&self, py: Python<'py>, lanes: usize) -> PyResult<Bound<'py, PyTuple>> {
        let scheme = scheme(lanes)?;
        let counts = self.counts(py);
        py.detach(|| Measured::of(&counts, scheme)).into_tuple(py)
    }

    /// Return the occurrences of tokens, the counts, and the text that is not counted yet.
    fn __getstate__<'py>(&self, py: Python<'py>) -> (u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let counts = self.accumulator.clone().finish();
        let mut entries = Vec::new();
        counts.for_each(|token, count| {
            entries.push(count);
            entries.extend_from_slice(token);
            entries.push(0);
        });
        (counts.total(), PyBytes::new(py, &entries), PyBytes::new(py, &self.rest))
    }

    fn __setstate__(&mut self, state: (u64, Bound<'_, PyBytes>, Bound<'_, PyBytes>)) -> PyResult<()> {
        let (total, entries, rest) = state;
        let mut counts = TokenCounts::default();
        for entry in entries.as_bytes().split_inclusive(|&byte| byte == 0) {
            let [count, token @ .., 0] = entry else {
                return Err(PyValueError::new_err("the state of a token counter is cut off"));
            };
            add(&mut counts, token, *count)?;
        }
        counts.add_total(total);
        *self = Self { accumulator: Accumulator::new(), rest: rest.as_bytes().to_vec() };
        self.accumulator.merge_counts(&counts);
        Ok(())
    }
}

impl TokenCounter {
    /// Return the tokens so far, including those at the end of the text.
    fn counts(&self, py: Python<'_>) -> TokenCounts {
        py.detach(|| {
            let mut accumulator = self.accumulator.clone();
            accumulator.push(&self.rest);
            accumulator.finish()
        })
    }
}

fn add(counts: &mut TokenCounts, token: &[u8], count: u8) -> PyResult<()> {
    if token.is_empty() || token.contains(&0) || count == 0 {
        return Err(PyValueError::new_err("a token is empty or has a zero byte, or its count is 0"));
    }
    counts.add(token, count);
    Ok(())
}

/// Return (end, start) such that the text up to `end` and the text from `start` on have the tokens of the text together,
/// if there is such a place.
///
/// White space of ASCII, and the comma and the full stop of Chinese and Japanese, join nothing and end every link. Between
/// Han characters, the one before the place is in both parts: the last of one bigram and the first of the next.
fn last_cut(text: &[u8]) -> Option<(usize, usize)> {
    (0..text.len()).rev().find_map(|at| match text[at..] {
        [b'\t'..=b'\r' | b' ', ..] | [0xE3, 0x80, 0x81 | 0x82, ..] => Some((at, at)),
        [0xE5..=0xE8, ..] if (0..3).all(|place| is_han(text.get(at + 3 * place..).unwrap_or_default())) => {
            Some((at + 6, at + 3))
        }
        _ => None,
    })
}

/// Return whether the text begins with a character from U+5000 to U+8FFF: all of them are Han, and fold to themselves.
fn is_han(text: &[u8]) -> bool {
    matches!(text, [0xE5..=0xE8, 0x80..=0xBF, 0x80..=0xBF, ..])
}
