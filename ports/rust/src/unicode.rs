//! Lookups in the Unicode tables, and UTF-8.

use alloc::vec::Vec;

use crate::tables as t;

/// A code point is in `word.txt`.
pub const WORD: u8 = 1;
/// A code point is in `word.txt` and `continua.txt`.
pub const CONTINUA: u8 = 2;
/// A code point is in `word.txt` and `alphabetic.txt`.
pub const ALPHABETIC: u8 = 4;
/// A code point has General_Category Pc.
pub const CONNECTOR: u8 = 8;

const HANGUL: u32 = 0xAC00;
const HANGUL_COUNT: u32 = 11_172;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11A7;

/// What a code point folds to.
#[derive(Clone, Copy)]
pub enum Fold {
    /// To itself.
    Same,
    /// To U+FFFD.
    Unassigned,
    /// To the text with this number.
    Mapped(usize),
}

macro_rules! look_up {
    ($index:ident, $blocks:ident, $code_point:expr) => {
        t::$blocks[usize::from(t::$index[($code_point >> 7) as usize]) << 7 | ($code_point & 127) as usize]
    };
}

/// Return what a code point folds to, and whether that may join what is before it.
#[inline]
pub fn fold(code_point: u32) -> (Fold, bool) {
    match look_up!(FOLD_INDEX, FOLD_BLOCKS, code_point) {
        0 => (Fold::Same, false),
        1 => (Fold::Same, true),
        2 => (Fold::Unassigned, false),
        value => (Fold::Mapped(usize::from((value - 4) >> 1)), value & 1 == 1),
    }
}

/// Return the text with a number, in UTF-8.
#[inline]
pub fn mapping(number: usize) -> &'static [u8] {
    &t::MAPPINGS[usize::from(t::MAPPING_OFFSETS[number])..usize::from(t::MAPPING_OFFSETS[number + 1])]
}

/// Return the bits WORD, CONTINUA, ALPHABETIC and CONNECTOR of a code point.
#[inline]
pub fn properties(code_point: u32) -> u8 {
    look_up!(PROPERTY_INDEX, PROPERTY_BLOCKS, code_point)
}

/// Pass each code point of the decomposition of a folded code point to `take`, with its class.
#[inline]
pub fn decompose(code_point: u32, mut take: impl FnMut(u32, u8)) {
    let syllable = code_point.wrapping_sub(HANGUL);
    if syllable < HANGUL_COUNT {
        take(LEADING + syllable / 588, 0);
        take(VOWEL + syllable % 588 / 28, 0);
        if syllable % 28 != 0 {
            take(TRAILING + syllable % 28, 0);
        }
        return;
    }
    let value = look_up!(NORMALIZATION_INDEX, NORMALIZATION_BLOCKS, code_point);
    match u8::try_from(value) {
        Ok(class) => take(code_point, class),
        Err(_) => {
            let number = usize::from(value - 256);
            let (start, end) = (t::DECOMPOSITION_OFFSETS[number], t::DECOMPOSITION_OFFSETS[number + 1]);
            code_points(&t::DECOMPOSITIONS[usize::from(start)..usize::from(end)], |part| take(part, class(part)));
        }
    }
}

/// Return the class of a code point that does not decompose.
#[inline]
fn class(code_point: u32) -> u8 {
    u8::try_from(look_up!(NORMALIZATION_INDEX, NORMALIZATION_BLOCKS, code_point)).unwrap_or(0)
}

/// Return the composite of two code points.
#[inline]
pub fn compose(first: u32, second: u32) -> Option<u32> {
    if (LEADING..LEADING + 19).contains(&first) && (VOWEL..VOWEL + 21).contains(&second) {
        return Some(HANGUL + ((first - LEADING) * 21 + second - VOWEL) * 28);
    }
    let syllable = first.wrapping_sub(HANGUL);
    if syllable < HANGUL_COUNT && syllable % 28 == 0 && (TRAILING + 1..TRAILING + 28).contains(&second) {
        return Some(first + second - TRAILING);
    }
    let pair = u64::from(first) << 21 | u64::from(second);
    t::COMPOSITION_PAIRS.binary_search(&pair).ok().map(|place| t::COMPOSITES[place])
}

/// Pass each code point of well-formed UTF-8 to `take`.
#[inline]
pub fn code_points(mut text: &[u8], mut take: impl FnMut(u32)) {
    while let Some((code_point, length)) = decode(text) {
        take(code_point);
        text = &text[length..];
    }
}

/// Append a code point in UTF-8.
#[inline]
pub fn encode(code_point: u32, out: &mut Vec<u8>) {
    let low = |shift: u32| 0x80 | (code_point >> shift & 0x3F) as u8;
    match code_point {
        0..=0x7F => out.push(code_point as u8),
        0x80..=0x7FF => out.extend_from_slice(&[0xC0 | (code_point >> 6) as u8, low(0)]),
        0x800..=0xFFFF => out.extend_from_slice(&[0xE0 | (code_point >> 12) as u8, low(6), low(0)]),
        _ => out.extend_from_slice(&[0xF0 | (code_point >> 18) as u8, low(12), low(6), low(0)]),
    }
}

/// Return the first code point of bytes, U+FFFD for an ill-formed part, and the number of its bytes.
///
/// Return None if there is none, or if the bytes are the beginning of a longer sequence.
#[inline]
pub fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let first = *bytes.first()?;
    let (length, range, head) = match first {
        0..=0x7F => return Some((u32::from(first), 1)),
        0xC2..=0xDF => (2, 0x80..=0xBF, first & 0x1F),
        0xE0 => (3, 0xA0..=0xBF, 0),
        0xED => (3, 0x80..=0x9F, 0xD),
        0xE1..=0xEF => (3, 0x80..=0xBF, first & 0xF),
        0xF0 => (4, 0x90..=0xBF, 0),
        0xF1..=0xF3 => (4, 0x80..=0xBF, first & 7),
        0xF4 => (4, 0x80..=0x8F, 4),
        _ => return Some((0xFFFD, 1)),
    };
    let second = *bytes.get(1)?;
    if !range.contains(&second) {
        return Some((0xFFFD, 1));
    }
    let mut code_point = u32::from(head) << 6 | u32::from(second & 0x3F);
    for place in 2..length {
        let byte = *bytes.get(place)?;
        if byte & 0xC0 != 0x80 {
            return Some((0xFFFD, place));
        }
        code_point = code_point << 6 | u32::from(byte & 0x3F);
    }
    Some((code_point, length))
}
