//! Reading and folding (specification, sections 3 and 4), in pieces of any size.
//!
//! Nearly all text is copied: 64 bytes at once if they are ASCII, otherwise the bytes before a character that needs more
//! than a look-up. Where such characters are close to each other, so that few bytes of each block are used, a run takes
//! character by character: to copy what a character is mapped to costs no more than to copy the character. If a
//! character may join what is before it, the text from the last character that joins nothing is taken back and goes
//! through the composer, which normalizes until a character that joins nothing.

use alloc::vec::Vec;

use crate::buffer::{Buffer, RUN};
use crate::memory::reserve;
use crate::unicode::{self, ACTION, ALPHABETIC, CONNECTOR, CONTINUA, KEEP, MARK, NOTHING, OTHER, SAME_LENGTH, WORD};
use crate::wide;

/// The greatest number of adjacent non-starters.
const MOST_MARKS: usize = 30;
const REPLACEMENT: u32 = 0xFFFD;
/// Marks are copied only if so many bytes, at most, are before them from a character on that joins nothing: with what
/// that character decomposes to, these are fewer than 30 non-starters.
const MOST_TAIL: usize = 52;
/// The class of a last character of which only the composer knows what may follow it.
const UNKNOWN: u8 = 255;
/// Blocks of which so few bytes are read do not repay their cost: after several, a run goes on until so many simple
/// characters follow each other.
const SHORT: usize = 16;
const PATIENCE: u32 = 24;
/// If more characters of a block are mapped, a run is cheaper, too.
const MOST_MAPPED: u32 = 6;
/// The bytes of a block, and those behind it that a character may need.
pub const READ: usize = 64 + 3;
const LETTER_OF_WORD: u8 = KEEP | WORD | ALPHABETIC;
const LETTER_OF_CONTINUA: u8 = LETTER_OF_WORD | CONTINUA;
/// A letter of scriptio continua that has four bytes.
const LETTER_OF_FOUR: u8 = LETTER_OF_WORD | CONNECTOR;

/// What should fold the next characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Block,
    /// A run, until `PATIENCE` simple characters follow each other.
    Run,
    /// Whatever can fold the next character; a block cannot.
    Other,
}

/// The first bytes of characters, as bits.
#[derive(Clone, Copy, Default)]
pub struct Characters {
    pub all: u64,
    pub letters: u64,
    pub continua: u64,
    /// The number of bytes of each.
    pub length: usize,
}

/// The end of the folded text of a block: positions are those in the block, or before it.
struct End {
    /// Where it ends.
    at: usize,
    /// The class of its last character.
    class: u8,
    /// Where the tail starts.
    tail: usize,
    /// The bits of the first bytes of all characters of the block.
    starts: u64,
}

impl End {
    /// Pass over characters up to a position, which fold to themselves and join nothing.
    #[inline]
    fn pass(&mut self, end: usize) {
        if self.at < end {
            let last = 63 ^ (self.starts & u64::MAX >> (64 - end)).leading_zeros() as usize;
            (self.at, self.class, self.tail) = (end, 0, last);
        }
    }
}

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

    /// Append to `text` what is held back. Where it is folded again, the same is held back.
    pub fn held_back(&self, text: &mut Vec<u8>) {
        if self.is_composing {
            self.composer.code_points(|code_point| {
                let (bytes, length) = unicode::encode(code_point);
                text.extend_from_slice(&bytes[..length]);
            });
        }
        text.extend_from_slice(&self.partial[..self.partial_length]);
    }

    /// Append the folded text of a piece to `out`, except what the composer and an incomplete sequence hold back.
    #[inline(never)] // Inlined, it made the scanner slower, which then had too few registers.
    pub fn push(&mut self, input: &[u8], out: &mut Buffer) {
        let mut at = self.complete_partial(input, out);
        while at < input.len() {
            at += self.blocks(&input[at..], out);
            at += self.characters(&input[at..], out);
        }
    }

    /// Fold character by character, until several simple ones follow each other; return the number of bytes.
    fn characters(&mut self, input: &[u8], out: &mut Buffer) -> usize {
        let (mut at, mut simple) = (0, 0);
        while simple <= self.failures && at < input.len() {
            let rest = &input[at..];
            let (length, is_full) =
                if self.is_composing { (self.compose(rest, out), false) } else { self.run(rest, &mut simple, out) };
            at += length;
            if is_full || simple > self.failures {
                continue;
            }
            // What ends a run or a composition, or is close to the end of the piece.
            let Some((code_point, length)) = unicode::decode(&input[at..]) else {
                self.partial_length = input.len() - at;
                self.partial[..self.partial_length].copy_from_slice(&input[at..]);
                return input.len();
            };
            at += length;
            let is_simple = self.take(code_point, out);
            simple = if is_simple { simple + 1 } else { 0 };
        }
        at
    }

    /// Fold characters that do not join what is before them, and marks that stay where they are, until several simple ones
    /// follow each other. Return the number of their bytes, and whether the run ends because it is full.
    fn run(&mut self, input: &[u8], simple: &mut u32, out: &mut Buffer) -> (usize, bool) {
        let (text, classes) = out.room_for_run();
        let (mut at, mut end, mut count, failures) = (0, 0, *simple, self.failures);
        let (mut tail, mut class) = (self.tail, self.class);
        while end <= RUN && count <= failures {
            let Some(bytes) = input[at..].first_chunk() else { break };
            let bytes = u32::from_le_bytes(*bytes);
            if bytes & 0x80 == 0 {
                let folded = (bytes as u8).to_ascii_lowercase();
                text[end] = folded;
                classes[end] = unicode::classes_of_ascii(folded.into()) as u8;
                (tail, class) = (1, 0);
                at += 1;
                end += 1;
                count += 1;
                continue;
            }
            let Some((code_point, length)) = unicode::decode_well_formed(bytes) else { break };
            let properties = unicode::properties(code_point);
            match properties & ACTION {
                KEEP => (tail, class) = (length, 0),
                MARK => {
                    let own = unicode::class(code_point);
                    if own < class || tail == 0 || tail > MOST_TAIL {
                        break;
                    }
                    class = own;
                    tail += length;
                }
                _ => {
                    let (number, joins) = unicode::fold(code_point);
                    if !joins {
                        (tail, class) = (unicode::copy_mapping(number, end, text, classes), UNKNOWN);
                        end += tail;
                    } else if number != NOTHING {
                        break;
                    }
                    at += length;
                    count = 0;
                    continue;
                }
            }
            *text[end..].first_chunk_mut().expect("room") = bytes.to_le_bytes();
            *classes[end..].first_chunk_mut().expect("room") =
                unicode::classes_of_other(properties, length).to_le_bytes();
            at += length;
            end += length;
            count += 1;
        }
        (self.tail, self.class, *simple) = (tail, class, count);
        out.append_run(end);
        (at, end > RUN)
    }

    /// Pass characters to the composer that join what is before them and that neither folding nor normalization
    /// replaces; return the number of their bytes.
    fn compose(&mut self, input: &[u8], out: &mut Buffer) -> usize {
        let mut at = 0;
        while let Some(bytes) = input[at..].first_chunk() {
            let Some((code_point, length)) = unicode::decode_well_formed(u32::from_le_bytes(*bytes)) else { break };
            let class = unicode::class(code_point);
            if class != 0 {
                self.composer.take_mark(code_point, class);
            } else if unicode::is_whole(code_point) && unicode::fold(code_point) == (0, true) {
                self.composer.take_starter(code_point, out);
            } else {
                break;
            }
            at += length;
        }
        at
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
        if !self.is_composing {
            out.settle();
        }
        while !self.is_composing && at < input.len() {
            let rest = &input[at..];
            let mut copy = [0; READ];
            let block = rest.first_chunk().unwrap_or_else(|| {
                copy[..rest.len()].copy_from_slice(rest);
                &copy
            });
            let (end, next) = self.block(block, rest.len().min(64), out);
            at += end;
            if next == Next::Run {
                self.failures = PATIENCE;
                return at;
            }
            if next == Next::Other || end == 0 {
                break;
            }
        }
        self.failures = if at < SHORT { PATIENCE.min(2 * self.failures + 1) } else { 0 };
        at
    }

    /// Fold the first `limit` bytes of a block, or those before a character that is incomplete or not simple. Return
    /// the number of bytes, and what should fold those behind them.
    #[inline]
    fn block(&mut self, block: &[u8; READ], limit: usize, out: &mut Buffer) -> (usize, Next) {
        let (mut bits, high, mut firsts) = wide::ascii(block, out.room());
        if high == 0 {
            (self.tail, self.class) = (1, 0);
            out.append(limit, bits);
            return (limit, Next::Block);
        }
        firsts &= u64::MAX >> (64 - limit);
        // Without a branch, which would often be predicted wrongly: whether the last character goes on behind the limit.
        let last = 63 ^ (firsts | 1).leading_zeros() as usize;
        let is_cut = last + block[last].leading_ones() as usize > limit;
        firsts &= !(u64::from(is_cut) << last);
        let (mut end, mut next, mut read, mut letters, mut mapped, mut searched) =
            (if is_cut { last } else { limit }, Next::Block, 0, 0, 0, 0);
        // Where what is not appended yet starts, and the end of the text before it.
        let (mut start, mut end_before) = (0, (0, 0));
        let mut text_end =
            End { at: 0, class: self.class, tail: 0usize.wrapping_sub(self.tail), starts: firsts | !high };
        while firsts != 0 {
            let first = firsts & firsts.wrapping_neg();
            let at = first.trailing_zeros() as usize & 63;
            let scripts = wide::scripts(block[at]);
            if scripts & !searched != 0 {
                searched |= scripts;
                let found = wide::characters(scripts, block);
                let all = u64::MAX >> (64 - found.length);
                letters |= (found.letters & firsts).wrapping_mul(all);
                bits.continua |= found.continua & firsts;
                read |= (found.all & firsts).wrapping_mul(all);
                firsts &= !found.all;
                continue;
            }
            firsts ^= first;
            let four = u32::from_le_bytes(*block[at..].first_chunk().expect("four bytes"));
            let (properties, length, all) = if four & 0x20 == 0 {
                (unicode::properties_of_two(four), 2, first.wrapping_mul(3))
            } else if unicode::is_of_three(four) {
                (unicode::properties_of_three(four), 3, first.wrapping_mul(7))
            } else {
                (unicode::properties_of_four(four), 4, first.wrapping_mul(15))
            };
            // Nearly all characters have one of these values.
            if properties == LETTER_OF_WORD {
                letters |= all;
            } else if properties == LETTER_OF_CONTINUA {
                bits.continua |= first;
                letters |= all;
            } else if properties == LETTER_OF_FOUR {
                bits.special |= all;
                letters |= all;
            } else if properties != KEEP {
                if properties & ACTION == OTHER {
                    let (number, joins) =
                        unicode::decode_well_formed(four).map_or((0, true), |(c, _)| unicode::fold(c));
                    let is_ill_formed = high & !read & (first - 1) != 0;
                    if joins && number != NOTHING || is_ill_formed {
                        (end, next) = (at, Next::Other);
                        break;
                    }
                    text_end.pass(at);
                    bits.words |= letters;
                    bits.letters |= letters;
                    out.append(at - start, bits.behind(start));
                    let written = out.insert_mapping(length, number);
                    start = at + length;
                    text_end.at = start;
                    if joins {
                        text_end.tail = text_end.tail.wrapping_add(length);
                    } else {
                        (text_end.tail, text_end.class) = (start.wrapping_sub(written), UNKNOWN);
                    }
                    end_before = (text_end.tail, text_end.class);
                    read |= all;
                    mapped += 1;
                    continue;
                }
                let set = |bit: u8| if properties & bit != 0 { all } else { 0 };
                bits.words |= set(WORD);
                bits.letters |= set(ALPHABETIC);
                bits.continua |= first & set(CONTINUA);
                bits.special |= set(CONNECTOR);
                if properties & ACTION == SAME_LENGTH {
                    mapped += 1;
                    let folded = unicode::first_of_mapping(unicode::fold(unicode::code_point(four, length)).0);
                    out.room()[at - start..][..length].copy_from_slice(&folded.to_le_bytes()[..length]);
                    if folded & 0x80 == 0 {
                        // Several ASCII characters.
                        read |= all;
                        (text_end.tail, text_end.class, text_end.at) = (at + length - 1, 0, at + length);
                        continue;
                    }
                } else if properties & ACTION == MARK {
                    text_end.pass(at);
                    let own = unicode::class(unicode::code_point(four, length));
                    let before = at.wrapping_sub(text_end.tail);
                    if own < text_end.class || before == 0 || before > MOST_TAIL {
                        (end, next) = (at, Next::Other);
                        break;
                    }
                    read |= all;
                    (text_end.class, text_end.at) = (own, at + length);
                    continue;
                }
            }
            read |= all;
            (text_end.tail, text_end.class, text_end.at) = (at, 0, at + length);
        }
        bits.words |= letters;
        bits.letters |= letters;
        if end == 0 {
            return (0, Next::Other);
        }
        // A byte that belongs to no sequence.
        let others = (read & high ^ high) & u64::MAX >> (64 - end);
        if others != 0 {
            if start > 0 {
                // What is before `start` is folded; the rest begins a block.
                (self.tail, self.class) = (start.wrapping_sub(end_before.0), end_before.1);
                return (start, Next::Block);
            }
            let end = others.trailing_zeros() as usize;
            let folded = if end == 0 { 0 } else { self.block(block, end, out).0 };
            return (folded, Next::Other);
        }
        text_end.pass(end);
        (self.tail, self.class) = (end.wrapping_sub(text_end.tail), text_end.class);
        out.append(end - start, bits.behind(start));
        (end, if mapped > MOST_MAPPED { Next::Run } else { next })
    }

    /// Take a code point of the input; return whether it was simple.
    fn take(&mut self, code_point: u32, out: &mut Buffer) -> bool {
        let (number, joins) = if code_point < 0x80 { (0, false) } else { unicode::fold(code_point) };
        if joins {
            self.join(code_point, number, out);
            return false;
        }
        self.flush(out);
        if number != 0 {
            (self.tail, self.class) = (out.put_mapping(number), UNKNOWN);
            return false;
        }
        let code_point =
            if code_point < 0x80 { u32::from((code_point as u8).to_ascii_lowercase()) } else { code_point };
        (self.tail, self.class) = (out.push(code_point), 0);
        true
    }

    /// Take a code point of the input that may join what is before it.
    fn join(&mut self, code_point: u32, number: usize, out: &mut Buffer) {
        if number == NOTHING {
            return;
        }
        if !self.is_composing {
            if number == 0 && self.stays(code_point, out) {
                return;
            }
            self.is_composing = true;
            let start = out.len() - self.tail;
            self.composer.take_back(start, out);
            self.tail = 0;
        }
        self.composer.take(code_point, number, out);
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
    /// The class of each mark, its number, and its code point, so that their order is that of integers.
    marks: Vec<u64>,
    is_sorted: bool,
    too_many: bool,
    taken_back: Vec<u8>,
}

impl Composer {
    fn clear(&mut self) {
        self.starter = None;
        self.marks.clear();
        self.too_many = false;
    }

    /// Pass the code points to a function.
    fn code_points(&self, mut take: impl FnMut(u32)) {
        self.starter.into_iter().for_each(&mut take);
        self.marks.iter().for_each(|&mark| take(mark as u32));
        if self.too_many {
            // One more than there may be, whichever it is.
            self.marks.last().into_iter().for_each(|&mark| take(mark as u32));
        }
    }

    /// Take the end of the folded text.
    fn take_back(&mut self, start: usize, out: &mut Buffer) {
        self.is_sorted = true;
        let tail = &out.text()[start..];
        match unicode::decode(tail) {
            Some((code_point, length)) if length == tail.len() && unicode::is_whole(code_point) => {
                self.starter = Some(code_point);
                out.truncate(start);
                return;
            }
            _ => {}
        }
        let mut bytes = core::mem::take(&mut self.taken_back);
        bytes.clear();
        reserve(&mut bytes, tail.len());
        bytes.extend_from_slice(tail);
        out.truncate(start);
        unicode::code_points(&bytes, |folded| {
            unicode::decompose(folded, |part, class| self.take_part(part, class, out));
        });
        self.taken_back = bytes;
    }

    /// Take a code point of the input, and the number of the text that it is mapped to.
    fn take(&mut self, code_point: u32, number: usize, out: &mut Buffer) {
        let mut take = |folded| unicode::decompose(folded, |part, class| self.take_part(part, class, out));
        if number == 0 {
            take(code_point);
        } else {
            unicode::code_points(unicode::mapped(number), take);
        }
    }

    /// Take a mark of the decomposed text.
    #[inline]
    fn take_mark(&mut self, code_point: u32, class: u8) {
        let number = self.marks.len();
        if number == MOST_MARKS {
            self.too_many = true;
            return;
        }
        let mark = u64::from(class) << 40 | (number as u64) << 32 | u64::from(code_point);
        self.is_sorted &= self.marks.last().is_none_or(|&last| last < mark);
        self.marks.push(mark);
    }

    /// Take a code point of the decomposed text.
    fn take_part(&mut self, code_point: u32, class: u8, out: &mut Buffer) {
        if class != 0 {
            self.take_mark(code_point, class);
        } else {
            self.take_starter(code_point, out);
        }
    }

    /// Take a starter of the decomposed text.
    fn take_starter(&mut self, code_point: u32, out: &mut Buffer) {
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
        if !self.is_sorted {
            self.marks.sort_unstable();
            self.is_sorted = true;
        }
        let starter = &mut self.starter;
        let mut last = 0;
        self.marks.retain(|&mark| {
            let class = mark >> 40;
            if last < class {
                if let Some(composite) = starter.and_then(|first| unicode::compose(first, mark as u32)) {
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
        let marks = self.marks.drain(..).map(|mark| mark as u32);
        out.push_all(self.starter.take().into_iter().chain(marks));
    }
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
    fn a_block_may_end_anywhere_in_a_sequence() {
        let sequences: [&[u8]; 8] =
            ["é".as_bytes(), "東".as_bytes(), "𠀀".as_bytes(), b"\xE6\x9D", b"\xF0\xA0\x80", b"\x9D", b"\xC0", b"\xFF"];
        for first in sequences {
            for second in sequences {
                for length in 0..130 {
                    let text = [&b"-".repeat(length), first, second, b"-"].concat();
                    assert_eq!(folded(&[&text]), String::from_utf8_lossy(&text), "{text:X?}");
                    assert_eq!(folded(&[&text[..text.len() - 1]]) + "-", String::from_utf8_lossy(&text), "{text:X?}");
                }
            }
        }
    }

    #[test]
    fn runs_fold_what_blocks_and_single_characters_fold() {
        let characters = ["\u{fdfa}", "…", "ﬃ", "\u{378}", "\u{ad}", "𝐀", "𐐀", "𠀀", "ＡÄ", "。", "A", "ß ", "東"];
        for first in characters {
            for second in characters {
                let expected = folded(&[first.as_bytes()]) + &folded(&[second.as_bytes()]);
                let text = format!("{first}{second}").repeat(90);
                assert_eq!(folded(&[text.as_bytes()]), expected.repeat(90), "{first} {second}");
            }
        }
    }

    #[test]
    fn marks_are_sorted_composed_and_bounded() {
        assert_eq!(folded(&["E\u{301}\u{323}".as_bytes()]), "\u{1EB9}\u{301}");
        let marks = "\u{301}".repeat(30);
        assert_eq!(folded(&[b"a", marks.as_bytes()]), format!("\u{e1}{}", &marks[2..]));
        assert_eq!(folded(&[b"a", marks.as_bytes(), "\u{301}".as_bytes()]), "a\u{FFFD}");
    }
}
