//! A document that arrives in pieces.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use simhash_doc::{Accumulator, TokenCounts};

use crate::text::{Measured, push, scheme};

/// The tokens of a text that arrives in pieces.
///
/// One thread at a time may use it. For another one it is borrowed meanwhile, which raises `RuntimeError`.
#[pyclass(module = "simhash_doc_native")]
#[derive(Clone, Default)]
pub struct TokenCounter {
    accumulator: Accumulator,
}

#[pymethods]
impl TokenCounter {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Add the next bytes of the text.
    ///
    /// If the handler of a signal raises an exception, a part of them has been added, from the first one on, each once.
    /// The others have not, and nothing tells how many these are.
    fn feed(&mut self, data: &Bound<'_, PyBytes>) -> PyResult<()> {
        push(data.py(), &mut self.accumulator, data.as_bytes())
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

    /// Return the occurrences of tokens, the counts, and what the accumulator must know of the text besides.
    fn __getstate__<'py>(&self, py: Python<'py>) -> (u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let (counts, rest) = self.accumulator.state();
        let mut entries = Vec::new();
        counts.for_each(|token, count| {
            entries.push(count);
            entries.extend_from_slice(token);
            entries.push(0);
        });
        (counts.total(), PyBytes::new(py, &entries), PyBytes::new(py, &rest))
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
        self.accumulator = Accumulator::resume(counts, rest.as_bytes())
            .ok_or_else(|| PyValueError::new_err("the rest of the text in the state of a token counter is damaged"))?;
        Ok(())
    }
}

impl TokenCounter {
    /// Return the tokens so far, including those at the end of the text.
    fn counts(&self, py: Python<'_>) -> TokenCounts {
        py.detach(|| self.accumulator.clone().finish())
    }
}

fn add(counts: &mut TokenCounts, token: &[u8], count: u8) -> PyResult<()> {
    if token.is_empty() || token.contains(&0) || count == 0 {
        return Err(PyValueError::new_err("a token is empty or has a zero byte, or its count is 0"));
    }
    counts.add(token, count);
    Ok(())
}
