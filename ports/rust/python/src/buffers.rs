//! Arrays of Python: read in place, and returned as `bytearray`, which NumPy takes without a copy.

use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// The memory of a Python object. It is kept until this is dropped.
pub struct Array<T: Element>(PyBuffer<T>);

impl<T: Element> Array<T> {
    /// Return the memory of an object, which nobody may change while it is read.
    ///
    /// # Errors
    /// `ValueError` if it is not contiguous, `BufferError` if it has elements of another type.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::get(object)?;
        if buffer.is_c_contiguous() {
            Ok(Self(buffer))
        } else {
            Err(PyValueError::new_err("the array is not contiguous; pass numpy.ascontiguousarray of it"))
        }
    }

    /// Return the number of columns of an array with rows.
    pub fn columns(&self) -> usize {
        self.0.shape().last().copied().unwrap_or(1)
    }
}

impl Array<u64> {
    /// Return the memory so that threads may write there at the same time.
    ///
    /// # Errors
    /// `ValueError` if it is read-only.
    #[allow(unsafe_code)]
    pub fn shared(&self) -> PyResult<&[AtomicU64]> {
        if self.0.readonly() {
            return Err(PyValueError::new_err("the array is read-only"));
        }
        // As in `deref`; and an atomic integer has the size and the alignment of another one.
        let memory = self.0.as_slice_ptr().map(|memory| memory.as_ptr() as *const [AtomicU64]);
        Ok(memory.map_or(&[], |memory| unsafe { &*memory }))
    }
}

impl<T: Element> Deref for Array<T> {
    type Target = [T];

    #[allow(unsafe_code)]
    fn deref(&self) -> &[T] {
        // The buffer protocol keeps the memory in place while `self.0` exists. It cannot forbid that somebody writes there
        // while the global interpreter lock is released: this is the duty of the caller.
        self.0.as_slice_ptr().map_or(&[], |memory| unsafe { memory.as_ref() })
    }
}

/// Return integers as the bytes of a writable array.
pub fn bytearray<'py, const SIZE: usize, T: Copy>(
    py: Python<'py>,
    integers: &[T],
    to_bytes: impl Fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, SIZE * integers.len(), |bytes| {
        for (target, &integer) in bytes.chunks_exact_mut(SIZE).zip(integers) {
            target.copy_from_slice(&to_bytes(integer));
        }
        Ok(())
    })
}
