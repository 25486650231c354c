//! The tokens of many texts as integers: `simhash_doc.duplicates.packed` compares these.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use simhash_doc::TokenCounts;
use simhash_doc::memory::{OUT_OF_MEMORY, copy, reserve};

use crate::buffers::bytearray;
use crate::text::{counted, utf8, with_counts};

/// Integers for the tokens of texts: from 0 on, in the order in which they come.
#[pyclass(module = "simhash_doc_native")]
#[derive(Default)]
pub struct TokenNumbers {
    /// By the bytes of a token, and then one byte that says which of its counts this is.
    known: HashMap<Box<[u8]>, i32>,
    is_first: Vec<u8>,
}

#[pymethods]
impl TokenNumbers {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Return an integer for each count of each token of a text, int32.
    fn numbers<'py>(&mut self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyByteArray>> {
        let py = text.py();
        let numbers = counted(|| with_counts(py, utf8(text)?, |counts| self.add(counts)))?;
        bytearray(py, &numbers, i32::to_ne_bytes)
    }

    /// Return whether each integer is the first one of a token, uint8.
    fn is_first<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        bytearray(py, &self.is_first, u8::to_ne_bytes)
    }
}

impl TokenNumbers {
    fn add(&mut self, counts: &TokenCounts) -> Vec<i32> {
        let (mut numbers, mut key) = (Vec::new(), Vec::new());
        counts.for_each(|token, count| {
            reserve(&mut numbers, count.into());
            for number in 1..=count {
                key.clear();
                reserve(&mut key, token.len() + 1);
                key.extend_from_slice(token);
                key.push(number);
                numbers.push(self.number(&key, number == 1));
            }
        });
        numbers
    }

    fn number(&mut self, key: &[u8], is_first: bool) -> i32 {
        if let Some(&number) = self.known.get(key) {
            return number;
        }
        let number = i32::try_from(self.is_first.len());
        let (Ok(number), Ok(())) = (number, self.known.try_reserve(1)) else { panic!("{OUT_OF_MEMORY}") };
        reserve(&mut self.is_first, 1);
        self.known.insert(copy(key).into_boxed_slice(), number);
        self.is_first.push(is_first.into());
        number
    }
}
