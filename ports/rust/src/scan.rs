//! From folded text to tokens (specification, sections 5 and 6), in pieces of any size.
//!
//! The scanner keeps the folded text from the start of the current candidate on, and the byte before its position. Most
//! words are ASCII between ASCII characters; they take a short path, which reads eight bytes at a time.

use alloc::vec::Vec;

use crate::ascii::{self, at, is};
use crate::links::{self, Finder, LOOK_AHEAD, Rest};
use crate::unicode::{self, ALPHABETIC, CONNECTOR, CONTINUA, WORD};

/// The number of bytes that can be read behind every token.
pub const PADDING: usize = 16;

/// Takes the tokens.
pub trait Sink {
    /// Take the token from `start` to `end`. At least [`PADDING`] bytes follow `start` in `text`.
    fn take(&mut self, text: &[u8], start: usize, end: usize);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    None,
    /// A stretch that is not cut further.
    Plain,
    /// A stretch of scriptio continua; the candidate is its last code point.
    Continua,
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

const NOTHING: Candidate = Candidate { kind: Kind::None, start: 0, properties: 0, is_pair: false };

/// Cut folded text into tokens.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// Folded text, to which more can be appended.
    pub text: Vec<u8>,
    position: usize,
    candidate: Candidate,
    rest: Rest,
    finder: Finder,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { text: Vec::new(), position: 0, candidate: NOTHING, rest: Rest::End, finder: Finder::default() }
    }
}

impl Scanner {
    /// Return the number of bytes that have not been read.
    pub fn unread(&self) -> usize {
        self.text.len() - self.position
    }

    /// Forget the text, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(1 << 20);
        self.position = 0;
        self.candidate = NOTHING;
        self.rest = Rest::End;
        self.finder.clear();
    }

    /// Pass the tokens of the text to the sink. All of them if this is the last piece.
    pub fn scan(&mut self, is_last: bool, sink: &mut impl Sink) {
        let mut text = core::mem::take(&mut self.text);
        let length = text.len();
        text.resize(length + PADDING, 0);
        self.scan_padded(&text, length, is_last, sink);
        text.truncate(length);
        self.text = text;
        if is_last {
            self.clear();
        } else {
            self.drop_read();
        }
    }

    /// Drop what has been read, once it is half of the text.
    fn drop_read(&mut self) {
        let open = self.candidate.kind != Kind::None;
        let before = self.position.saturating_sub(1).min(if open { self.candidate.start } else { usize::MAX });
        if before >= self.text.len() / 2 {
            self.text.drain(..before);
            self.position -= before;
            self.candidate.start = self.candidate.start.saturating_sub(before);
            self.finder.clear();
        }
    }

    fn scan_padded(&mut self, text: &[u8], length: usize, is_last: bool, sink: &mut impl Sink) {
        loop {
            if self.rest != Rest::End {
                (self.position, self.rest) = links::skip_rest(&text[..length], self.position, self.rest, is_last);
                if self.rest != Rest::End {
                    return;
                }
            }
            while self.position < length && text[self.position] < 0x80 && !is(text[self.position], ascii::WORD) {
                self.close(text, sink);
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
    sink.take(text, start, end);
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

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

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

/// Return the high bit of each of eight bytes that is from `first` to `last`, both ASCII.
#[inline]
const fn between(eight: u64, first: u8, last: u8) -> u64 {
    let low = eight & !HIGH;
    let not_below = low + ONES * (0x80 - first as u64);
    let above = low + ONES * (0x7F - last as u64);
    not_below & !above & !eight & HIGH
}
