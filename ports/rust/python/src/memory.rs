//! Too little memory is a `MemoryError` of Python: the crate panics, and nothing is printed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use simhash_doc::memory::OUT_OF_MEMORY;

/// Do some work. What it was changing when it failed must not be used again.
///
/// # Errors
/// `MemoryError` if memory is short, and those of the work.
#[inline]
pub fn fallible<Found>(work: impl FnOnce() -> PyResult<Found>) -> PyResult<Found> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => Err(error(panic)),
    }
}

/// Return the error for a panic, or panic again.
#[cold]
fn error(panic: Box<dyn Any + Send>) -> PyErr {
    if !is_of_memory(&*panic) {
        resume_unwind(panic);
    }
    PyMemoryError::new_err(OUT_OF_MEMORY)
}

/// Print nothing for a panic that becomes a `MemoryError`.
pub fn silence() {
    let others = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_of_memory(panic.payload()) {
            others(panic);
        }
    }));
}

fn is_of_memory(panic: &(dyn Any + Send)) -> bool {
    let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    message == Some(OUT_OF_MEMORY)
}
