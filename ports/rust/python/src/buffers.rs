//! Arrays of Python: read in place, and returned as `bytearray`, which NumPy takes without a copy.

use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

#[cfg(not(target_has_atomic = "64"))]
compile_error!("threads write 64-bit integers to arrays of Python: a processor with atomic ones is needed");

/// The memory of a Python object. It is kept until this is dropped.
pub struct Array<T: Element>(PyBuffer<T>);

impl<T: Element> Array<T> {
    /// Return the memory of an object, which nobody may change while it is read.
    ///
    /// # Errors
    /// `ValueError` if it is not contiguous, `BufferError` if it has elements of another type.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::get(object)?;
        // `get` takes the size and the sign of the elements from the format, and ignores their byte order.
        let foreign: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };
        if buffer.format().to_bytes().first().is_some_and(|order| foreign.contains(order)) {
            let message = "the array has another byte order than the machine; pass a copy, such as array.astype('=u8')";
            return Err(PyBufferError::new_err(message));
        }
        if buffer.is_c_contiguous() {
            Ok(Self(buffer))
        } else {
            Err(PyValueError::new_err("the array is not contiguous; pass numpy.ascontiguousarray of it"))
        }
    }

    /// Return the number of columns of an array with rows, at least 1.
    ///
    /// # Errors
    /// `ValueError` if it has another number of dimensions than two, or no column.
    pub fn columns(&self) -> PyResult<usize> {
        match *self.0.shape() {
            [_, columns] if columns > 0 => Ok(columns),
            [_, _] => Err(PyValueError::new_err("the array has no column; expected one for each lane")),
            _ => {
                let message = format!("the array has {} dimensions; expected 2, shape (n, lanes)", self.0.dimensions());
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// Fail if this, an array of such a name that is written, has memory in common with rows that are read.
    ///
    /// # Errors
    /// `ValueError`.
    pub fn check_apart(&self, rows: &Self, name: &str) -> PyResult<()> {
        let (written, read) = (self.as_ptr_range(), rows.as_ptr_range());
        if written.start < read.end && read.start < written.end {
            return Err(PyValueError::new_err(format!("`{name}` shares memory with the rows; pass another array")));
        }
        Ok(())
    }
}

impl Array<u64> {
    /// Return the memory so that threads may write there at the same time, if they do so by this function.
    ///
    /// Nobody may read it by `deref` meanwhile: `check_apart`.
    ///
    /// # Errors
    /// `ValueError` if it is read-only, or not aligned for atomic access.
    #[allow(unsafe_code)]
    pub fn shared(&self) -> PyResult<&[AtomicU64]> {
        if self.0.readonly() {
            return Err(PyValueError::new_err("the array is read-only"));
        }
        let Some(memory) = self.0.as_slice_ptr() else { return Ok(&[]) };
        let memory = memory.as_ptr() as *const [AtomicU64];
        // On some processors of 32 bits it is larger than the alignment of the integers.
        if !memory.cast::<AtomicU64>().is_aligned() {
            let message = format!("the array is not aligned to {} bytes; pass a copy", align_of::<AtomicU64>());
            return Err(PyValueError::new_err(message));
        }
        // SAFETY: the buffer protocol keeps the memory in place while `self.0` exists, which outlives the reference.
        // All bits are integers. An atomic integer has the size of another one; its alignment is
        // checked above, and that the memory is writable. The caller must guarantee that meanwhile all access is by
        // atomic integers, in this module or another one: no `deref` of the same memory (`check_apart`), and no write by
        // Python while the global interpreter lock is released.
        Ok(unsafe { &*memory })
    }
}

impl<T: Element> Deref for Array<T> {
    type Target = [T];

    #[allow(unsafe_code)]
    fn deref(&self) -> &[T] {
        let Some(memory) = self.0.as_slice_ptr() else { return &[] };
        // SAFETY: `as_slice_ptr` has checked the type of the elements and their alignment, `of` that they are contiguous.
        // The buffer protocol keeps the memory in place while `self.0` exists, which outlives the reference. It cannot
        // forbid that somebody writes there while the global interpreter lock is released: the caller must guarantee
        // that nobody does, in Python, another thread, or by `shared`.
        unsafe { memory.as_ref() }
    }
}

/// Return bytes of Python, which are a copy.
///
/// # Errors
/// `MemoryError`.
pub fn bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |target| {
        target.copy_from_slice(bytes);
        Ok(())
    })
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
