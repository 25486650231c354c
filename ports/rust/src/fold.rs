//! Reading and folding (specification, sections 3 and 4), in pieces of any size.
//!
//! Nearly all text is copied: 64 bytes at once if they are ASCII, otherwise the bytes before a character that needs more
//! than a look-up. Such a character is folded alone. If it may join what is before it, the text from the last character
//! that joins nothing is taken back and goes through the composer, which normalizes until a character that joins
//! nothing.

use alloc::vec::Vec;

use crate::buffer::{Bits, Buffer};
use crate::unicode::{self, ACTION, ALPHABETIC, CONTINUA, Fold, KEEP, MARK, OTHER, SAME_LENGTH, WORD};

/// The greatest number of adjacent non-starters.
const MOST_MARKS: usize = 30;
const REPLACEMENT: u32 = 0xFFFD;
/// Marks are copied only if so many bytes, at most, are before them from a character on that joins nothing: with what
/// that character decomposes to, these are fewer than 30 non-starters.
const MOST_TAIL: usize = 52;
/// The class of a last character of which only the composer knows what may follow it.
const UNKNOWN: u8 = 255;
/// Blocks of which so few bytes are read do not repay their cost: after several, so many simple characters are folded
/// alone before the next one.
const SHORT: usize = 16;
const PATIENCE: u32 = 8;
/// The bytes of a block, and those behind it that a character may need.
const READ: usize = 64 + 3;
const LETTER_OF_WORD: u8 = KEEP | WORD | ALPHABETIC;
const LETTER_OF_CONTINUA: u8 = LETTER_OF_WORD | CONTINUA;

/// Fold bytes, piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The length of the end of the folded text that may change: the last character that joins nothing, and the marks
    /// behind it; 0 if there is none.
    tail: usize,
    /// The class of the last character.
    class: u8,
    failures: u32,
    /// Whether the composer has characters.
    is_composing: bool,
    composer: Composer,
    /// The beginning of a UTF-8 sequence, at the end of the last piece.
    partial: [u8; 4],
    partial_length: usize,
}

impl Folder {
    pub fn clear(&mut self) {
        self.tail = 0;
        self.is_composing = false;
        self.composer.clear();
        self.partial_length = 0;
    }

    /// Return the length of the end of the folded text that may change when more is folded.
    pub fn tail(&self) -> usize {
        self.tail
    }

    /// Append the folded text of a piece to `out`, except what the composer and an incomplete sequence hold back.
    pub fn push(&mut self, input: &[u8], out: &mut Buffer) {
        let mut at = self.complete_partial(input, out);
        while at < input.len() {
            let length = self.blocks(&input[at..], out);
            at += length;
            self.failures = if length < SHORT { PATIENCE.min(2 * self.failures + 1) } else { 0 };
            let mut simple = 0;
            while simple <= self.failures && at < input.len() {
                let Some((code_point, length)) = unicode::decode(&input[at..]) else {
                    self.partial_length = input.len() - at;
                    self.partial[..self.partial_length].copy_from_slice(&input[at..]);
                    return;
                };
                at += length;
                let is_simple = self.take(code_point, out);
                simple = if is_simple || self.failures == 0 { simple + 1 } else { 0 };
            }
        }
    }

    /// Append what was held back.
    pub fn finish(&mut self, out: &mut Buffer) {
        if self.partial_length > 0 {
            self.partial_length = 0;
            self.take(REPLACEMENT, out);
        }
        self.flush(out);
        self.tail = 0;
    }

    /// Complete the sequence at the end of the last piece; return the number of bytes that belong to it.
    fn complete_partial(&mut self, input: &[u8], out: &mut Buffer) -> usize {
        let before = self.partial_length;
        if before == 0 {
            return 0;
        }
        let added = input.len().min(4 - before);
        self.partial[before..before + added].copy_from_slice(&input[..added]);
        if let Some((code_point, length)) = unicode::decode(&self.partial[..before + added]) {
            self.partial_length = 0;
            self.take(code_point, out);
            length - before
        } else {
            self.partial_length += added;
            added
        }
    }

    /// Fold block by block; return the number of bytes before a character that has to be folded alone.
    fn blocks(&mut self, input: &[u8], out: &mut Buffer) -> usize {
        let mut at = 0;
        while !self.is_composing && at < input.len() {
            let rest = &input[at..];
            let mut copy = [0; READ];
            let block = rest.first_chunk().unwrap_or_else(|| {
                copy[..rest.len()].copy_from_slice(rest);
                &copy
            });
            let (end, is_simple) = self.block(block, rest.len().min(64), out);
            at += end;
            if !is_simple || end == 0 {
                break;
            }
        }
        at
    }

    /// Fold the first `limit` bytes of a block, or those before a character that is incomplete or not simple. Return
    /// the number of bytes, and whether all characters were simple.
    #[inline]
    fn block(&mut self, block: &[u8; READ], limit: usize, out: &mut Buffer) -> (usize, bool) {
        let target = out.room();
        let (mut bits, high, mut firsts) = ascii_block(block, target);
        if high == 0 {
            (self.tail, self.class) = (1, 0);
            out.append(limit, bits);
            return (limit, true);
        }
        firsts &= u64::MAX >> (64 - limit);
        let (mut end, mut is_simple, mut read, mut letters) = (limit, true, 0, 0);
        // The end and the class of the last character, and where the tail starts, which may be before the block.
        let (mut after, mut class, mut tail) = (0, self.class, 0usize.wrapping_sub(self.tail));
        while firsts != 0 {
            let first = firsts & firsts.wrapping_neg();
            firsts ^= first;
            let at = first.trailing_zeros() as usize & 63;
            let four = u32::from_le_bytes(*block[at..].first_chunk().expect("four bytes"));
            let (mut properties, mut length, mut all) = if four & 0x20 == 0 {
                (unicode::properties_of_two(four), 2, first.wrapping_mul(3))
            } else {
                (unicode::properties_of_three(four), 3, first.wrapping_mul(7))
            };
            if at + length > limit {
                end = at;
                break;
            }
            // Nearly all characters have one of these values.
            if properties == LETTER_OF_WORD {
                letters |= all;
            } else if properties == LETTER_OF_CONTINUA {
                bits.continua |= first;
                letters |= all;
            } else if properties != KEEP {
                if let (OTHER, Some((code_point, 4))) = (properties, unicode::decode(&block[at..at + 4])) {
                    (properties, length, all) = (unicode::properties(code_point), 4, first.wrapping_mul(15));
                }
                if properties & ACTION == OTHER || at + length > limit {
                    (end, is_simple) = (at, properties & ACTION != OTHER);
                    break;
                }
                let set = |bit: u8| if properties & bit != 0 { all } else { 0 };
                bits.words |= set(WORD);
                bits.letters |= set(ALPHABETIC);
                if length == 3 {
                    bits.continua |= first & set(CONTINUA);
                } else {
                    bits.special |= set(CONTINUA);
                }
                if properties & ACTION == SAME_LENGTH {
                    let folded = unicode::folded(unicode::code_point(four, length));
                    target[at..at + length].copy_from_slice(&folded[..length]);
                } else if properties & ACTION == MARK {
                    if after != at {
                        (tail, class) = (at - 1, 0);
                    }
                    let own = unicode::class(unicode::code_point(four, length));
                    let before = at.wrapping_sub(tail);
                    if own < class || before == 0 || before > MOST_TAIL {
                        (end, is_simple) = (at, false);
                        break;
                    }
                    read |= all;
                    (class, after) = (own, at + length);
                    continue;
                }
            }
            read |= all;
            (tail, class, after) = (at, 0, at + length);
        }
        bits.words |= letters;
        bits.letters |= letters;
        if end == 0 {
            return (0, false);
        }
        // A byte that belongs to no sequence.
        let others = (read & high ^ high) & u64::MAX >> (64 - end);
        if others != 0 {
            let end = others.trailing_zeros() as usize;
            return if end == 0 { (0, false) } else { (self.block(block, end, out).0, false) };
        }
        if after < end {
            (tail, class) = (end - 1, 0);
        }
        (self.tail, self.class) = (end.wrapping_sub(tail), class);
        out.append(end, bits);
        (end, is_simple)
    }

    /// Take a code point of the input; return whether it was simple.
    #[inline]
    fn take(&mut self, code_point: u32, out: &mut Buffer) -> bool {
        let is_ascii = code_point < 0x80;
        if is_ascii || unicode::properties(code_point) & ACTION == KEEP {
            self.flush(out);
            let code_point = if is_ascii { u32::from((code_point as u8).to_ascii_lowercase()) } else { code_point };
            self.tail = out.push(code_point);
            self.class = 0;
            return true;
        }
        self.take_other(code_point, out);
        false
    }

    fn take_other(&mut self, code_point: u32, out: &mut Buffer) {
        let (fold, joins) = unicode::fold(code_point);
        if !joins {
            self.flush(out);
            self.class = 0;
            self.tail = match fold {
                Fold::Same => out.push(code_point),
                Fold::Unassigned => out.push(REPLACEMENT),
                Fold::Mapped(number) => {
                    self.class = UNKNOWN;
                    out.push_text(unicode::mapping(number))
                }
            };
            return;
        }
        if matches!(fold, Fold::Mapped(number) if unicode::mapping(number).is_empty()) {
            return;
        }
        if !self.is_composing {
            if matches!(fold, Fold::Same) && self.stays(code_point, out) {
                return;
            }
            self.is_composing = true;
            let start = out.len() - self.tail;
            self.composer.take_back(start, out);
            self.tail = 0;
        }
        self.composer.take(code_point, out);
    }

    /// Append a code point that may join what is before it, if it does not; return whether it does not.
    fn stays(&mut self, code_point: u32, out: &mut Buffer) -> bool {
        let Some((starter, length)) = unicode::decode(&out.text()[out.len() - self.tail..]) else {
            return false;
        };
        let own = unicode::class(code_point);
        if self.class == UNKNOWN || own < self.class || self.tail > MOST_TAIL {
            return false;
        }
        let is_mark = unicode::properties(code_point) & ACTION == MARK;
        if !is_mark && (unicode::decomposes(code_point) || unicode::compose(starter, code_point).is_some()) {
            return false;
        }
        if own == 0 {
            // Only a mark that has gone into the starter could be between them.
            if length < self.tail {
                return false;
            }
            self.tail = 0;
        } else if !is_mark && unicode::decomposes(starter) {
            return false;
        }
        self.tail += out.push(code_point);
        self.class = own;
        true
    }

    #[inline]
    fn flush(&mut self, out: &mut Buffer) {
        if self.is_composing {
            self.composer.flush(out);
            self.is_composing = false;
        }
    }
}

/// SD-FOLD-3 to SD-FOLD-5 for a segment.
#[derive(Clone, Debug, Default)]
struct Composer {
    starter: Option<u32>,
    marks: Vec<(u8, u32)>,
    too_many: bool,
    taken_back: Vec<u8>,
}

impl Composer {
    fn clear(&mut self) {
        self.starter = None;
        self.marks.clear();
        self.too_many = false;
    }

    /// Take the end of the folded text.
    fn take_back(&mut self, start: usize, out: &mut Buffer) {
        let mut bytes = core::mem::take(&mut self.taken_back);
        bytes.clear();
        bytes.extend_from_slice(&out.text()[start..]);
        out.truncate(start);
        unicode::code_points(&bytes, |folded| {
            unicode::decompose(folded, |part, class| self.take_part(part, class, out));
        });
        self.taken_back = bytes;
    }

    /// Take a code point of the input.
    fn take(&mut self, code_point: u32, out: &mut Buffer) {
        let mut take = |folded| unicode::decompose(folded, |part, class| self.take_part(part, class, out));
        match unicode::fold(code_point).0 {
            Fold::Same => take(code_point),
            Fold::Unassigned => take(REPLACEMENT),
            Fold::Mapped(number) => unicode::code_points(unicode::mapping(number), take),
        }
    }

    /// Take a code point of the decomposed text.
    fn take_part(&mut self, code_point: u32, class: u8, out: &mut Buffer) {
        if class != 0 {
            if self.marks.len() < MOST_MARKS {
                // Nearly all are in order.
                let place = self.marks.iter().rposition(|&(before, _)| before <= class).map_or(0, |place| place + 1);
                self.marks.insert(place, (class, code_point));
            } else {
                self.too_many = true;
            }
            return;
        }
        self.compose_marks(out);
        if self.marks.is_empty() {
            if let Some(composite) = self.starter.and_then(|starter| unicode::compose(starter, code_point)) {
                self.starter = Some(composite);
                return;
            }
        }
        self.write(out);
        self.starter = Some(code_point);
    }

    /// Compose the starter with the marks behind it, and keep the other marks.
    fn compose_marks(&mut self, out: &mut Buffer) {
        if self.too_many {
            self.marks.clear();
            self.write(out);
            self.starter = Some(REPLACEMENT);
            self.too_many = false;
            return;
        }
        if self.marks.is_empty() {
            return;
        }
        let starter = &mut self.starter;
        let mut last = 0;
        self.marks.retain(|&(class, mark)| {
            if last < class {
                if let Some(composite) = starter.and_then(|first| unicode::compose(first, mark)) {
                    *starter = Some(composite);
                    return false;
                }
            }
            last = class;
            true
        });
    }

    fn flush(&mut self, out: &mut Buffer) {
        self.compose_marks(out);
        self.write(out);
    }

    fn write(&mut self, out: &mut Buffer) {
        if let Some(starter) = self.starter.take() {
            out.push(starter);
        }
        for (_, mark) in self.marks.drain(..) {
            out.push(mark);
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// The classes of a byte: letters, other ASCII word characters, and what may belong to a link.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const SPECIAL: u8 = 4;

/// Write 64 bytes in lower case to `target`. Return the bits of the ASCII characters, and those of the other bytes and of
/// the first bytes of sequences.
#[inline]
fn ascii_block(block: &[u8; READ], target: &mut [u8; 64]) -> (Bits, u64, u64) {
    let mut classes = [0; 64];
    for ((&byte, target), class) in block.iter().zip(target).zip(&mut classes) {
        let lower = byte | u8::from(byte.wrapping_sub(b'A') < 26) << 5;
        *target = lower;
        let set = |condition: bool, class: u8| if condition { class } else { 0 };
        *class = set(lower.wrapping_sub(b'a') < 26, LETTER)
            | set(byte.wrapping_sub(b'0') < 10, DIGIT)
            | set(byte == b'_', DIGIT | SPECIAL)
            | set(byte.wrapping_sub(b'+') < 5, SPECIAL)
            | set(byte == b':', SPECIAL)
            | set(byte == b'@', SPECIAL)
            | set(byte == b'%', SPECIAL);
    }
    let (mut all, mut any) = (0, 0);
    for place in 0..8 {
        all |= eight(block, place);
        any |= eight(&classes, place);
    }
    let letters = gather(|place| eight(&classes, place));
    let gather_if = |class: u8| {
        if any & (ONES * u64::from(class)) == 0 {
            0
        } else {
            gather(|place| eight(&classes, place) >> class.trailing_zeros())
        }
    };
    let bits = Bits { words: letters | gather_if(DIGIT), letters, special: gather_if(SPECIAL), continua: 0 };
    if all & ONES << 7 == 0 {
        return (bits, 0, 0);
    }
    let high = gather(|place| eight(block, place) >> 7);
    let firsts = gather(|place| eight(block, place) >> 7 & eight(block, place) >> 6);
    (bits, high, firsts)
}

/// Return eight of the bytes.
#[inline]
fn eight(bytes: &[u8], place: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[8 * place..8 * place + 8]);
    u64::from_le_bytes(eight)
}

/// Return the lowest bits of 64 bytes, of which `get` gives eight.
#[inline]
fn gather(get: impl Fn(usize) -> u64) -> u64 {
    (0..8).map(|place| (get(place) & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * place)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(pieces: &[&[u8]]) -> String {
        let (mut folder, mut out) = (Folder::default(), Buffer::default());
        for piece in pieces {
            folder.push(piece, &mut out);
        }
        folder.finish(&mut out);
        String::from_utf8(out.text().to_vec()).unwrap()
    }

    #[test]
    fn a_sequence_may_be_cut_anywhere() {
        assert_eq!(folded(&[b"\xF0\x9F", b"", b"\x98\x80\xE2", b"\x82a"]), "\u{1F600}\u{FFFD}a");
    }

    #[test]
    fn marks_are_sorted_composed_and_bounded() {
        assert_eq!(folded(&["E\u{301}\u{323}".as_bytes()]), "\u{1EB9}\u{301}");
        let marks = "\u{301}".repeat(30);
        assert_eq!(folded(&[b"a", marks.as_bytes()]), format!("\u{e1}{}", &marks[2..]));
        assert_eq!(folded(&[b"a", marks.as_bytes(), "\u{301}".as_bytes()]), "a\u{FFFD}");
    }
}
