use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;

use crate::{Error, Fingerprint, Scheme};

/// A block of fewer bits does not select few enough pairs to be worth sorting.
const LEAST_BLOCK: u32 = 8;

/// Fingerprints of one scheme, each with an id, among which near-duplicates are searched.
///
/// A query compares every entry, which takes about a millisecond per million entries of `sd64`. [`Index::find_all`]
/// sorts the entries by each of k + 1 blocks of their bits and compares those that are equal in a block.
///
/// ```
/// use simhash_doc::{Index, Scheme};
///
/// let mut index = Index::new(Scheme::Sd64);
/// index.insert("a", "sd64:aaaaaaaaaaaaa".parse()?)?;
/// index.insert("b", "sd64:aaaaaaaaaaaao".parse()?)?;
/// index.insert("c", "sd64:7777777777776".parse()?)?;
/// assert_eq!(index.query(&"sd64:aaaaaaaaaaaaa".parse()?, 3)?, [&"a", &"b"]);
/// assert_eq!(index.find_all(3), [(&"a", &"b")]);
/// assert!(index.remove("a"));
/// assert_eq!(index.find_all(3), []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Index<K> {
    scheme: Scheme,
    ids: Vec<K>,
    /// The place of each id in `ids`.
    places: BTreeMap<K, usize>,
    /// The lanes of all entries.
    lanes: Vec<u64>,
}

impl<K: Clone + Ord> Index<K> {
    /// Return an index without entries.
    #[must_use]
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, ids: Vec::new(), places: BTreeMap::new(), lanes: Vec::new() }
    }

    /// Add an entry.
    ///
    /// # Errors
    /// The fingerprint is of another scheme, or the id belongs to another entry.
    pub fn insert(&mut self, id: K, fingerprint: Fingerprint) -> Result<(), InsertError> {
        if fingerprint.scheme() != self.scheme {
            return Err(InsertError::SchemeMismatch);
        }
        if self.places.contains_key(&id) {
            return Err(InsertError::KnownId);
        }
        self.places.insert(id.clone(), self.ids.len());
        self.ids.push(id);
        self.lanes.extend_from_slice(fingerprint.lanes());
        Ok(())
    }

    /// Remove an entry, the place of which the last one takes. Return whether there was an entry with this id.
    pub fn remove<Q: Ord + ?Sized>(&mut self, id: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let Some(place) = self.places.remove(id) else {
            return false;
        };
        let (lanes, end) = (self.scheme.lanes(), self.len() - 1);
        self.ids.swap_remove(place);
        if let Some(last) = self.ids.get(place) {
            self.places.insert(last.clone(), place);
            self.lanes.copy_within(end * lanes.., place * lanes);
        }
        self.lanes.truncate(end * lanes);
        true
    }

    /// Return the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Return whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Return the ids of the entries within a distance, in the order in which they were added if none was removed.
    ///
    /// # Errors
    /// [`Error::SchemeMismatch`] if the fingerprint is of another scheme.
    pub fn query(&self, fingerprint: &Fingerprint, distance: u32) -> Result<Vec<&K>, Error> {
        if fingerprint.scheme() != self.scheme {
            return Err(Error::SchemeMismatch);
        }
        let entries = self.lanes.chunks_exact(self.scheme.lanes()).zip(&self.ids);
        let near = entries.filter(|(lanes, _)| hamming(lanes, fingerprint.lanes()) <= distance);
        Ok(near.map(|(_, id)| id).collect())
    }

    /// Return the pairs of ids within a distance, each once.
    #[must_use]
    pub fn find_all(&self, distance: u32) -> Vec<(&K, &K)> {
        let bits = self.scheme.bits();
        let blocks = if distance < bits / LEAST_BLOCK { distance + 1 } else { 0 };
        let mut pairs = Vec::new();
        let mut order: Vec<usize> = (0..self.len()).collect();
        if blocks == 0 {
            self.compare(&order, distance, &|_, _| true, &mut pairs);
        }
        for block in 0..blocks {
            let key = |entry: usize, block: u32| self.block(entry, block * bits / blocks, (block + 1) * bits / blocks);
            order.sort_unstable_by_key(|&entry| (key(entry, block), entry));
            // A pair that is equal in several blocks counts in the first of them.
            let is_first = |a: usize, b: usize| (0..block).all(|earlier| key(a, earlier) != key(b, earlier));
            for group in order.chunk_by(|&a, &b| key(a, block) == key(b, block)) {
                self.compare(group, distance, &is_first, &mut pairs);
            }
        }
        pairs.sort_unstable();
        pairs.into_iter().map(|(a, b)| (&self.ids[a], &self.ids[b])).collect()
    }

    /// Add the pairs of a group within a distance that are accepted.
    fn compare(
        &self,
        group: &[usize],
        distance: u32,
        accept: &impl Fn(usize, usize) -> bool,
        pairs: &mut Vec<(usize, usize)>,
    ) {
        for (place, &a) in group.iter().enumerate() {
            for &b in &group[place + 1..] {
                if hamming(self.entry(a), self.entry(b)) <= distance && accept(a, b) {
                    pairs.push((a, b));
                }
            }
        }
    }

    fn entry(&self, number: usize) -> &[u64] {
        let lanes = self.scheme.lanes();
        &self.lanes[number * lanes..(number + 1) * lanes]
    }

    /// Return the bits from `start` to `end` of an entry, at most 64 of them.
    fn block(&self, entry: usize, start: u32, end: u32) -> u64 {
        let lanes = self.entry(entry);
        let lane = |number: u32| u128::from(lanes.get(number as usize).copied().unwrap_or(0));
        let both = lane(start / 64) << 64 | lane(start / 64 + 1);
        let length = (end - start).min(64);
        (both << (start % 64) >> (128 - length)) as u64
    }
}

fn hamming(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Why an entry cannot be added to an [`Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InsertError {
    /// The fingerprint is of another scheme than the index.
    SchemeMismatch,
    /// Another entry has this id.
    KnownId,
}

impl fmt::Display for InsertError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::SchemeMismatch => "the fingerprint is not of the index's scheme",
            Self::KnownId => "another entry has this id",
        })
    }
}

impl core::error::Error for InsertError {}
