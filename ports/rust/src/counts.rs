//! How often each token occurs (SD-CAP-1), in a hash table that withstands chosen tokens.
//!
//! A token of up to 16 bytes is stored as two integers, a longer one in a common buffer. The hash has a random key. If
//! tokens collide too often, which does not happen by chance, the table changes to SipHash, whose key is random, too.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::scan::Sink;
use crate::xxh64::xxh64;

const MOST: u8 = 8;
/// The greatest number of other tokens that are met before the table changes to SipHash.
const MOST_PROBES: usize = 64;
const FIRST_SLOTS: usize = 1024;
const INLINE: usize = 16;

/// A distinct token: up to 16 bytes in `a` and `b`; otherwise its start in the buffer and its hash.
#[derive(Clone, Copy, Debug)]
struct Entry {
    a: u64,
    b: u64,
    length: usize,
    count: u8,
}

/// The tokens of a text, each with its number of occurrences, at most 8.
#[derive(Clone, Debug)]
pub struct Table {
    entries: Vec<Entry>,
    /// Numbers of entries, plus 1; 0 is free.
    slots: Vec<u32>,
    long: Vec<u8>,
    keys: [u64; 2],
    siphash: Option<RandomState>,
}

impl Default for Table {
    fn default() -> Self {
        let random = RandomState::new();
        let keys = [random.hash_one(0), random.hash_one(1)];
        Self { entries: Vec::new(), slots: vec![0; FIRST_SLOTS], long: Vec::new(), keys, siphash: None }
    }
}

impl Table {
    /// Forget the tokens, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        if self.slots.len() > 1 << 16 || self.long.len() > 1 << 20 || self.siphash.is_some() {
            *self = Self::default();
        } else {
            self.entries.clear();
            self.slots.fill(0);
            self.long.clear();
        }
    }

    /// Return the number of distinct tokens.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Add the counts of another table.
    pub fn merge(&mut self, other: &Self) {
        other.for_each(|token, count| {
            if token.len() <= INLINE {
                let mut padded = [0; INLINE];
                padded[..token.len()].copy_from_slice(token);
                self.add(&padded, token.len(), count);
            } else {
                self.add(token, token.len(), count);
            }
        });
    }

    /// Pass each token and its count to a function.
    pub fn for_each(&self, mut take: impl FnMut(&[u8], u8)) {
        let mut short = [0; INLINE];
        for entry in &self.entries {
            take(self.bytes(entry, &mut short), entry.count);
        }
    }

    fn bytes<'a>(&'a self, entry: &Entry, short: &'a mut [u8; INLINE]) -> &'a [u8] {
        if entry.length > INLINE {
            let start = entry.a as usize;
            return &self.long[start..start + entry.length];
        }
        short[..8].copy_from_slice(&entry.a.to_le_bytes());
        short[8..].copy_from_slice(&entry.b.to_le_bytes());
        &short[..entry.length]
    }

    /// Count the token of `length` bytes at the start of `text`, which has at least 16 bytes.
    #[inline]
    fn add(&mut self, text: &[u8], length: usize, count: u8) {
        let (a, b) = if length <= INLINE {
            let a = word(text, 0) & mask(length.min(8));
            (a, if length <= 8 { 0 } else { word(text, 8) & mask(length - 8) })
        } else {
            (0, xxh64(&text[..length], self.keys[0]))
        };
        let mut slot = self.hash(a, b, length, text) as usize;
        for _ in 0..MOST_PROBES {
            slot &= self.slots.len() - 1;
            let number = self.slots[slot];
            if number == 0 {
                self.insert(slot, text, Entry { a, b, length, count });
                return;
            }
            if self.is_at(number, a, b, length, text) {
                let entry = &mut self.entries[number as usize - 1];
                entry.count = MOST.min(entry.count + count);
                return;
            }
            slot += 1;
        }
        self.add_after_collisions(text, Entry { a, b, length, count }, slot);
    }

    #[inline]
    fn is_at(&self, number: u32, a: u64, b: u64, length: usize, text: &[u8]) -> bool {
        let entry = &self.entries[number as usize - 1];
        if entry.length != length || entry.b != b {
            return false;
        }
        if length <= INLINE {
            return entry.a == a;
        }
        let start = entry.a as usize;
        self.long[start..start + length] == text[..length]
    }

    #[cold]
    fn add_after_collisions(&mut self, text: &[u8], entry: Entry, slot: usize) {
        if self.siphash.is_none() {
            self.siphash = Some(RandomState::new());
            self.rebuild(self.slots.len());
            self.add(text, entry.length, entry.count);
            return;
        }
        let mut slot = slot;
        loop {
            slot &= self.slots.len() - 1;
            match self.slots[slot] {
                0 => return self.insert(slot, text, entry),
                number if self.is_at(number, entry.a, entry.b, entry.length, text) => {
                    let known = &mut self.entries[number as usize - 1];
                    known.count = MOST.min(known.count + entry.count);
                    return;
                }
                _ => slot += 1,
            }
        }
    }

    fn insert(&mut self, slot: usize, text: &[u8], mut entry: Entry) {
        if entry.length > INLINE {
            entry.a = self.long.len() as u64;
            self.long.extend_from_slice(&text[..entry.length]);
        }
        self.entries.push(entry);
        self.slots[slot] = u32::try_from(self.entries.len()).expect("fewer than 2^32 distinct tokens");
        if self.entries.len() * 2 > self.slots.len() {
            self.rebuild(self.slots.len() * 4);
        }
    }

    fn rebuild(&mut self, size: usize) {
        let mut slots = vec![0; size];
        let mut short = [0; INLINE];
        for (number, entry) in (1..).zip(&self.entries) {
            let a = if entry.length > INLINE { 0 } else { entry.a };
            let mut slot = self.hash(a, entry.b, entry.length, self.bytes(entry, &mut short)) as usize & (size - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = number;
        }
        self.slots = slots;
    }

    #[inline]
    fn hash(&self, a: u64, b: u64, length: usize, text: &[u8]) -> u64 {
        if let Some(siphash) = &self.siphash {
            return siphash.hash_one(&text[..length]);
        }
        let product = u128::from(a ^ self.keys[0]) * u128::from(b ^ length as u64 ^ self.keys[1]);
        product as u64 ^ (product >> 64) as u64
    }
}

impl Sink for Table {
    #[inline]
    fn take(&mut self, text: &[u8], start: usize, end: usize) {
        self.add(&text[start..], end - start, 1);
    }
}

#[inline]
fn word(text: &[u8], start: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&text[start..start + 8]);
    u64::from_le_bytes(word)
}

/// Return a mask of the first bytes, 1 to 8, of a little-endian integer.
#[inline]
const fn mask(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(table: &mut Table, token: &str) {
        let mut text = token.as_bytes().to_vec();
        text.resize(token.len() + INLINE, 0);
        table.take(&text, 0, token.len());
    }

    #[test]
    fn tokens_of_all_lengths_are_counted_up_to_eight() {
        let mut table = Table::default();
        for round in 0..10 {
            for length in 1..=40 {
                add(&mut table, &"x".repeat(length));
                if round < length % 7 {
                    add(&mut table, &"y".repeat(length));
                }
            }
        }
        table.for_each(|token, count| match token[0] {
            b'x' => assert_eq!(count, 8),
            _ => assert_eq!(usize::from(count), token.len() % 7),
        });
        assert_eq!(table.len(), 40 + 40 - 5);
    }

    #[test]
    fn tokens_that_collide_change_the_hash() {
        let mut table = Table { keys: [u64::from_le_bytes(*b"collides"), 0], ..Table::default() };
        for _ in 0..2 {
            (0..3000).for_each(|number| add(&mut table, &format!("collides{number}")));
        }
        assert!(table.siphash.is_some());
        let mut seen = 0;
        table.for_each(|token, count| {
            assert_eq!(token, format!("collides{seen}").as_bytes());
            assert_eq!(count, 2);
            seen += 1;
        });
        assert_eq!(seen, 3000);
        table.clear();
        assert!(table.siphash.is_none());
    }
}
