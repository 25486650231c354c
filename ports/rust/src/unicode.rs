//! Lookups in the Unicode tables, and UTF-8.

use crate::buffer::{FIRST_OF_CONTINUA, LETTER, OTHER_WORD, ROOM, SPECIAL};
use crate::tables as t;

/// A code point is in `word.txt`.
pub const WORD: u8 = 1;
/// A code point is in `word.txt` and `continua.txt`.
pub const CONTINUA: u8 = 2;
/// A code point is in `word.txt` and `alphabetic.txt`.
pub const ALPHABETIC: u8 = 4;
/// A code point has General_Category Pc, or folds to ASCII characters that may belong to a link.
pub const CONNECTOR: u8 = 8;
/// How a code point is folded: one of the four below.
pub const ACTION: u8 = 0x30;
/// It folds to itself, and does not join what is before it.
pub const KEEP: u8 = 0;
/// It folds to itself, is a non-starter, and is not the second of two code points that compose.
pub const MARK: u8 = 0x10;
/// It folds to as many bytes, which do not join what is before them: one code point, or several ASCII characters. The
/// properties are those of all of them.
pub const SAME_LENGTH: u8 = 0x20;
/// All others.
pub const OTHER: u8 = 0x30;

const HANGUL: u32 = 0xAC00;
const HANGUL_COUNT: u32 = 11_172;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11A7;

macro_rules! look_up {
    ($index:ident, $blocks:ident, $code_point:expr) => {
        t::$blocks[(t::$index[($code_point >> 7) as usize] as usize) << 7 | ($code_point & 127) as usize]
    };
}

/// Return the number of the text that a code point is mapped to, 0 if it folds to itself; and whether what it folds to
/// may join what is before it.
#[inline]
pub fn fold(code_point: u32) -> (usize, bool) {
    let value = look_up!(FOLD_INDEX, FOLD_BLOCKS, code_point);
    (usize::from(value >> 1), value & 1 == 1)
}

/// The number of the text without a character.
pub const NOTHING: usize = 1;
/// The number of bytes that can be read from where the text of a mapping starts, or any such number of bytes behind it.
const CHUNK: usize = 16;

/// The classes of each byte of the mappings.
static MAPPING_CLASSES: [u8; t::MAPPINGS.len()] = mapping_classes();

const fn mapping_classes() -> [u8; t::MAPPINGS.len()] {
    let mut classes = [0; t::MAPPINGS.len()];
    let mut at = 0;
    while at < classes.len() {
        let first = t::MAPPINGS[at];
        let length = if first < 0x80 { 1 } else { first.leading_ones() as usize };
        let mut bytes = [0; 4];
        let mut place = 0;
        while place < length {
            bytes[place] = t::MAPPINGS[at + place];
            place += 1;
        }
        let of_bytes = classes_of(code_point(u32::from_le_bytes(bytes), length), length).to_le_bytes();
        while place > 0 {
            place -= 1;
            classes[at + place] = of_bytes[place];
        }
        at += length;
    }
    classes
}

/// Return where the text with a number starts, and the number of its bytes.
#[inline]
fn mapping(number: usize) -> (usize, usize) {
    let start = t::MAPPING_OFFSETS[number];
    (usize::from(start), usize::from(t::MAPPING_OFFSETS[number + 1] - start))
}

/// Return the first four bytes of the text with a number, or what is behind it.
#[inline]
pub fn first_of_mapping(number: usize) -> u32 {
    u32::from_le_bytes(*t::MAPPINGS[mapping(number).0..].first_chunk().expect("padding"))
}

/// Write the text with a number and the classes of its bytes; return the number of bytes. At most 48 are written.
#[inline]
pub fn copy_mapping(number: usize, place: usize, text: &mut [u8; ROOM], classes: &mut [u8; ROOM]) -> usize {
    let (start, length) = mapping(number);
    let mut at = 0;
    // Nearly all have one chunk.
    loop {
        let chunk: Option<&[u8; CHUNK]> = t::MAPPINGS[start + at..].first_chunk();
        *text[place + at..].first_chunk_mut().expect("room") = *chunk.expect("padding");
        let chunk: Option<&[u8; CHUNK]> = MAPPING_CLASSES[start + at..].first_chunk();
        *classes[place + at..].first_chunk_mut().expect("room") = *chunk.expect("padding");
        at += CHUNK;
        if at >= length {
            return length;
        }
    }
}

/// Return the text with a number.
#[inline]
pub fn mapped(number: usize) -> &'static [u8] {
    let (start, length) = mapping(number);
    &t::MAPPINGS[start..start + length]
}

/// Return the classes of the bytes of a code point of folded text.
#[inline]
pub const fn classes_of(code_point: u32, length: usize) -> u32 {
    if length == 1 { classes_of_ascii(code_point) } else { classes_of_other(properties(code_point), length) }
}

/// Return the class of an ASCII character of folded text.
#[inline]
pub const fn classes_of_ascii(code_point: u32) -> u32 {
    ASCII_CLASSES[(code_point & 127) as usize] as u32
}

/// Return the classes of the bytes of another character, with these properties.
#[inline]
pub const fn classes_of_other(properties: u8, length: usize) -> u32 {
    OTHER_CLASSES[length & 3][(properties & 15) as usize]
}

static ASCII_CLASSES: [u8; 128] = ascii_classes();
/// The classes of characters by the number of their bytes, of which 4 is 0, and their properties.
static OTHER_CLASSES: [[u32; 16]; 4] = other_classes();

const fn ascii_classes() -> [u8; 128] {
    let (mut classes, mut byte) = ([0; 128], 0);
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => LETTER,
            b'0'..=b'9' => OTHER_WORD,
            b'_' => OTHER_WORD | SPECIAL,
            b'+' | b'-' | b'.' | b'/' | b':' | b'@' | b'%' => SPECIAL,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

const fn other_classes() -> [[u32; 16]; 4] {
    let (mut classes, mut length) = ([[0; 16]; 4], 2);
    while length <= 4 {
        let all = 0x0101_0101 >> (32 - 8 * length);
        let mut properties = 0u8;
        while properties < 16 {
            let mut of_all = 0;
            if properties & ALPHABETIC != 0 {
                of_all |= LETTER;
            } else if properties & WORD != 0 {
                of_all |= OTHER_WORD;
            }
            if properties & CONNECTOR != 0 || properties & CONTINUA != 0 && length != 3 {
                of_all |= SPECIAL;
            }
            let mut of_each = all * of_all as u32;
            if properties & CONTINUA != 0 && length == 3 {
                of_each |= FIRST_OF_CONTINUA as u32;
            }
            classes[length & 3][properties as usize] = of_each;
            properties += 1;
        }
        length += 1;
    }
    classes
}

/// Return the bits WORD, CONTINUA, ALPHABETIC and CONNECTOR of a code point, and its action.
#[inline]
pub const fn properties(code_point: u32) -> u8 {
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

/// Return whether three bytes begin like a character of three bytes.
#[inline]
pub fn is_of_three(bytes: u32) -> bool {
    bytes & 0xC0_C0F0 == 0x80_80E0
}

/// Return the properties of a character of three bytes; OTHER if they are ill-formed.
#[inline]
pub fn properties_of_three(bytes: u32) -> u8 {
    let start = OF_THREE[((bytes & 0xF) << 6 | bytes >> 8 & 0x3F) as usize];
    t::PROPERTY_BLOCKS[usize::from(start) | (bytes >> 16 & 0x3F) as usize]
}

/// Return the properties of a character of four bytes, with CONNECTOR instead of CONTINUA; OTHER if they are ill-formed.
#[inline]
pub fn properties_of_four(bytes: u32) -> u8 {
    let code_point = code_point(bytes, 4);
    if bytes & 0xC0C0_C0F8 != 0x8080_80F0 || !(0x1_0000..0x11_0000).contains(&code_point) {
        return OTHER;
    }
    let properties = properties(code_point);
    if properties & CONTINUA != 0 { properties ^ (CONTINUA | CONNECTOR) } else { properties }
}

/// Return the code point of a well-formed sequence of one to four bytes.
#[inline]
pub const fn code_point(bytes: u32, length: usize) -> u32 {
    let (second, third, fourth) = (bytes >> 8 & 0x3F, bytes >> 16 & 0x3F, bytes >> 24 & 0x3F);
    match length {
        1 => bytes & 0x7F,
        2 => (bytes & 0x1F) << 6 | second,
        3 => (bytes & 0xF) << 12 | second << 6 | third,
        _ => (bytes & 7) << 18 | second << 12 | third << 6 | fourth,
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

/// Return whether a folded code point is a starter, and decomposes to starters alone or not at all.
#[inline]
pub fn is_whole(code_point: u32) -> bool {
    look_up!(NORMALIZATION_INDEX, NORMALIZATION_BLOCKS, code_point) == 0
}

/// Return the class of a code point; 0 if it decomposes, or folding maps it.
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

/// Return the code point of the two to four bytes that `bytes` begins with, and their number; None if they are ill-formed.
#[inline]
pub fn decode_well_formed(bytes: u32) -> Option<(u32, usize)> {
    if bytes & 0xC0_C0F0 == 0x80_80E0 {
        let code_point = code_point(bytes, 3);
        return (code_point >= 0x800 && code_point >> 11 != 0x1B).then_some((code_point, 3));
    }
    if bytes & 0xC0E0 == 0x80C0 {
        let code_point = code_point(bytes, 2);
        return (code_point >= 0x80).then_some((code_point, 2));
    }
    let code_point = code_point(bytes, 4);
    let is_well_formed = bytes & 0xC0C0_C0F8 == 0x8080_80F0 && (0x1_0000..0x11_0000).contains(&code_point);
    is_well_formed.then_some((code_point, 4))
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
