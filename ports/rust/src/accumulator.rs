use alloc::vec;
use alloc::vec::Vec;

use crate::counts::Table;
use crate::fold::Folder;
use crate::scan::Scanner;
use crate::sums::{Sums, sign};
use crate::xxh64::xxh64;
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
            self.folder.push(part, &mut self.scanner.text);
            if self.scanner.unread() >= PIECE {
                self.scanner.scan(false, &mut self.counts.table);
            }
        }
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
        self.counts.merge(&other.finish());
    }

    /// Return the tokens of the text.
    #[must_use]
    pub fn finish(mut self) -> TokenCounts {
        self.folder.finish(&mut self.scanner.text);
        self.scanner.scan(true, &mut self.counts.table);
        self.counts
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

    /// Add the tokens of another text.
    pub fn merge(&mut self, other: &Self) {
        self.table.merge(&other.table);
    }

    /// Return the buckets, from -127 to 127, lane by lane.
    ///
    /// # Errors
    /// [`Error::NoToken`] if there is no token.
    pub fn buckets(&self, scheme: Scheme) -> Result<Vec<i8>, Error> {
        if self.is_empty() {
            return Err(Error::NoToken);
        }
        let mut sums = vec![Sums::default(); scheme.lanes()];
        self.table.for_each(|token, count| {
            for (seed, sums) in (0..).zip(&mut sums) {
                sums.add(xxh64(token, seed), count);
            }
        });
        Ok(sums.iter().flat_map(Sums::buckets).collect())
    }

    /// Return the fingerprint.
    ///
    /// # Errors
    /// [`Error::NoToken`] if there is no token.
    pub fn fingerprint(&self, scheme: Scheme) -> Result<Fingerprint, Error> {
        let mut lanes = [0; 8];
        for (lane, buckets) in lanes.iter_mut().zip(self.buckets(scheme)?.chunks(64)) {
            *lane = sign(buckets);
        }
        Ok(Fingerprint::from_lanes(scheme, lanes))
    }
}

/// Return the tokens of a document.
pub fn token_counts(document: &[u8]) -> TokenCounts {
    let mut accumulator = Accumulator::new();
    accumulator.push(document);
    accumulator.finish()
}
