//! Memory that grows with the text. Where it is short, a panic says so: a caller can catch it, and the process goes on.

use alloc::vec;
use alloc::vec::Vec;
use core::hint::black_box;

/// The message of the panic where memory is short. What was being changed is then of no more use.
pub const OUT_OF_MEMORY: &str = "not enough memory";

/// Make room for more items, or panic with [`OUT_OF_MEMORY`]. A vector itself would abort the process.
#[inline]
pub fn reserve<T>(items: &mut Vec<T>, more: usize) {
    if items.try_reserve(more).is_err() {
        fail();
    }
}

/// Return a copy of items, or panic with [`OUT_OF_MEMORY`].
#[must_use]
pub fn copy<T: Copy>(items: &[T]) -> Vec<T> {
    let mut copy = Vec::new();
    if copy.try_reserve_exact(items.len()).is_err() {
        fail();
    }
    copy.extend_from_slice(items);
    copy
}

/// Return so many items with the value 0, or panic with [`OUT_OF_MEMORY`].
#[must_use]
#[inline(never)]
pub fn zeros<T: Clone + Default>(size: usize) -> Vec<T> {
    // New memory of the system is zero. No request that can fail makes use of that.
    check(size.saturating_mul(size_of::<T>()));
    vec![T::default(); size]
}

/// Panic with [`OUT_OF_MEMORY`] if there are not so many bytes for a request that follows and cannot fail.
#[inline(never)]
pub fn check(bytes: usize) {
    let mut memory = Vec::<u8>::new();
    reserve(&mut memory, bytes);
    black_box(&memory);
}

#[cold]
fn fail() -> ! {
    panic!("{OUT_OF_MEMORY}")
}
