//! Folded text with the classes of its characters.
//!
//! The classes are bits, one of each kind per byte of the text, because the scanner finds the ends of all words of 64
//! bytes in them without a branch for each character. All bytes of a character have its bits.

use alloc::vec::Vec;

use crate::ascii;
use crate::unicode::{self, ALPHABETIC, CONNECTOR, CONTINUA, WORD};

/// The number of bytes that can be read behind the text, and behind each token.
pub const PADDING: usize = 128;

/// The bits of 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// Word characters.
    pub words: u64,
    /// Alphabetic ones.
    pub letters: u64,
    /// The first bytes of characters of scriptio continua that have three bytes.
    pub continua: u64,
    /// What may belong to a link, may be trimmed, or needs care for another reason.
    pub special: u64,
}

impl Bits {
    /// Return the bits of a code point of folded text, which has `length` bytes.
    #[inline]
    fn of(code_point: u32, length: usize) -> Self {
        let all = (1 << length) - 1;
        let set = |condition: bool| if condition { all } else { 0 };
        if length == 1 {
            let byte = code_point as u8;
            return Self {
                words: set(ascii::is(byte, ascii::WORD)),
                letters: set(byte.is_ascii_lowercase()),
                continua: 0,
                special: set(ascii::is(byte, ascii::JOINT) || byte == b'/' || byte == b'_'),
            };
        }
        let properties = unicode::properties(code_point);
        let is_continua = properties & CONTINUA != 0;
        Self {
            words: set(properties & WORD != 0),
            letters: set(properties & ALPHABETIC != 0),
            continua: u64::from(is_continua && length == 3),
            special: set(properties & CONNECTOR != 0 || is_continua && length != 3),
        }
    }
}

/// Folded text with the classes of its characters, to which more can be appended.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// The text, and room behind it.
    bytes: Vec<u8>,
    /// The bits of each 64 bytes. Those behind the text have any value.
    bits: Vec<Bits>,
    length: usize,
    /// What `hold` has cut off.
    held: Vec<u8>,
    held_bits: Vec<Bits>,
}

impl Buffer {
    /// Return the number of bytes of the text.
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Return the text.
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Return the text, and at least [`PADDING`] bytes behind it.
    #[inline]
    pub fn padded(&self) -> &[u8] {
        &self.bytes
    }

    /// Forget the text, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        self.length = 0;
        if self.bytes.len() > 1 << 20 {
            *self = Self::default();
        }
    }

    /// Make room for more bytes, and for [`PADDING`] behind them.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        if self.length + more + PADDING > self.bytes.len() {
            self.grow(self.length + more + PADDING);
        }
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        let size = least.max(self.bytes.len() * 2);
        self.bytes.resize(size, 0);
        self.bits.resize(size / 64 + 2, Bits::default());
    }

    /// Return room for 64 bytes behind the text. `append` appends them.
    #[inline]
    pub fn room(&mut self) -> &mut [u8; 64] {
        self.reserve(64);
        let length = self.length;
        self.bytes[length..].first_chunk_mut().expect("room")
    }

    /// Append what was written to `room`: at most 64 bytes, of which these are the bits.
    #[inline]
    pub fn append(&mut self, length: usize, bits: Bits) {
        self.put_bits(length, bits);
        self.length += length;
    }

    /// Append a code point of folded text; return the number of its bytes.
    #[inline]
    pub fn push(&mut self, code_point: u32) -> usize {
        let (bytes, length) = unicode::encode(code_point);
        self.room()[..4].copy_from_slice(&bytes);
        self.append(length, Bits::of(code_point, length));
        length
    }

    /// Append folded text of at most 64 bytes; return their number.
    #[inline]
    pub fn push_text(&mut self, text: &[u8]) -> usize {
        let (mut bits, mut rest) = (Bits::default(), text);
        if text.iter().all(u8::is_ascii_lowercase) {
            let all = u64::MAX >> (64 - text.len());
            (bits, rest) = (Bits { words: all, letters: all, ..bits }, &[]);
        }
        while let Some((code_point, length)) = unicode::decode(rest) {
            let (one, at) = (Bits::of(code_point, length), text.len() - rest.len());
            bits.words |= one.words << at;
            bits.letters |= one.letters << at;
            bits.continua |= one.continua << at;
            bits.special |= one.special << at;
            rest = &rest[length..];
        }
        self.room()[..text.len()].copy_from_slice(text);
        self.append(text.len(), bits);
        text.len()
    }

    /// Shorten the text.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.length = length;
    }

    /// Set the bits of the next bytes, at most 64.
    #[inline]
    fn put_bits(&mut self, length: usize, bits: Bits) {
        let (place, shift) = (self.length / 64, self.length % 64);
        let [first, second] = self.bits[place..].first_chunk_mut::<2>().expect("room");
        let below = (1 << shift) - 1;
        let put = |old: u64, new: u64| old & below | new << shift;
        first.words = put(first.words, bits.words);
        first.letters = put(first.letters, bits.letters);
        first.continua = put(first.continua, bits.continua);
        first.special = put(first.special, bits.special);
        if shift + length <= 64 {
            return;
        }
        let rest = |new: u64| new >> 1 >> (63 - shift);
        second.words = rest(bits.words);
        second.letters = rest(bits.letters);
        second.continua = rest(bits.continua);
        second.special = rest(bits.special);
    }

    /// Return the bits of 64 bytes.
    #[inline]
    pub fn bits(&self, start: usize) -> Bits {
        let (place, shift) = (start / 64, start % 64);
        let [first, second] = self.bits[place..].first_chunk::<2>().expect("bits");
        let join = |first: u64, second: u64| first >> shift | second << 1 << (63 - shift);
        Bits {
            words: join(first.words, second.words),
            letters: join(first.letters, second.letters),
            continua: join(first.continua, second.continua),
            special: join(first.special, second.special),
        }
    }

    /// Let the text end at `length`, with zeros behind it, until `release` puts the rest back.
    pub fn hold(&mut self, length: usize) {
        self.held.clear();
        self.held.extend_from_slice(&self.bytes[length..self.length]);
        self.held_bits.clear();
        for start in (length..self.length).step_by(64) {
            let bits = self.bits(start);
            self.held_bits.push(bits);
        }
        self.length = length;
        self.reserve(0);
        self.bytes[length..length + PADDING].fill(0);
        for _ in 0..PADDING / 64 {
            self.put_bits(64, Bits::default());
            self.length += 64;
        }
        self.length = length;
    }

    /// Put back what `hold` has cut off.
    pub fn release(&mut self) {
        let end = self.length + self.held.len();
        self.reserve(self.held.len());
        self.bytes[self.length..end].copy_from_slice(&self.held);
        for place in 0..self.held_bits.len() {
            self.put_bits(64, self.held_bits[place]);
            self.length = end.min(self.length + 64);
        }
    }

    /// Drop a multiple of 64 bytes, at most `most`, from the start of the text; return how many.
    pub fn drop_start(&mut self, most: usize) -> usize {
        let blocks = most / 64;
        self.bytes.copy_within(blocks * 64..self.length, 0);
        self.bits.copy_within(blocks..self.length.div_ceil(64) + 1, 0);
        self.length -= blocks * 64;
        blocks * 64
    }
}
