//! A document that arrives in pieces.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use simhash_doc::memory::reserve;
use simhash_doc::{Accumulator, TokenCounts};

use crate::buffers::bytes;
use crate::memory::fallible;
use crate::text::{Measured, push, scheme};

const BROKEN: &str = "memory was short when the token counter was changed; count the text again with a new one";

/// The tokens of a text that arrives in pieces.
///
/// One thread at a time may use it. For another one it is borrowed meanwhile, which raises `RuntimeError`. So does each
/// use after a `MemoryError` of `feed`, `merge` or `add`: which tokens were added is not known.
#[pyclass(module = "simhash_doc_native")]
pub struct TokenCounter {
    /// None if memory was short when it was changed.
    accumulator: Option<Accumulator>,
}

#[pymethods]
impl TokenCounter {
    #[new]
    fn new() -> Self {
        Self { accumulator: Some(Accumulator::new()) }
    }

    /// Add the next bytes of the text.
    ///
    /// If the handler of a signal raises an exception, a part of them has been added, from the first one on, each once.
    /// The others have not, and nothing tells how many these are.
    fn feed(&mut self, data: &Bound<'_, PyBytes>) -> PyResult<()> {
        self.change(|accumulator| push(data.py(), accumulator, data.as_bytes()))
    }

    /// Add the tokens of another counter, which may be this one.
    fn merge(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<()> {
        let counts = other.try_borrow()?.counts(slf.py())?;
        slf.try_borrow_mut()?.change(|accumulator| {
            slf.py().detach(|| accumulator.merge_counts(&counts));
            Ok(())
        })
    }

    /// Add distinct tokens with their counts, which stand for `total` occurrences.
    ///
    /// Raises:
    ///     ValueError: a token is empty or has a zero byte, or a count is 0.
    fn add(&mut self, total: u64, items: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(|accumulator| {
            let mut counts = TokenCounts::default();
            for item in items.try_iter()? {
                let (token, count): (Bound<'_, PyBytes>, u8) = item?.extract()?;
                add(&mut counts, token.as_bytes(), count)?;
            }
            counts.add_total(total);
            accumulator.merge_counts(&counts);
            Ok(())
        })
    }

    /// Return an independent counter of the same text so far.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let accumulator = self.accumulator()?;
        fallible(|| Ok(Self { accumulator: Some(py.detach(|| accumulator.clone())) }))
    }

    /// Return the occurrences of tokens, and a list of the distinct tokens with their counts, of the text so far.
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<(u64, Bound<'py, PyList>)> {
        let (counts, items) = (self.counts(py)?, PyList::empty(py));
        let mut result = Ok(());
        counts.for_each(|token, count| {
            if result.is_ok() {
                result = bytes(py, token).and_then(|token| items.append((token, count)));
            }
        });
        result.map(|()| (counts.total(), items))
    }

    /// Return the result of `measure` for the text so far.
    fn measure<'py>(&self, py: Python<'py>, lanes: usize) -> PyResult<Bound<'py, PyTuple>> {
        let scheme = scheme(lanes)?;
        let counts = self.counts(py)?;
        py.detach(|| Measured::of(&counts, scheme)).into_tuple(py)
    }

    /// Return the occurrences of tokens, the counts, and what the accumulator must know of the text besides.
    fn __getstate__<'py>(&self, py: Python<'py>) -> PyResult<(u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let accumulator = self.accumulator()?;
        fallible(|| {
            let (counts, rest) = accumulator.state();
            let mut entries = Vec::new();
            counts.for_each(|token, count| {
                reserve(&mut entries, token.len() + 2);
                entries.push(count);
                entries.extend_from_slice(token);
                entries.push(0);
            });
            Ok((counts.total(), bytes(py, &entries)?, bytes(py, &rest)?))
        })
    }

    fn __setstate__(&mut self, state: (u64, Bound<'_, PyBytes>, Bound<'_, PyBytes>)) -> PyResult<()> {
        self.accumulator = Some(fallible(|| resumed(state))?);
        Ok(())
    }
}

impl TokenCounter {
    /// Return the accumulator.
    ///
    /// # Errors
    /// `RuntimeError`.
    fn accumulator(&self) -> PyResult<&Accumulator> {
        self.accumulator.as_ref().ok_or_else(|| PyRuntimeError::new_err(BROKEN))
    }

    /// Change the accumulator, or drop it if memory is short.
    fn change(&mut self, change: impl FnOnce(&mut Accumulator) -> PyResult<()>) -> PyResult<()> {
        let accumulator = self.accumulator.as_mut().ok_or_else(|| PyRuntimeError::new_err(BROKEN))?;
        let result = fallible(|| Ok(change(accumulator)));
        if result.is_err() {
            self.accumulator = None;
        }
        result?
    }

    /// Return the tokens so far, including those at the end of the text.
    fn counts(&self, py: Python<'_>) -> PyResult<TokenCounts> {
        let accumulator = self.accumulator()?;
        fallible(|| Ok(py.detach(|| accumulator.clone().finish())))
    }
}

/// Return the accumulator of which `__getstate__` has returned the state.
fn resumed(state: (u64, Bound<'_, PyBytes>, Bound<'_, PyBytes>)) -> PyResult<Accumulator> {
    let (total, entries, rest) = state;
    let mut counts = TokenCounts::default();
    for entry in entries.as_bytes().split_inclusive(|&byte| byte == 0) {
        let [count, token @ .., 0] = entry else {
            return Err(PyValueError::new_err("the state of a token counter is cut off"));
        };
        add(&mut counts, token, *count)?;
    }
    counts.add_total(total);
    Accumulator::resume(counts, rest.as_bytes())
        .ok_or_else(|| PyValueError::new_err("the rest of the text in the state of a token counter is damaged"))
}

fn add(counts: &mut TokenCounts, token: &[u8], count: u8) -> PyResult<()> {
    if token.is_empty() || token.contains(&0) || count == 0 {
        return Err(PyValueError::new_err("a token is empty or has a zero byte, or its count is 0"));
    }
    counts.add(token, count);
    Ok(())
}
