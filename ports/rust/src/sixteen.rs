//! Sixteen bytes at once, with SSE2, which every x86-64 processor has.
//!
//! Only here is `unsafe` allowed: the crate must compile with Rust 1.85, where intrinsics have no safe form. Compilers
//! find no such instruction for the bits of bytes in portable code: as loops, this is five times as slow.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpgt_epi8, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_or_si128, _mm_set1_epi8, _mm_sll_epi16, _mm_storeu_si128,
};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub struct Sixteen(__m128i);

// SAFETY of all blocks: this module is compiled only where SSE2 may be used. Loads and stores are of references to 16
// bytes, and need no alignment.
impl Sixteen {
    /// Return the first sixteen bytes.
    #[inline(always)]
    pub fn load(bytes: &[u8]) -> Self {
        let bytes: &[u8; 16] = bytes.first_chunk().expect("16 bytes");
        Self(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    /// Replace the first sixteen bytes.
    #[inline(always)]
    pub fn store(self, bytes: &mut [u8]) {
        let bytes: &mut [u8; 16] = bytes.first_chunk_mut().expect("16 bytes");
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), self.0) };
    }

    /// Return sixteen times one byte.
    #[inline(always)]
    pub fn all(byte: u8) -> Self {
        Self(unsafe { _mm_set1_epi8(byte as i8) })
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    /// Return 255 for each byte from `first` to `last`, and 0 for each other one.
    #[inline(always)]
    pub fn within(self, first: u8, last: u8) -> Self {
        // Comparisons are signed: what is added makes `last` the greatest number.
        let (added, below) = (Self::all(127u8.wrapping_sub(last)), Self::all(126 - (last - first)));
        Self(unsafe { _mm_cmpgt_epi8(_mm_add_epi8(self.0, added.0), below.0) })
    }

    /// Return 255 for each byte that is equal to another one, and 0 for each other one.
    #[inline(always)]
    pub fn is(self, byte: u8) -> Self {
        self.within(byte, byte)
    }

    /// Return the bit with a number of each byte, that of the first byte lowest.
    #[inline(always)]
    pub fn bits(self, number: u32) -> u64 {
        (unsafe { _mm_movemask_epi8(_mm_sll_epi16(self.0, _mm_cvtsi32_si128(7 - number as i32))) }) as u64
    }
}
