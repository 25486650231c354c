use alloc::vec;
use alloc::vec::Vec;

use crate::buffer::Buffer;
use crate::counts::Table;
use crate::fold::Folder;
use crate::memory::reserve;
use crate::scan::Scanner;
use crate::sums::Sums;
use crate::{Error, Fingerprint, Scheme};

/// The number of bytes that are folded before the tokens of them are counted.
const PIECE: usize = 1 << 14;

/// Takes a document in pieces of any size.
///
/// A piece may end anywhere: inside a character, a word, a link. Memory is in proportion to the distinct tokens.
///
/// ```
/// use simhash_doc::{fingerprint, Accumulator, Scheme};
///
/// let mut accumulator = Accumulator::new();
/// accumulator.push(b"The caf\xC3");
/// accumulator.push(b"\xA9 op");
/// accumulator.push("ens");
/// assert_eq!(accumulator.fingerprint(Scheme::Sd256), fingerprint("The café opens", Scheme::Sd256));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    folder: Folder,
    text: Buffer,
    scanner: Scanner,
    counts: TokenCounts,
}

impl Accumulator {
    /// Return an accumulator of no text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Append a piece: a text, or bytes in UTF-8.
    pub fn push(&mut self, piece: impl AsRef<[u8]>) {
        for part in piece.as_ref().chunks(PIECE) {
            self.folder.push(part, &mut self.text);
            let end = self.text.len() - self.folder.tail();
            if end >= self.scanner.position() + PIECE {
                self.scanner.scan(&mut self.text, end, false, &mut self.counts.table);
            }
        }
    }

    /// Forget the text, and return the tokens of a document. The memory is kept, unless it is large: this is the fastest
    /// way to process many documents.
    ///
    /// ```
    /// use simhash_doc::{fingerprint, Accumulator, Scheme};
    ///
    /// let mut accumulator = Accumulator::new();
    /// for document in ["The café opens", "The café closes"] {
    ///     let tokens = accumulator.count(document);
    ///     assert_eq!(tokens.total(), 3);
    ///     assert_eq!(tokens.fingerprint(Scheme::Sd64), fingerprint(document, Scheme::Sd64));
    /// }
    /// ```
    pub fn count(&mut self, document: impl AsRef<[u8]>) -> &TokenCounts {
        let document = document.as_ref();
        self.clear();
        self.counts.table.expect(document.len());
        self.push(document);
        self.complete();
        &self.counts
    }

    /// Count the tokens at the end of the text.
    fn complete(&mut self) {
        self.folder.finish(&mut self.text);
        let end = self.text.len();
        self.scanner.scan(&mut self.text, end, true, &mut self.counts.table);
    }

    /// Add the tokens of another text, as if both were separated by a space. More can be appended to this text.
    ///
    /// ```
    /// use simhash_doc::{fingerprint, Accumulator, Scheme};
    ///
    /// let (mut first, mut second) = (Accumulator::new(), Accumulator::new());
    /// first.push("one tw");
    /// second.push("three");
    /// first.merge(second);
    /// first.push("o");
    /// assert_eq!(first.fingerprint(Scheme::Sd64), fingerprint("one two three", Scheme::Sd64));
    /// ```
    pub fn merge(&mut self, other: Self) {
        self.merge_counts(&other.finish());
    }

    /// Add the tokens of another text, of which `finish` or `count` has returned the counts.
    pub fn merge_counts(&mut self, other: &TokenCounts) {
        self.counts.merge(other);
    }

    /// Return the tokens of the text.
    #[must_use]
    pub fn finish(mut self) -> TokenCounts {
        self.complete();
        self.counts
    }

    /// Return the tokens that have been counted, and what [`resume`](Self::resume) needs to know of the text besides: its
    /// end, and a few bytes. They mean nothing to other versions.
    #[must_use]
    pub fn state(&self) -> (&TokenCounts, Vec<u8>) {
        let text = self.text.text();
        let (begun, start) = self.scanner.begun(text);
        let mut rest = vec![begun];
        reserve(&mut rest, text.len() - start);
        rest.extend_from_slice(&text[start..]);
        self.folder.held_back(&mut rest);
        (&self.counts, rest)
    }

    /// Return an accumulator of the text of which `state` has returned this; None if the bytes cannot be from there.
    ///
    /// ```
    /// use simhash_doc::{fingerprint, Accumulator, Scheme};
    ///
    /// let mut first = Accumulator::new();
    /// first.push("one tw");
    /// let (counts, rest) = first.state();
    /// let mut second = Accumulator::resume(counts.clone(), &rest).expect("a state");
    /// second.push("o");
    /// assert_eq!(second.fingerprint(Scheme::Sd64), fingerprint("one two", Scheme::Sd64));
    /// ```
    #[must_use]
    pub fn resume(counts: TokenCounts, rest: &[u8]) -> Option<Self> {
        let (&begun, text) = rest.split_first()?;
        let mut resumed = Self { counts, ..Self::default() };
        // Folded text folds to itself.
        resumed.folder.push(text, &mut resumed.text);
        let end = resumed.text.len() - resumed.folder.tail();
        resumed.scanner = Scanner::resume(begun, &resumed.text.text()[..end])?;
        Some(resumed)
    }

    /// Return the fingerprint of the text so far. More can be appended.
    ///
    /// # Errors
    /// [`Error::NoToken`] if the text contains no token.
    pub fn fingerprint(&self, scheme: Scheme) -> Result<Fingerprint, Error> {
        self.clone().finish().fingerprint(scheme)
    }

    /// Forget the text, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        self.folder.clear();
        self.text.clear();
        self.scanner.clear();
        self.counts.table.clear();
    }
}

/// The distinct tokens of a text, each with its number of occurrences, at most 8.
#[derive(Clone, Debug, Default)]
pub struct TokenCounts {
    table: Table,
}

impl TokenCounts {
    /// Return the number of distinct tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Return whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Return the number of occurrences of tokens, not capped; 2^64 - 1 stands for more, too.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.table.total()
    }

    /// Return the sum of the counts, and the sum of their squares.
    ///
    /// ```
    /// let mut accumulator = simhash_doc::Accumulator::new();
    /// assert_eq!(accumulator.count("no, no, yes").weights(), (3, 5));
    /// ```
    #[must_use]
    pub fn weights(&self) -> (u64, u64) {
        let (mut sum, mut squares) = (0, 0);
        self.table.for_each_count(|count| {
            sum += u64::from(count);
            squares += u64::from(count) * u64::from(count);
        });
        (sum, squares)
    }

    /// Pass the UTF-8 of each distinct token, in any order, and its count to a function.
    pub fn for_each(&self, take: impl FnMut(&[u8], u8)) {
        self.table.for_each(take);
    }

    /// Add the tokens of another text.
    pub fn merge(&mut self, other: &Self) {
        self.table.merge(&other.table);
    }

    /// Add a token of another text, in UTF-8, with its count. This does not change the total; see
    /// [`add_total`](Self::add_total).
    ///
    /// A token is what [`tokens`](crate::tokens) returns; other bytes are counted, but mean nothing.
    ///
    /// # Panics
    /// The token is empty, has a zero byte, or occurs zero times.
    ///
    /// ```
    /// use simhash_doc::{fingerprint, Scheme, TokenCounts};
    ///
    /// let mut tokens = TokenCounts::default();
    /// tokens.add("one".as_bytes(), 2);
    /// tokens.add("two".as_bytes(), 1);
    /// assert_eq!(tokens.fingerprint(Scheme::Sd64), fingerprint("one two one", Scheme::Sd64));
    /// ```
    pub fn add(&mut self, token: &[u8], count: u8) {
        assert!(count > 0, "the count is 0");
        assert!(!token.is_empty() && !token.contains(&0), "the token is empty or has a zero byte");
        self.table.add(token, count.min(8));
    }

    /// Add to the number of occurrences, for tokens of [`add`](Self::add).
    pub fn add_total(&mut self, occurrences: u64) {
        self.table.add_total(occurrences);
    }

    /// Return the exact sums of the bits, lane by lane, bit 0 first (SD-SUM-1).
    #[must_use]
    pub fn sums(&self, scheme: Scheme) -> Vec<i64> {
        self.lanes(scheme).iter_mut().flat_map(Sums::sums).collect()
    }

    /// Return the buckets, from -127 to 127, lane by lane.
    ///
    /// # Errors
    /// [`Error::NoToken`] if there is no token.
    pub fn buckets(&self, scheme: Scheme) -> Result<Vec<i8>, Error> {
        if self.is_empty() {
            return Err(Error::NoToken);
        }
        Ok(self.sums(scheme).into_iter().map(|sum| sum.clamp(-127, 127) as i8).collect())
    }

    /// Return the fingerprint.
    ///
    /// # Errors
    /// [`Error::NoToken`] if there is no token.
    pub fn fingerprint(&self, scheme: Scheme) -> Result<Fingerprint, Error> {
        if self.is_empty() {
            return Err(Error::NoToken);
        }
        let mut lanes = [0; 8];
        if scheme == Scheme::Sd64 {
            let mut sums = Sums::default();
            self.table.for_each_batch(1, |_, hashes, counts| sums.add(hashes, counts));
            lanes[0] = sums.signs();
        } else {
            for (lane, mut sums) in lanes.iter_mut().zip(self.lanes(scheme)) {
                *lane = sums.signs();
            }
        }
        Ok(Fingerprint::from_lanes(scheme, lanes))
    }

    /// Return the sums of all lanes.
    fn lanes(&self, scheme: Scheme) -> Vec<Sums> {
        let mut sums = vec![Sums::default(); scheme.lanes()];
        self.table.for_each_batch(scheme.lanes(), |lane, hashes, counts| sums[lane].add(hashes, counts));
        sums
    }
}

/// Return the tokens of a document.
pub fn token_counts(document: &[u8]) -> TokenCounts {
    let mut accumulator = Accumulator::new();
    accumulator.count(document);
    accumulator.counts
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    fn entries(counts: &TokenCounts) -> (u64, BTreeMap<Vec<u8>, u8>) {
        let mut entries = BTreeMap::new();
        counts.for_each(|token, count| assert!(entries.insert(token.to_vec(), count).is_none()));
        (counts.total(), entries)
    }

    /// Scanned after every piece, a text is interrupted in all states of the scanner.
    #[test]
    fn a_state_goes_on_wherever_scanning_stops() {
        let parts = [
            "one Two-three, ab_c _d_ ",
            "漢字カナか\u{3099}とภาษาไทย、漢1é漢a",
            "𠀀𠀁漢𠀀a",
            "http://a.example/漢字_x漢(http://b.example/xyz)",
            "a@b.cd.e_f a@b.漢 a@b.c\u{338}d a@b.cd-.e",
            "e\u{301}\u{323}q\u{301}\u{323}\u{301}각각ᄀ\u{ad}ᅡ\u{1b05}\u{1b35}",
            "\u{301}\u{301}\u{301}\u{301}\u{301}",
            "ﬃ\u{345}ᾳ\u{345}ǅİ\u{fdfa}…",
            "x{}http://doi:10.1000/182",
            "d41d8cd98f00b204e9800998ecf8427e_",
            "漢\u{203f}_字\u{fe33}a",
            "1١カ1・ー〜",
        ];
        for part in parts {
            for before in ["", "x", "a@b.c", "漢 "] {
                let text = [before.as_bytes(), part.repeat(600 / part.len()).as_bytes()].concat();
                let expected = entries(Accumulator::new().count(&text));
                for cut in 0..text.len() {
                    let mut first = Accumulator::new();
                    first.push(&text[..cut]);
                    let end = first.text.len() - first.folder.tail();
                    first.scanner.scan(&mut first.text, end, false, &mut first.counts.table);
                    let (counts, rest) = first.state();
                    let mut second = Accumulator::resume(counts.clone(), &rest).expect("a state");
                    assert_eq!(second.state().1, rest, "{part} {before} {cut}");
                    second.push(&text[cut..]);
                    assert_eq!(entries(&second.finish()), expected, "{part} {before} {cut}");
                }
            }
        }
    }
}
