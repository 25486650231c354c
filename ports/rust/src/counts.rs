//! How often each token occurs (SD-CAP-1), in a hash table that withstands chosen tokens.
//!
//! A token of up to 16 bytes is stored as two integers, a longer one in a common buffer. The hash is fast and can be
//! predicted. A token for which the table has no free slot close to its place, which only chosen tokens have often,
//! goes to an ordered map: no choice of tokens takes more than logarithmic time for each.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::scan::Sink;
use crate::xxh64::xxh64;

const MOST: u8 = 8;
/// The number of slots, from its place on, in which a token may be.
const MOST_PROBES: usize = 32;
const FIRST_SLOTS: usize = 1024;
const INLINE: usize = 16;
/// Numbers that no text in UTF-8 has as eight of its bytes.
const KEYS: [u64; 2] = [0xFD8B_C1F6_37A4_E95D, 0xF9E2_5B90_D46C_138B];

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
    /// The numbers of the entries that are in no slot, plus 1.
    others: BTreeMap<Box<[u8]>, u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            entries: Vec::with_capacity(FIRST_SLOTS / 2),
            slots: vec![0; FIRST_SLOTS],
            long: Vec::new(),
            others: BTreeMap::new(),
        }
    }
}

impl Table {
    /// Forget the tokens, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        if self.slots.len() > 1 << 16 || self.long.len() > 1 << 20 {
            *self = Self::default();
        } else {
            self.entries.clear();
            self.slots.fill(0);
            self.long.clear();
            self.others.clear();
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
            (0, xxh64(&text[..length], KEYS[0]))
        };
        let mut slot = hash(a, b, length) as usize;
        for _ in 0..MOST_PROBES {
            slot &= self.slots.len() - 1;
            let number = self.slots[slot];
            if number == 0 {
                self.slots[slot] = self.push(text, Entry { a, b, length, count });
                self.grow();
                return;
            }
            if self.is_at(number, a, b, length, text) {
                let entry = &mut self.entries[number as usize - 1];
                entry.count = MOST.min(entry.count + count);
                return;
            }
            slot += 1;
        }
        self.add_to_others(text, Entry { a, b, length, count });
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
    fn add_to_others(&mut self, text: &[u8], entry: Entry) {
        let token = &text[..entry.length];
        if let Some(&number) = self.others.get(token) {
            let known = &mut self.entries[number as usize - 1];
            known.count = MOST.min(known.count + entry.count);
            return;
        }
        let number = self.push(text, entry);
        self.others.insert(token.into(), number);
        self.grow();
    }

    /// Append an entry and return its number, plus 1.
    #[inline]
    fn push(&mut self, text: &[u8], mut entry: Entry) -> u32 {
        if entry.length > INLINE {
            entry.a = self.long.len() as u64;
            self.long.extend_from_slice(&text[..entry.length]);
        }
        self.entries.push(entry);
        u32::try_from(self.entries.len()).expect("fewer than 2^32 distinct tokens")
    }

    /// Make more slots if half of them are used.
    #[inline]
    fn grow(&mut self) {
        if self.entries.len() * 2 <= self.slots.len() {
            return;
        }
        let size = self.slots.len() * 4;
        let (mut slots, mut others) = (vec![0; size], BTreeMap::new());
        let mut short = [0; INLINE];
        for (number, entry) in (1..).zip(&self.entries) {
            let a = if entry.length > INLINE { 0 } else { entry.a };
            let place = hash(a, entry.b, entry.length) as usize;
            let near = (place..).take(MOST_PROBES).map(|slot| slot & (size - 1));
            match near.into_iter().find(|&slot| slots[slot] == 0) {
                Some(slot) => slots[slot] = number,
                None => drop(others.insert(self.bytes(entry, &mut short).into(), number)),
            }
        }
        (self.slots, self.others) = (slots, others);
    }
}

#[inline]
fn hash(a: u64, b: u64, length: usize) -> u64 {
    let product = u128::from(a ^ KEYS[0]) * u128::from(b ^ length as u64 ^ KEYS[1]);
    product as u64 ^ (product >> 64) as u64
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
    fn tokens_that_collide_are_counted() {
        let mut table = Table::default();
        // The first eight bytes are the key, which makes every product 0.
        let token = |number: usize| [&KEYS[0].to_le_bytes(), format!("{number:08}").as_bytes()].concat();
        let add = |table: &mut Table, number| table.take(&token(number), 0, INLINE);
        for _ in 0..2 {
            (0..3000).for_each(|number| add(&mut table, number));
        }
        assert_eq!(table.others.len(), 3000 - MOST_PROBES);
        let mut seen = 0;
        table.for_each(|found, count| {
            assert_eq!(found, token(seen));
            assert_eq!(count, 2);
            seen += 1;
        });
        assert_eq!(seen, 3000);
        table.clear();
        assert!(table.others.is_empty());
    }
}
