//! Folded text with the classes of its characters.
//!
//! The classes are bits, one of each kind per byte of the text, because the scanner finds the ends of all words of 64
//! bytes in them without a branch for each character. All bytes of a character have its bits.
//!
//! What is appended character by character has its classes as bytes first, because a byte is stored where it belongs
//! without a shift; the bits of 64 of them are then gathered at once.

use alloc::vec::Vec;

use crate::fold::READ;
use crate::memory::{copy, reserve};
use crate::unicode::{self, NOTHING};
use crate::wide;

/// The number of bytes that can be read behind the text, and behind each token.
pub const PADDING: usize = 128;
/// The classes of a byte, of which the bits are made: a word character is alphabetic or another one.
pub const LETTER: u8 = 1;
pub const OTHER_WORD: u8 = 2;
pub const SPECIAL: u8 = 4;
pub const FIRST_OF_CONTINUA: u8 = 8;
/// The number of bytes whose classes may wait.
const MOST_WAITING: usize = 192;
/// The number of bytes of a run before the last character, and the room for it with all that is written.
pub const RUN: usize = 64;
pub const ROOM: usize = 128;

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
    /// Return the bits of the classes of 64 bytes.
    #[inline(always)]
    pub fn of(classes: &[u8; 64]) -> Self {
        let any = (0..8).fold(0, |any, place| any | eight(classes, place));
        let bits_if = |class: u8| {
            if any & (ONES * u64::from(class)) == 0 { 0 } else { wide::bits(classes, class.trailing_zeros()) }
        };
        let letters = bits_if(LETTER);
        Self {
            words: letters | bits_if(OTHER_WORD),
            letters,
            continua: bits_if(FIRST_OF_CONTINUA),
            special: bits_if(SPECIAL),
        }
    }

    /// Return the bits of the classes of eight bytes.
    fn of_eight(classes: u64) -> Self {
        let bits = |class: u8| gather_eight(classes >> class.trailing_zeros());
        let letters = bits(LETTER);
        Self { words: letters | bits(OTHER_WORD), letters, continua: bits(FIRST_OF_CONTINUA), special: bits(SPECIAL) }
    }

    /// Return the bits from a number on.
    #[inline]
    pub fn behind(self, start: usize) -> Self {
        let shift = |bits: u64| bits.checked_shr(start as u32).unwrap_or(0);
        Self {
            words: shift(self.words),
            letters: shift(self.letters),
            continua: shift(self.continua),
            special: shift(self.special),
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Return eight of the bytes.
#[inline]
pub fn eight(bytes: &[u8], place: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[8 * place..8 * place + 8]);
    u64::from_le_bytes(eight)
}

/// Return the lowest bits of eight bytes.
#[inline]
pub fn gather_eight(bytes: u64) -> u64 {
    (bytes & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Folded text with the classes of its characters, to which more can be appended.
#[derive(Debug)]
pub struct Buffer {
    /// The text, and room behind it.
    bytes: Vec<u8>,
    /// The bits of each 64 bytes. Those behind the text have any value.
    bits: Vec<Bits>,
    length: usize,
    /// The classes of the last bytes, of which the bits are not there yet.
    waiting: [u8; MOST_WAITING + ROOM],
    waiting_length: usize,
    /// What `hold` has cut off.
    held: Vec<u8>,
    held_bits: Vec<Bits>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            bits: Vec::new(),
            length: 0,
            waiting: [0; MOST_WAITING + ROOM],
            waiting_length: 0,
            held: Vec::new(),
            held_bits: Vec::new(),
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self {
            bytes: copy(&self.bytes),
            bits: copy(&self.bits),
            held: copy(&self.held),
            held_bits: copy(&self.held_bits),
            ..*self
        }
    }
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
        self.waiting_length = 0;
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
        let (more, blocks) = (size - self.bytes.len(), size / 64 + 2);
        let more_blocks = blocks - self.bits.len();
        reserve(&mut self.bytes, more);
        reserve(&mut self.bits, more_blocks);
        self.bytes.resize(size, 0);
        self.bits.resize(blocks, Bits::default());
    }

    /// Return room for the bytes of a block behind the text. `append` appends at most 64 of them.
    #[inline]
    pub fn room(&mut self) -> &mut [u8; READ] {
        self.reserve(64);
        let length = self.length;
        self.bytes[length..].first_chunk_mut().expect("room")
    }

    /// Append what was written to `room`: at most 64 bytes, of which these are the bits. No classes may wait.
    #[inline]
    pub fn append(&mut self, length: usize, bits: Bits) {
        self.put_bits(length, bits);
        self.length += length;
    }

    /// Append a code point of folded text; return the number of its bytes.
    #[inline]
    pub fn push(&mut self, code_point: u32) -> usize {
        let (bytes, length) = unicode::encode(code_point);
        let (text, classes) = self.room_for_run();
        text[..4].copy_from_slice(&bytes);
        classes[..4].copy_from_slice(&unicode::classes_of(code_point, length).to_le_bytes());
        self.append_run(length);
        length
    }

    /// Append up to 32 code points of folded text.
    pub fn push_all(&mut self, code_points: impl Iterator<Item = u32>) {
        let (text, classes) = self.room_for_run();
        let mut end = 0;
        for code_point in code_points {
            let (bytes, length) = unicode::encode(code_point);
            *text[end..].first_chunk_mut().expect("room") = bytes;
            *classes[end..].first_chunk_mut().expect("room") = unicode::classes_of(code_point, length).to_le_bytes();
            end += length;
        }
        self.append_run(end);
    }

    /// Append the text with a number; return the number of its bytes.
    pub fn put_mapping(&mut self, number: usize) -> usize {
        let (text, classes) = self.room_for_run();
        let length = unicode::copy_mapping(number, 0, text, classes);
        self.append_run(length);
        length
    }

    /// Put the text with a number between the end of the text and what `room` has behind `skipped` bytes; return the
    /// number of its bytes.
    pub fn insert_mapping(&mut self, skipped: usize, number: usize) -> usize {
        let rest: [u8; 64] = *self.bytes[self.length + skipped..].first_chunk().expect("room");
        if number == NOTHING {
            self.room()[..64].copy_from_slice(&rest);
            return 0;
        }
        let text = self.bytes[self.length..].first_chunk_mut().expect("room");
        let length = unicode::copy_mapping(number, 0, text, self.waiting.first_chunk_mut().expect("room"));
        if length <= 8 {
            self.append(length, Bits::of_eight(eight(&self.waiting, 0)));
        } else {
            self.append_run(length);
            self.gather();
        }
        self.room()[..64].copy_from_slice(&rest);
        length
    }

    /// Return room for text, and for the classes of its bytes. `append_run` appends them.
    #[inline]
    pub fn room_for_run(&mut self) -> (&mut [u8; ROOM], &mut [u8; ROOM]) {
        if self.waiting_length > MOST_WAITING || self.length + PADDING > self.bytes.len() {
            self.settle();
            self.reserve(2 * MOST_WAITING);
        }
        let text = self.bytes[self.length..].first_chunk_mut().expect("room");
        (text, self.waiting[self.waiting_length..].first_chunk_mut().expect("room"))
    }

    /// Append what was written to the room for a run.
    #[inline]
    pub fn append_run(&mut self, length: usize) {
        self.length += length;
        self.waiting_length += length;
    }

    /// Set the bits of the bytes of which the classes wait.
    #[inline]
    pub fn settle(&mut self) {
        if self.waiting_length > 0 {
            self.gather();
        }
    }

    fn gather(&mut self) {
        let (mut start, end) = (0, self.waiting_length);
        self.length -= end;
        if end <= 8 {
            self.append(end, Bits::of_eight(eight(&self.waiting, 0)));
            start = end;
        }
        while start < end {
            let bits = Bits::of(self.waiting[start..].first_chunk().expect("64 classes"));
            let length = 64.min(end - start);
            self.append(length, bits);
            start += length;
        }
        self.waiting_length = 0;
    }

    /// Shorten the text.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        self.waiting_length = self.waiting_length.saturating_sub(self.length - length);
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
        self.settle();
        self.held.clear();
        reserve(&mut self.held, self.length - length);
        self.held.extend_from_slice(&self.bytes[length..self.length]);
        self.held_bits.clear();
        reserve(&mut self.held_bits, (self.length - length).div_ceil(64));
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
