//! Documents that are complete in memory.

use std::cell::RefCell;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyString, PyTuple};
use simhash_doc::memory::{reserve, zeros};
use simhash_doc::{Accumulator, Scheme, TokenCounts};

use crate::buffers::{Array, bytearray};
use crate::memory::fallible;

/// Releasing the global interpreter lock costs more than it gains for texts of fewer bytes.
const SHORT: usize = 4 << 10;
/// So many bytes are counted between two checks for a signal, such as that of Ctrl-C.
pub const PIECE: usize = 4 << 20;
/// What a document costs in addition to its bytes.
const OVERHEAD: usize = 64;

thread_local! {
    static ACCUMULATOR: RefCell<Accumulator> = RefCell::default();
}

/// Return the fingerprint of a text as an integer, lane 0 the most significant; None if it has no token.
#[pyfunction]
pub fn fingerprint<'py>(text: &Bound<'py, PyAny>, lanes: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, scheme) = (text.py(), scheme(lanes)?);
    counted(|| {
        let found = with_counts(py, utf8(text)?, |counts| counts.fingerprint(scheme).ok())?;
        found.map(|fingerprint| integer(py, fingerprint.lanes())).transpose()
    })
}

/// Return (value, tokens, distinct tokens, weight, squares, sums) of a text.
#[pyfunction]
pub fn measure<'py>(text: &Bound<'py, PyAny>, lanes: usize) -> PyResult<Bound<'py, PyTuple>> {
    let (py, scheme) = (text.py(), scheme(lanes)?);
    counted(|| with_counts(py, utf8(text)?, |counts| Measured::of(counts, scheme)))?.into_tuple(py)
}

/// Return the values, shape (n, lanes), uint64, and the statistics, shape (n, 3), int64, of the documents
/// `data[bounds[i]:bounds[i + 1]]`, as bytes in native order. 0 where a document has no token.
///
/// Raises:
///     ValueError: the bounds, int64, are not ascending, or are outside of the data.
#[pyfunction]
pub fn measure_batch<'py>(
    data: &Bound<'py, PyAny>,
    bounds: &Bound<'py, PyAny>,
    lanes: usize,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let (py, scheme, data, bounds) = (data.py(), scheme(lanes)?, Array::<u8>::of(data)?, Array::<i64>::of(bounds)?);
    let (values, statistics) = counted(|| measure_all(py, &documents(&data, &bounds)?, scheme))?;
    Ok((bytearray(py, &values, u64::to_ne_bytes)?, bytearray(py, &statistics, i64::to_ne_bytes)?))
}

fn measure_all(py: Python<'_>, documents: &[&[u8]], scheme: Scheme) -> PyResult<(Vec<u64>, Vec<i64>)> {
    let lanes = scheme.lanes();
    let (mut values, mut statistics) = (zeros(documents.len() * lanes), zeros(documents.len() * 3));
    let mut results = documents.iter().zip(values.chunks_exact_mut(lanes).zip(statistics.chunks_exact_mut(3)));
    let put = |counts: &TokenCounts, (values, statistics): (&mut [u64], &mut [i64])| {
        if let Ok(fingerprint) = counts.fingerprint(scheme) {
            values.copy_from_slice(fingerprint.lanes());
            let (weight, squares) = counts.weights();
            statistics.copy_from_slice(&[counts.len() as i64, weight as i64, squares as i64]);
        }
    };
    loop {
        let large = py.detach(|| {
            ACCUMULATOR.with_borrow_mut(|accumulator| {
                let mut size = 0;
                for (document, result) in results.by_ref() {
                    if document.len() > PIECE {
                        return Some((document, result));
                    }
                    put(accumulator.count(document), result);
                    size += document.len() + OVERHEAD;
                    if size > PIECE {
                        break;
                    }
                }
                None
            })
        });
        if let Some((document, result)) = large {
            with_counts(py, document, |counts| put(counts, result))?;
        } else if results.len() == 0 {
            break;
        }
        py.check_signals()?;
    }
    Ok((values, statistics))
}

fn documents<'data>(data: &'data [u8], bounds: &[i64]) -> PyResult<Vec<&'data [u8]>> {
    let mut documents = Vec::new();
    reserve(&mut documents, bounds.len());
    for pair in bounds.windows(2) {
        let document = |pair: &[i64]| data.get(usize::try_from(pair[0]).ok()?..usize::try_from(pair[1]).ok()?);
        documents.push(document(pair).ok_or_else(|| {
            let size = data.len();
            PyValueError::new_err(format!("the bounds are not ascending, or are outside of the buffer of {size} bytes"))
        })?);
    }
    Ok(documents)
}

/// Do work that may use the accumulator of the thread. If it fails, the accumulator forgets all.
pub fn counted<Found>(work: impl FnOnce() -> PyResult<Found>) -> PyResult<Found> {
    fallible(work).inspect_err(|_| drop(ACCUMULATOR.take()))
}

/// Pass the tokens of a text to a function.
pub fn with_counts<Found: Send>(
    py: Python<'_>,
    text: &[u8],
    take: impl FnOnce(&TokenCounts) -> Found + Send,
) -> PyResult<Found> {
    if text.len() > PIECE {
        let mut accumulator = Accumulator::new();
        push(py, &mut accumulator, text)?;
        return Ok(py.detach(|| take(&accumulator.finish())));
    }
    let count = || ACCUMULATOR.with_borrow_mut(|accumulator| take(accumulator.count(text)));
    Ok(if text.len() < SHORT { count() } else { py.detach(count) })
}

/// Append text of any size, without the global interpreter lock.
///
/// # Errors
/// What the handler of a signal raises. A part of the text has been appended then.
pub fn push(py: Python<'_>, accumulator: &mut Accumulator, text: &[u8]) -> PyResult<()> {
    if text.len() < SHORT {
        accumulator.push(text);
        return Ok(());
    }
    for piece in text.chunks(PIECE) {
        py.detach(|| accumulator.push(piece));
        py.check_signals()?;
    }
    Ok(())
}

/// Return the bytes of a text: `bytes`, or a `str` without lone surrogates.
pub fn utf8<'text>(text: &'text Bound<'_, PyAny>) -> PyResult<&'text [u8]> {
    if let Ok(text) = text.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes());
    }
    match text.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes()),
        Err(_) => Err(PyTypeError::new_err(format!("the text is {}; expected str or bytes", text.get_type().name()?))),
    }
}

/// Return the scheme with so many lanes.
pub fn scheme(lanes: usize) -> PyResult<Scheme> {
    let found = Scheme::ALL.into_iter().find(|scheme| scheme.lanes() == lanes);
    found.ok_or_else(|| PyValueError::new_err(format!("the number of lanes is {lanes}; expected 1, 2, 4 or 8")))
}

fn integer<'py>(py: Python<'py>, lanes: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    match *lanes {
        [lane] => Ok(lane.into_pyobject(py)?.into_any()),
        _ => {
            let bytes: Vec<u8> = lanes.iter().flat_map(|lane| lane.to_be_bytes()).collect();
            py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "big"))
        }
    }
}

/// What `measure` returns.
pub struct Measured {
    tokens: u64,
    distinct_tokens: usize,
    weights: (u64, u64),
    sums: Vec<i64>,
}

impl Measured {
    pub fn of(counts: &TokenCounts, scheme: Scheme) -> Self {
        Self {
            tokens: counts.total(),
            distinct_tokens: counts.len(),
            weights: counts.weights(),
            sums: counts.sums(scheme),
        }
    }

    pub fn into_tuple(self, py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let lane = |sums: &[i64]| sums.iter().rev().fold(0, |lane, &sum| lane << 1 | u64::from(sum > 0));
        let lanes: Vec<u64> = self.sums.chunks(64).map(lane).collect();
        let (value, (weight, squares)) = (integer(py, &lanes)?, self.weights);
        (value, self.tokens, self.distinct_tokens, weight, squares, PyTuple::new(py, self.sums)?).into_pyobject(py)
    }
}
