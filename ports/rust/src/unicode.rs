//! Lookups in the Unicode tables, and UTF-8.

use crate::tables as t;

/// A code point is in `word.txt`.
pub const WORD: u8 = 1;
/// A code point is in `word.txt` and `continua.txt`.
pub const CONTINUA: u8 = 2;
/// A code point is in `word.txt` and `alphabetic.txt`.
pub const ALPHABETIC: u8 = 4;
/// A code point has General_Category Pc.
pub const CONNECTOR: u8 = 8;
/// How a code point is folded: one of the four below.
pub const ACTION: u8 = 0x30;
/// It folds to itself, and does not join what is before it.
pub const KEEP: u8 = 0;
/// It folds to itself, is a non-starter, and is not the second of two code points that compose.
pub const MARK: u8 = 0x10;
/// It folds to one code point that has as many bytes and does not join what is before it. The properties are its.
pub const SAME_LENGTH: u8 = 0x20;
/// All others, and connectors.
pub const OTHER: u8 = 0x30;

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

/// Return the text that a code point is mapped to.
#[inline]
pub fn folded(code_point: u32) -> &'static [u8] {
    match fold(code_point).0 {
        Fold::Mapped(number) => mapping(number),
        _ => &[],
    }
}

/// Return the bits WORD, CONTINUA, ALPHABETIC and CONNECTOR of a code point, and its action.
#[inline]
pub fn properties(code_point: u32) -> u8 {
    look_up!(PROPERTY_INDEX, PROPERTY_BLOCKS, code_point)
}

/// The properties of what two bytes encode, `first & 0x1F` and `second`; OTHER if they are ill-formed.
static OF_TWO: [u8; 1 << 13] = of_two();
/// Where the properties of 64 code points begin, by the 10 bits that the first two of three bytes have; those of
/// surrogates, which are OTHER, if the bytes are ill-formed.
static OF_THREE: [u16; 1 << 10] = of_three();

const fn of_two() -> [u8; 1 << 13] {
    let (mut properties, mut place) = ([OTHER; 1 << 13], 2 << 8);
    while place < 1 << 13 {
        if place & 0xC0 == 0x80 {
            let code_point = place >> 8 << 6 | place & 0x3F;
            properties[place] =
                t::PROPERTY_BLOCKS[(t::PROPERTY_INDEX[code_point >> 7] as usize) << 7 | code_point & 127];
            assert!(properties[place] & CONTINUA == 0);
        }
        place += 1;
    }
    properties
}

const fn of_three() -> [u16; 1 << 10] {
    let (mut starts, mut place) = ([0; 1 << 10], 0);
    while place < 1 << 10 {
        let block = if place < 0x800 >> 6 { 0xD800 >> 6 } else { place };
        let start = (t::PROPERTY_INDEX[block >> 1] as usize) << 7 | (block & 1) << 6;
        assert!(start < 1 << 16);
        starts[place] = start as u16;
        place += 1;
    }
    starts
}

/// Return the properties of the character of two bytes that begins with `bytes`; OTHER if they are ill-formed.
#[inline]
pub fn properties_of_two(bytes: u32) -> u8 {
    OF_TWO[((bytes & 0x1F) << 8 | bytes >> 8 & 0xFF) as usize]
}

/// Return the properties of the character of three bytes that begins with `bytes`; OTHER if they are ill-formed.
///
/// The first byte is 0xE0 to 0xFF.
#[inline]
pub fn properties_of_three(bytes: u32) -> u8 {
    if bytes & 0xC0_C0F0 != 0x80_80E0 {
        return OTHER;
    }
    let start = OF_THREE[((bytes & 0xF) << 6 | bytes >> 8 & 0x3F) as usize];
    t::PROPERTY_BLOCKS[usize::from(start) | (bytes >> 16 & 0x3F) as usize]
}

/// Return the code point of a well-formed sequence of two to four bytes.
#[inline]
pub fn code_point(bytes: u32, length: usize) -> u32 {
    let low = |place: u32| bytes >> (8 * place) & 0x3F;
    match length {
        2 => (bytes & 0x1F) << 6 | low(1),
        3 => (bytes & 0xF) << 12 | low(1) << 6 | low(2),
        _ => (bytes & 7) << 18 | low(1) << 12 | low(2) << 6 | low(3),
    }
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

/// Return whether a folded code point has a decomposition.
#[inline]
pub fn decomposes(code_point: u32) -> bool {
    code_point.wrapping_sub(HANGUL) < HANGUL_COUNT
        || look_up!(NORMALIZATION_INDEX, NORMALIZATION_BLOCKS, code_point) >= 256
}

/// Return the class of a code point; 0 if it decomposes.
#[inline]
pub fn class(code_point: u32) -> u8 {
    u8::try_from(look_up!(NORMALIZATION_INDEX, NORMALIZATION_BLOCKS, code_point)).unwrap_or(0)
}

/// The numbers of the pairs that compose, plus 1, in a hash table; 0 is free.
static PAIR_SLOTS: [u16; 1 << 12] = pair_slots();

const fn pair_slots() -> [u16; 1 << 12] {
    let (mut slots, mut place) = ([0; 1 << 12], 0);
    while place < t::COMPOSITION_PAIRS.len() {
        let mut slot = slot_of(t::COMPOSITION_PAIRS[place]);
        while slots[slot] != 0 {
            slot = (slot + 1) % slots.len();
        }
        place += 1;
        slots[slot] = place as u16;
    }
    slots
}

const fn slot_of(pair: u64) -> usize {
    (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize
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
    let mut slot = slot_of(pair);
    loop {
        match PAIR_SLOTS[slot] {
            0 => return None,
            number if t::COMPOSITION_PAIRS[usize::from(number) - 1] == pair => {
                return Some(t::COMPOSITES[usize::from(number) - 1]);
            }
            _ => slot = (slot + 1) % PAIR_SLOTS.len(),
        }
    }
}

/// Pass each code point of well-formed UTF-8 to `take`.
#[inline]
pub fn code_points(mut text: &[u8], mut take: impl FnMut(u32)) {
    while let Some((code_point, length)) = decode(text) {
        take(code_point);
        text = &text[length..];
    }
}

/// Return a code point in UTF-8: four bytes, and how many of them are used.
#[inline]
pub fn encode(code_point: u32) -> ([u8; 4], usize) {
    let low = |shift: u32| 0x80 | (code_point >> shift & 0x3F) as u8;
    match code_point {
        0..=0x7F => ([code_point as u8, 0, 0, 0], 1),
        0x80..=0x7FF => ([0xC0 | (code_point >> 6) as u8, low(0), 0, 0], 2),
        0x800..=0xFFFF => ([0xE0 | (code_point >> 12) as u8, low(6), low(0), 0], 3),
        _ => ([0xF0 | (code_point >> 18) as u8, low(12), low(6), low(0)], 4),
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
