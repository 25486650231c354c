//! What 64 bytes are, in loops that compilers vectorize, for targets without SSE2: see `sse2`.
#![cfg_attr(test, allow(dead_code))] // Where there is SSE2, tests use a part of it.

use crate::buffer::{Bits, LETTER, OTHER_WORD, SPECIAL, eight, gather_eight};
use crate::fold::{Characters, READ};

/// Write 64 bytes in lower case to `target`. Return the bits of the ASCII characters, and those of the other bytes and of
/// the first bytes of sequences.
#[inline]
pub fn ascii(block: &[u8; READ], target: &mut [u8; READ]) -> (Bits, u64, u64) {
    let mut classes = [0; 64];
    let set = |condition: bool, class: u8| if condition { class } else { 0 };
    let class_below_letters = |byte: u8| {
        set(byte.wrapping_sub(b'0') < 10, OTHER_WORD)
            | set(byte.wrapping_sub(b'+') < 5, SPECIAL)
            | set(byte == b':', SPECIAL)
            | set(byte == b'@', SPECIAL)
            | set(byte == b'%', SPECIAL)
    };
    let highest = block[..64].iter().fold(0, |highest: u8, &byte| highest.max(byte));
    if highest < b'A' {
        target[..64].copy_from_slice(&block[..64]);
        block.iter().zip(&mut classes).for_each(|(&byte, class)| *class = class_below_letters(byte));
        return (Bits::of(&classes), 0, 0);
    }
    for ((&byte, target), class) in block.iter().zip(target).zip(&mut classes) {
        let lower = byte | u8::from(byte.wrapping_sub(b'A') < 26) << 5;
        *target = lower;
        *class = class_below_letters(byte)
            | set(lower.wrapping_sub(b'a') < 26, LETTER)
            | set(byte == b'_', OTHER_WORD | SPECIAL);
    }
    let of_ascii = Bits::of(&classes);
    if highest < 0x80 {
        return (of_ascii, 0, 0);
    }
    let high = bits(block, 7);
    (of_ascii, high, high & bits(block, 6))
}

/// Return the bit with a number of each of the first 64 bytes, that of the first byte lowest.
#[inline(always)]
pub fn bits(bytes: &[u8], number: u32) -> u64 {
    (0..8).map(|place| gather_eight(eight(bytes, place) >> number) << (8 * place)).sum()
}

/// Return 0: loops find no characters at once faster than look-ups do.
#[inline]
pub fn scripts(_first: u8) -> u8 {
    0
}

#[inline]
pub fn characters(_scripts: u8, _block: &[u8; READ]) -> Characters {
    Characters::default()
}
