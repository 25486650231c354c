//! From folded text to tokens (specification, sections 5 and 6), in pieces of any size.
//!
//! The buffer keeps the folded text from the start of the current candidate on, and the byte before the position of the
//! scanner. Nearly all tokens are found in the bits of 64 bytes: the ends of a word are two instructions apart, whatever
//! its length. What may be a link, has connectors, or is long takes the other path, character by character.

use crate::ascii::{self, HIGH, at, between, is};
use crate::buffer::{Bits, Buffer, PADDING};
use crate::links::{self, Finder, LOOK_AHEAD, Rest};
use crate::unicode::{self, ALPHABETIC, CONNECTOR, CONTINUA, WORD};

/// The greatest number of tokens that a block of 64 bytes may have.
pub const MOST_TOKENS: usize = 40;
/// Longer words may be digests, and take the other path.
const LONG: usize = 32;
/// Blocks of which so few bytes are read do not repay their cost: after several, so many words take the other path before
/// the next one.
const SHORT: usize = 16;
const PATIENCE: u32 = 8;

/// Takes the tokens.
pub trait Sink {
    /// Whether the order of the tokens does not matter.
    const ANY_ORDER: bool;
    /// Prepare for [`MOST_TOKENS`] calls of `take`.
    fn prepare(&mut self, _text: &[u8]) {}
    /// Take the token from `start` to `end` if `is_token`. At least 16 bytes follow `start` in `text`.
    fn take(&mut self, is_token: bool, text: &[u8], start: usize, end: usize);
    /// Finish with all tokens: the text is about to change.
    fn finish(&mut self, _text: &[u8]) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None,
    /// A stretch that is not cut further.
    Plain,
    /// A stretch of scriptio continua; the candidate is its last code point.
    Continua,
}

/// Why blocks are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    No,
    /// A word has to take the other path.
    Word,
    /// The head of a link, with its end and what may follow.
    Link(usize, Rest),
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    kind: Kind,
    start: usize,
    /// The properties of its code points, combined.
    properties: u8,
    /// Whether a stretch of scriptio continua has more than one code point.
    is_pair: bool,
}

/// How reading goes on, as a byte (see `begun`): with the rest of a link, by its place here, or behind a character of
/// scriptio continua that has been the second of a pair.
const RESTS: [Rest; 3] = [Rest::End, Rest::Tail, Rest::Labels];
const SECOND: u8 = 3;
/// Added to it if the first byte is a character of a word that has been read.
const INSIDE: u8 = 4;

const NOTHING: Candidate = Candidate { kind: Kind::None, start: 0, properties: 0, is_pair: false };

/// Cut folded text into tokens.
#[derive(Clone, Debug)]
pub struct Scanner {
    position: usize,
    candidate: Candidate,
    rest: Rest,
    finder: Finder,
    /// So many words take the other path before the next block.
    patience: u32,
    failures: u32,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { position: 0, candidate: NOTHING, rest: Rest::End, finder: Finder::default(), patience: 0, failures: 0 }
    }
}

impl Scanner {
    /// Forget the text.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Return how reading goes on, and from where on it needs the text. A word that has no end yet is read again.
    pub fn begun(&self, text: &[u8]) -> (u8, usize) {
        let start = match self.candidate.kind {
            Kind::None => self.position,
            Kind::Plain => self.candidate.start,
            Kind::Continua if self.candidate.is_pair => return (SECOND, self.candidate.start),
            Kind::Continua => self.candidate.start,
        };
        let rest = RESTS.iter().position(|&rest| rest == self.rest).unwrap_or_default() as u8;
        if start > 0 && is(text[start - 1], ascii::WORD) { (rest + INSIDE, start - 1) } else { (rest, start) }
    }

    /// Return a scanner that goes on so with a text; None if it cannot be.
    pub fn resume(begun: u8, text: &[u8]) -> Option<Self> {
        if begun == SECOND {
            let (code_point, position) = unicode::decode(text)?;
            let properties = unicode::properties(code_point);
            let candidate = Candidate { kind: Kind::Continua, start: 0, properties, is_pair: true };
            return (properties & CONTINUA != 0).then(|| Self { position, candidate, ..Self::default() });
        }
        let position = usize::from(begun >= INSIDE);
        let rest = *RESTS.get(usize::from(begun) - position * usize::from(INSIDE))?;
        text.get(..position)?.is_ascii().then(|| Self { position, rest, ..Self::default() })
    }

    /// Return the number of bytes that have been read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Pass the tokens of the text, up to `length`, to the sink. All of them if this is the last piece.
    pub fn scan(&mut self, text: &mut Buffer, length: usize, is_last: bool, sink: &mut impl Sink) {
        text.hold(length);
        self.scan_padded(text, is_last, sink);
        sink.finish(text.padded());
        text.release();
        if !is_last {
            self.drop_read(text);
        }
    }

    /// Drop what has been read, once it is half of the text.
    fn drop_read(&mut self, text: &mut Buffer) {
        let open = self.candidate.kind != Kind::None;
        let before = self.position.saturating_sub(1).min(if open { self.candidate.start } else { usize::MAX });
        if before >= text.len() / 2 {
            let dropped = text.drop_start(before);
            self.position -= dropped;
            self.candidate.start = self.candidate.start.saturating_sub(dropped);
            self.finder.clear();
        }
    }

    fn scan_padded<S: Sink>(&mut self, buffer: &Buffer, is_last: bool, sink: &mut S) {
        let (text, length) = (buffer.padded(), buffer.len());
        loop {
            if self.rest != Rest::End {
                (self.position, self.rest) = links::skip_rest(&text[..length], self.position, self.rest, is_last);
                if self.rest != Rest::End {
                    return;
                }
            }
            if S::ANY_ORDER && self.candidate.kind != Kind::Plain {
                if self.patience > 0 {
                    self.patience -= 1;
                } else if self.blocks(buffer, is_last, sink) {
                    continue;
                }
            }
            let is_separator = |at: usize| at < length && text[at] < 0x80 && !is(text[at], ascii::WORD);
            if self.candidate.kind != Kind::None && is_separator(self.position) {
                self.close(text, sink);
                continue;
            }
            while is_separator(self.position) {
                self.position += 1;
            }
            if self.position >= length {
                if is_last {
                    self.close(text, sink);
                }
                return;
            }
            if text[self.position] >= 0x80 {
                self.other(text, sink);
            } else if !self.ascii_word(text, length, is_last, sink) {
                return;
            }
        }
    }

    /// Pass the tokens of blocks of 64 bytes to the sink, up to a word that has to take the other path, or up to the head
    /// of a link. Return whether it is the latter.
    fn blocks(&mut self, buffer: &Buffer, is_last: bool, sink: &mut impl Sink) -> bool {
        let (text, length, begun) = (buffer.padded(), buffer.len(), self.position);
        // What follows a word decides whether it may begin a link.
        let readable = if is_last { length } else { length.saturating_sub(64 + 2) };
        while self.position < readable {
            sink.prepare(text);
            let (end, stop) = self.block(&text[..length + PADDING], buffer.bits(self.position), is_last, sink);
            self.position = (self.position + end).min(length);
            if stop != Stop::No {
                let is_short = self.position - begun < SHORT;
                self.failures = if is_short { PATIENCE.min(2 * self.failures + 1) } else { 0 };
                self.patience = self.failures;
                if let Stop::Link(end, rest) = stop {
                    self.close(text, sink);
                    (self.position, self.rest) = (end, rest);
                    return true;
                }
                return false;
            }
        }
        false
    }

    /// Pass the tokens of 64 bytes to the sink, up to a word that does not end here, or to what `blocks` stops at. Return
    /// the number of bytes.
    #[inline]
    fn block(&mut self, text: &[u8], bits: Bits, is_last: bool, sink: &mut impl Sink) -> (usize, Stop) {
        let start = self.position;
        // All bytes of scriptio continua.
        let unspaced = bits.continua | bits.continua << 1 | bits.continua << 2;
        let spaced = bits.words & !unspaced;
        let joints = bits.special & !bits.words;
        // Connectors, and what follows a word that may be the beginning of a link.
        let careful = bits.special & bits.words | joints & (bits.words | bits.special) >> 1 | joints & 1 << 63;
        // Characters of scriptio continua are read if the next one is in the block, too.
        let (mut end, mut stop, mut rest) = (64, Stop::No, spaced);
        if unspaced >> 61 != 0 {
            end = 63 - bits.continua.leading_zeros() as usize;
            rest &= u64::MAX >> (64 - end);
        }
        while rest != 0 {
            // Adding the first bit of a word carries over all of its bits, to the one behind it.
            let first = rest & rest.wrapping_neg();
            let word = rest & !rest.wrapping_add(first);
            let behind = word.wrapping_add(first);
            let at = first.trailing_zeros() as usize;
            if behind == 0 {
                (end, stop) = (at, if at > 0 { Stop::No } else { Stop::Word });
                break;
            }
            let after = behind.trailing_zeros() as usize;
            if after - at >= LONG || careful & (word | behind) != 0 {
                stop = if after - at >= LONG || careful & word != 0 {
                    Stop::Word
                } else {
                    self.link(text, start + at, start + after, is_last)
                };
                if stop != Stop::No {
                    end = at;
                    break;
                }
            }
            sink.take(bits.letters & word != 0, text, start + at, start + after);
            rest ^= word;
        }
        if bits.continua != 0 || self.candidate.kind == Kind::Continua {
            self.pairs(text, bits, unspaced, end, sink);
        }
        (end, stop)
    }

    /// Stop if the word from `start` to `end`, which a character of links follows, begins a link or may have one.
    fn link(&mut self, text: &[u8], start: usize, end: usize, is_last: bool) -> Stop {
        let text = &text[..text.len() - PADDING];
        let is_known = is_last || start + LOOK_AHEAD <= text.len();
        let is_inside = start > 0 && is(text[start - 1], ascii::WORD);
        let is_ascii = match text[start..].first_chunk() {
            Some(&eight) if end - start <= 8 => u64::from_le_bytes(eight) << (64 - 8 * (end - start)) & HIGH == 0,
            _ => text[start..end].is_ascii(),
        };
        if !is_known || is_inside || !is_ascii {
            return Stop::Word;
        }
        self.finder.joined_head(text, start, end).map_or(Stop::No, |(end, rest)| Stop::Link(end, rest))
    }

    /// Pass the tokens of scriptio continua before `end` to the sink.
    #[inline]
    fn pairs(&mut self, text: &[u8], bits: Bits, unspaced: u64, end: usize, sink: &mut impl Sink) {
        if end == 0 {
            return;
        }
        let start = self.position;
        let is_open = self.candidate.kind == Kind::Continua;
        if is_open && unspaced & 1 == 0 {
            self.close(text, sink);
        }
        let inside = u64::MAX >> (64 - end);
        let mut rest = bits.continua & inside;
        // Another character may continue the stretch, if it takes the other path.
        let followers = unspaced | bits.special & bits.words;
        let seconds = unspaced << 1 | u64::from(is_open);
        let (mut before, mut before_is_letter) = (self.candidate.start, self.candidate.properties & ALPHABETIC != 0);
        let (mut is_second, mut follows) = (self.candidate.is_pair, false);
        while rest != 0 {
            let first = rest & rest.wrapping_neg();
            rest ^= first;
            is_second = seconds & first != 0;
            follows = followers & first << 3 != 0;
            let (is_letter, at) = (bits.letters & first != 0, start + first.trailing_zeros() as usize);
            let is_token = is_letter & !follows | is_second & (is_letter | before_is_letter);
            sink.take(is_token, text, if is_second { before } else { at }, at + 3);
            (before, before_is_letter) = (at, is_letter);
        }
        self.candidate = NOTHING;
        if follows && before + 3 == start + end {
            let properties = WORD | CONTINUA | if before_is_letter { ALPHABETIC } else { 0 };
            self.candidate = Candidate { kind: Kind::Continua, start: before, properties, is_pair: is_second };
        }
    }

    /// Read ASCII word characters, or the head of a link; return false if that needs more text.
    #[inline]
    fn ascii_word(&mut self, text: &[u8], length: usize, is_last: bool, sink: &mut impl Sink) -> bool {
        let start = self.position;
        let starts = start == 0 || !is(text[start - 1], ascii::WORD);
        if starts && !is_last && start + LOOK_AHEAD > length {
            return false;
        }
        let (end, has_letter) = word_end(text, start);
        if starts {
            if let Some((end, rest)) = self.finder.head(&text[..length], start, end) {
                self.close(text, sink);
                self.position = end;
                self.rest = rest;
                return true;
            }
        }
        self.position = end;
        let properties = if has_letter { ALPHABETIC } else { 0 };
        if self.candidate.kind == Kind::None && text[end] < 0x80 && (end < length || is_last) {
            emit(text, start, end, properties, sink);
            return true;
        }
        if self.candidate.kind != Kind::Plain {
            self.close_at(text, start, sink);
            self.candidate = Candidate { kind: Kind::Plain, start, ..NOTHING };
        }
        self.candidate.properties |= properties;
        true
    }

    /// Read a code point outside ASCII.
    fn other(&mut self, text: &[u8], sink: &mut impl Sink) {
        let start = self.position;
        let Some((code_point, bytes)) = unicode::decode(&text[start..]) else {
            return;
        };
        let properties = unicode::properties(code_point);
        let kind = match properties & (WORD | CONTINUA) {
            0 => Kind::None,
            WORD => Kind::Plain,
            _ => Kind::Continua,
        };
        if kind != self.candidate.kind {
            self.close_at(text, start, sink);
            self.candidate = Candidate { kind, start, properties, is_pair: false };
        } else if kind == Kind::Plain {
            self.candidate.properties |= properties;
        } else if kind == Kind::Continua {
            emit(text, self.candidate.start, start + bytes, self.candidate.properties | properties, sink);
            self.candidate = Candidate { kind, start, properties, is_pair: true };
        }
        self.position = start + bytes;
        if kind == Kind::Continua {
            self.others_of_continua(text, sink);
        }
    }

    /// Read the code points of four bytes that continue a stretch of scriptio continua.
    fn others_of_continua(&mut self, text: &[u8], sink: &mut impl Sink) {
        let (mut at, mut candidate) = (self.position, self.candidate);
        while let Some(bytes) = text[at..].first_chunk() {
            let bytes = u32::from_le_bytes(*bytes);
            if bytes & 0xF8 != 0xF0 {
                break;
            }
            let properties = unicode::properties(unicode::code_point(bytes, 4));
            if properties & CONTINUA == 0 {
                break;
            }
            sink.prepare(text);
            let is_token = (candidate.properties | properties) & ALPHABETIC != 0;
            sink.take(is_token, text, candidate.start, at + 4);
            candidate = Candidate { kind: Kind::Continua, start: at, properties, is_pair: true };
            at += 4;
        }
        (self.position, self.candidate) = (at, candidate);
    }

    #[inline]
    fn close(&mut self, text: &[u8], sink: &mut impl Sink) {
        self.close_at(text, self.position, sink);
    }

    #[inline]
    fn close_at(&mut self, text: &[u8], end: usize, sink: &mut impl Sink) {
        if self.candidate.kind != Kind::None {
            if !self.candidate.is_pair {
                emit(text, self.candidate.start, end, self.candidate.properties, sink);
            }
            self.candidate = NOTHING;
        }
    }
}

/// SD-FILTER-1 and SD-FILTER-2. No connector is alphabetic, so the order of the two does not matter.
#[inline]
fn emit(text: &[u8], mut start: usize, mut end: usize, properties: u8, sink: &mut impl Sink) {
    if properties & ALPHABETIC == 0 {
        return;
    }
    if properties & CONNECTOR != 0 || text[start] == b'_' || text[end - 1] == b'_' {
        while let Some(length) = first_connector(&text[start..end]) {
            start += length;
        }
        while let Some(length) = last_connector(&text[start..end]) {
            end -= length;
        }
    }
    sink.prepare(text);
    sink.take(true, text, start, end);
}

fn first_connector(text: &[u8]) -> Option<usize> {
    let (code_point, length) = unicode::decode(text)?;
    (unicode::properties(code_point) & CONNECTOR != 0).then_some(length)
}

fn last_connector(text: &[u8]) -> Option<usize> {
    let mut start = text.len().checked_sub(1)?;
    while start > 0 && text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    first_connector(&text[start..])
}

/// Return where the ASCII word characters at `start` end, and whether one of them is a letter.
#[inline]
fn word_end(text: &[u8], start: usize) -> (usize, bool) {
    let (mut end, mut has_letter) = (start, false);
    while let Some(bytes) = text.get(end..end + 8) {
        let mut eight = [0; 8];
        eight.copy_from_slice(bytes);
        let eight = u64::from_le_bytes(eight);
        let letters = between(eight, b'a', b'z');
        let others = HIGH & !(letters | between(eight, b'0', b'9') | between(eight, b'_', b'_'));
        let before = if others == 0 { u64::MAX } else { (others & others.wrapping_neg()) - 1 };
        has_letter |= letters & before != 0;
        if others != 0 {
            return (end + others.trailing_zeros() as usize / 8, has_letter);
        }
        end += 8;
    }
    while is(at(text, end), ascii::WORD) {
        has_letter |= text[end].is_ascii_lowercase();
        end += 1;
    }
    (end, has_letter)
}
