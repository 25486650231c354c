//! Links (specification, section 5).
//!
//! The head of a link, up to its first repetition without a bound, is found with a bounded number of bytes. What
//! follows it can be skipped piece by piece. A search that failed is remembered, so that the next positions of the same
//! characters need no second search.

use alloc::vec::Vec;

use crate::ascii::{self, ALNUM, HEX, HIGH, LABEL, LOCAL, SCHEME, TAIL, WORD, at, between, is, skip};

/// No head of a link, with the byte that ends it, has more bytes.
pub const LOOK_AHEAD: usize = 192;

/// What may follow the head of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing.
    End,
    /// Any number of characters of `tail`.
    Tail,
    /// Any number of `"." label`.
    Labels,
}

/// Characters that have been read: those of a class from some earlier position to `until`.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    until: usize,
}

impl Seen {
    /// Return where the characters of a class end, unless there are more than `most`.
    #[inline]
    fn end(&mut self, text: &[u8], start: usize, most: usize, class: u8) -> Option<usize> {
        let limit = start + most;
        if self.until <= limit {
            // Some more at once: words among them may ask, too.
            self.until = skip(text, self.until.max(start), limit + 3 * most, class);
        }
        (self.until <= limit).then_some(self.until)
    }
}

/// Find the heads of links, from left to right.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    local: Seen,
    scheme: Seen,
    /// The position behind an `@` that no domain follows.
    no_domain: usize,
}

impl Finder {
    /// Forget all positions.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Return where the head of the link that starts at `start` ends, and what may follow it.
    ///
    /// `word_end` is the end of the ASCII word characters at `start`. The position follows no ASCII word character.
    #[inline]
    pub fn head(&mut self, text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
        // A link goes on behind its first ASCII word characters, with one of a few characters, or is a digest.
        let next = at(text, word_end);
        let joined = is(next, ascii::JOINT) && {
            let after = at(text, word_end + 1);
            is(after, LOCAL) || matches!(after, b':' | b'@' | b'/')
        };
        if joined {
            self.joined_head(text, start, word_end)
        } else if word_end - start >= 32 {
            digest(text, start, word_end)
        } else {
            None
        }
    }

    /// The same as `head`, if a character of [`JOINT`](ascii::JOINT) follows the first word.
    pub fn joined_head(&mut self, text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
        let url = self.url(text, start);
        if url.is_some() {
            return url;
        }
        // What can follow the first word of each kind.
        match text[word_end] {
            b':' => named(text, start, word_end)
                .or_else(|| self.mail(text, if &text[start..word_end] == b"mailto" { word_end + 1 } else { start })),
            b'.' => {
                www(text, start, word_end).or_else(|| self.mail(text, start)).or_else(|| doi(text, start, word_end))
            }
            b'-' => self.mail(text, start).or_else(|| uuid(text, start, word_end)),
            _ => self.mail(text, start),
        }
        .or_else(|| digest(text, start, word_end))
    }

    #[inline]
    fn url(&mut self, text: &[u8], start: usize) -> Option<(usize, Rest)> {
        if !text[start].is_ascii_lowercase() {
            return None;
        }
        let end = self.scheme.end(text, start, 32, SCHEME)?;
        text[end..].starts_with(b"://").then_some((end + 3, Rest::Tail))
    }

    #[inline]
    fn mail(&mut self, text: &[u8], start: usize) -> Option<(usize, Rest)> {
        if !is(at(text, start), ALNUM) {
            return None;
        }
        let end = self.local.end(text, start, 64, LOCAL)?;
        if at(text, end) == b'@' { self.domain(text, end + 1) } else { None }
    }

    fn domain(&mut self, text: &[u8], domain: usize) -> Option<(usize, Rest)> {
        if domain == self.no_domain {
            return None;
        }
        let dot = skip(text, domain, domain + 63, LABEL);
        if dot == domain || at(text, dot) != b'.' || !is(at(text, dot + 1), LABEL) {
            self.no_domain = domain;
            return None;
        }
        Some((dot, Rest::Labels))
    }
}

fn named(text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
    let is_name = matches!(&text[start..word_end], b"doi" | b"urn" | b"arxiv" | b"hdl");
    (is_name && at(text, word_end) == b':' && is(at(text, word_end + 1), ALNUM)).then_some((word_end + 2, Rest::Tail))
}

fn www(text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
    if &text[start..word_end] != b"www" || at(text, word_end) != b'.' {
        return None;
    }
    let label = word_end + 1;
    let dot = skip(text, label, label + 63, LABEL);
    (dot > label && at(text, dot) == b'.').then_some((dot + 1, Rest::Tail))
}

fn doi(text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
    if &text[start..word_end] != b"10" || at(text, word_end) != b'.' {
        return None;
    }
    let mut end = digits(text, start + 3);
    if end < start + 3 + 4 {
        return None;
    }
    for _ in 0..3 {
        let next = digits(text, end + 1);
        if at(text, end) != b'.' || next == end + 1 {
            break;
        }
        end = next;
    }
    (at(text, end) == b'/' && is(at(text, end + 1), TAIL)).then_some((end + 2, Rest::Tail))
}

/// Return where at most nine digits end.
fn digits(text: &[u8], start: usize) -> usize {
    if let Some(&eight) = text.get(start..).and_then(<[u8]>::first_chunk) {
        let others = HIGH & !between(u64::from_le_bytes(eight), b'0', b'9');
        if others != 0 {
            return start + others.trailing_zeros() as usize / 8;
        }
    }
    let mut end = start;
    while end < start + 9 && at(text, end).is_ascii_digit() {
        end += 1;
    }
    end
}

fn uuid(text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
    if word_end - start != 8 {
        return None;
    }
    let mut end = start;
    for (number, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if number > 0 {
            if at(text, end) != b'-' {
                return None;
            }
            end += 1;
        }
        if skip(text, end, end + length, HEX) != end + length {
            return None;
        }
        end += length;
    }
    (!is(at(text, end), WORD)).then_some((end, Rest::End))
}

fn digest(text: &[u8], start: usize, word_end: usize) -> Option<(usize, Rest)> {
    let is_digest = (32..=128).contains(&(word_end - start)) && skip(text, start, word_end, HEX) == word_end;
    is_digest.then_some((word_end, Rest::End))
}

/// Skip what may follow the head of a link; return where it ends, and what may follow if the text goes on.
#[inline]
pub fn skip_rest(text: &[u8], mut position: usize, rest: Rest, is_last: bool) -> (usize, Rest) {
    match rest {
        Rest::End => {}
        Rest::Tail => {
            position = skip(text, position, text.len(), TAIL);
            if position == text.len() && !is_last {
                return (position, Rest::Tail);
            }
        }
        Rest::Labels => loop {
            if text.len() - position < 65 && !is_last {
                return (position, Rest::Labels);
            }
            if at(text, position) != b'.' || !is(at(text, position + 1), LABEL) {
                break;
            }
            position = skip(text, position + 1, position + 64, LABEL);
        },
    }
    (position, Rest::End)
}

/// Return a folded text with its links replaced by spaces.
pub fn remove(text: &[u8]) -> Vec<u8> {
    let (mut out, mut finder, mut position) = (Vec::with_capacity(text.len()), Finder::default(), 0);
    while position < text.len() {
        let word_end = skip(text, position, text.len(), WORD);
        let starts = word_end > position && !(position > 0 && is(text[position - 1], WORD));
        if let Some((end, rest)) = starts.then(|| finder.head(text, position, word_end)).flatten() {
            out.push(b' ');
            position = skip_rest(text, end, rest, true).0;
        } else {
            let end = word_end.max(position + 1);
            out.extend_from_slice(&text[position..end]);
            position = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    fn removed(text: &str) -> String {
        String::from_utf8(super::remove(text.as_bytes())).unwrap()
    }

    #[test]
    fn bounds() {
        let label = "l".repeat(63);
        assert_eq!(removed(&format!("a@b.{label}cc")), " cc");
        assert_eq!(
            removed(&format!("{}://b {}://b", "s".repeat(33), "s".repeat(32))),
            format!("{}://b  ", "s".repeat(33))
        );
        assert_eq!(
            removed(&format!("{}@b.c {}@b.c", "s".repeat(65), "s".repeat(64))),
            format!("{}@b.c  ", "s".repeat(65))
        );
        assert_eq!(
            removed(&format!("{} {} {}", "a".repeat(31), "a".repeat(128), "a".repeat(129))),
            format!("{}   {}", "a".repeat(31), "a".repeat(129))
        );
        assert_eq!(
            removed("10.1234/x 10.123/x 10.1234567890/x 10.1234.1.2.3/x 10.1234.1.2.3.4/x"),
            "  10.123/x 10.1234567890/x   10.1234.1.2.3.4/x"
        );
    }

    #[test]
    fn a_link_starts_behind_a_character_that_is_no_word_character() {
        assert_eq!(removed("_http://a b-http://c .http://d"), "_http://a   . ");
        assert_eq!(removed("turn:left ann@host a:// mailto:a@b.c"), "turn:left ann@host    ");
    }
}
