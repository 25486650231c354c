//! Reading and folding (specification, sections 3 and 4), in pieces of any size.
//!
//! Most code points neither join what is before them nor are joined by what follows. The last one is held back; if the
//! next one may join it, both go through the composer, which normalizes until a code point that joins nothing.

use alloc::vec::Vec;

use crate::unicode::{self, Fold};

/// The greatest number of adjacent non-starters.
const MOST_MARKS: usize = 30;
const REPLACEMENT: u32 = 0xFFFD;

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Empty,
    /// One code point of the input, which joins nothing before it.
    One(u32),
    /// The composer has begun.
    Many,
}

/// Fold bytes, piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    state: State,
    composer: Composer,
    /// The beginning of a UTF-8 sequence, at the end of the last piece.
    partial: [u8; 4],
    partial_length: usize,
}

impl Folder {
    pub fn clear(&mut self) {
        self.state = State::Empty;
        self.composer.clear();
        self.partial_length = 0;
    }

    /// Append the folded text of a piece to `out`, except its last code points.
    pub fn push(&mut self, input: &[u8], out: &mut Vec<u8>) {
        let mut at = self.complete_partial(input, out);
        while let Some(&first) = input.get(at) {
            if first < 0x80 {
                let run = ascii_length(&input[at..]);
                self.flush(out);
                lower(&input[at..at + run - 1], out);
                at += run;
                self.state = State::One(u32::from(input[at - 1]));
            } else if let Some((code_point, length)) = unicode::decode(&input[at..]) {
                self.take(code_point, out);
                at += length;
            } else {
                self.partial_length = input.len() - at;
                self.partial[..self.partial_length].copy_from_slice(&input[at..]);
                return;
            }
        }
    }

    /// Append what was held back.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.partial_length > 0 {
            self.partial_length = 0;
            self.take(REPLACEMENT, out);
        }
        self.flush(out);
    }

    /// Complete the sequence at the end of the last piece; return the number of bytes that belong to it.
    fn complete_partial(&mut self, input: &[u8], out: &mut Vec<u8>) -> usize {
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

    #[inline]
    fn take(&mut self, code_point: u32, out: &mut Vec<u8>) {
        let (_, joins) = unicode::fold(code_point);
        if !joins {
            self.flush(out);
            self.state = State::One(code_point);
            return;
        }
        if let State::One(first) = self.state {
            self.composer.take(first, out);
        }
        self.state = State::Many;
        self.composer.take(code_point, out);
    }

    #[inline]
    fn flush(&mut self, out: &mut Vec<u8>) {
        match self.state {
            State::Empty => {}
            State::One(code_point) => match unicode::fold(code_point).0 {
                Fold::Same => unicode::encode(code_point, out),
                Fold::Unassigned => unicode::encode(REPLACEMENT, out),
                Fold::Mapped(number) => out.extend_from_slice(unicode::mapping(number)),
            },
            State::Many => self.composer.flush(out),
        }
        self.state = State::Empty;
    }
}

/// SD-FOLD-3 to SD-FOLD-5 for a segment.
#[derive(Clone, Debug, Default)]
struct Composer {
    starter: Option<u32>,
    marks: Vec<(u8, u32)>,
    too_many: bool,
}

impl Composer {
    fn clear(&mut self) {
        self.starter = None;
        self.marks.clear();
        self.too_many = false;
    }

    /// Take a code point of the input.
    fn take(&mut self, code_point: u32, out: &mut Vec<u8>) {
        let mut take = |folded| unicode::decompose(folded, |part, class| self.take_part(part, class, out));
        match unicode::fold(code_point).0 {
            Fold::Same => take(code_point),
            Fold::Unassigned => take(REPLACEMENT),
            Fold::Mapped(number) => unicode::code_points(unicode::mapping(number), take),
        }
    }

    /// Take a code point of the decomposed text.
    fn take_part(&mut self, code_point: u32, class: u8, out: &mut Vec<u8>) {
        if class != 0 {
            if self.marks.len() < MOST_MARKS {
                self.marks.push((class, code_point));
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
    fn compose_marks(&mut self, out: &mut Vec<u8>) {
        if self.too_many {
            self.marks.clear();
            self.write(out);
            self.starter = Some(REPLACEMENT);
            self.too_many = false;
            return;
        }
        self.marks.sort_by_key(|&(class, _)| class);
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

    fn flush(&mut self, out: &mut Vec<u8>) {
        self.compose_marks(out);
        self.write(out);
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        if let Some(starter) = self.starter.take() {
            unicode::encode(starter, out);
        }
        for (_, mark) in self.marks.drain(..) {
            unicode::encode(mark, out);
        }
    }
}

/// Return the number of ASCII bytes at the start.
fn ascii_length(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks_exact(32).take_while(|block| block.is_ascii()).count() * 32;
    let rest = bytes[blocks..].iter().take(32).take_while(|byte| byte.is_ascii()).count();
    blocks + rest
}

/// Append ASCII bytes in lower case.
fn lower(ascii: &[u8], out: &mut Vec<u8>) {
    out.extend(ascii.iter().map(|&byte| byte | u8::from(byte.wrapping_sub(b'A') < 26) << 5));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(pieces: &[&[u8]]) -> String {
        let (mut folder, mut out) = (Folder::default(), Vec::new());
        for piece in pieces {
            folder.push(piece, &mut out);
        }
        folder.finish(&mut out);
        String::from_utf8(out).unwrap()
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
