//! How often each token occurs (SD-CAP-1), in hash tables that withstand chosen tokens.
//!
//! Tokens are queued, and counted many at once, because a branch that the processor predicted wrongly delays all that
//! follows it. So there is none for a token that is new, nor for its length. A token of up to 15 bytes is two integers, of
//! which the highest byte is its count; a longer one is in a common buffer.
//!
//! The hash is fast and can be predicted. A token for which the table has no free slot close to its place, which only
//! chosen tokens have often, goes to an ordered map: no choice of tokens takes more than logarithmic time for each.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hint::black_box;

use crate::memory::{check, copy, reserve, zeros};
use crate::scan::{MOST_TOKENS, Sink};
use crate::sums::BATCH;
use crate::xxh64::{xxh64, xxh64_of_short};

const MOST: u8 = 8;
/// The number of slots, from its place on, in which a token may be.
const MOST_PROBES: usize = 32;
const FIRST_SLOTS: usize = 256;
/// More slots are not reserved for a text that is only known to be long.
const MOST_RESERVED: usize = 1 << 18;
/// A table of more slots may not fit into the fast caches.
const LARGE: usize = 1 << 16;
/// The most bytes of a token that is two integers.
const SHORT: usize = 15;
/// The bytes of two characters of scriptio continua: nearly all tokens of some languages have as many.
const PAIR: usize = 6;
/// The place of the count in the second integer.
const COUNT: u32 = 56;
/// Numbers that no text in UTF-8 has as eight of its bytes.
const KEYS: [u64; 2] = [0xFD8B_C1F6_37A4_E95D, 0xF9E2_5B90_D46C_138B];
const QUEUE: usize = 128;
/// More bytes than a new entry of an ordered map takes, in all the nodes that it divides.
const NODES: usize = 1 << 12;
/// More bytes than an ordered map takes for each of many entries.
const NODE: usize = 128;

/// The tokens of a text, each with its number of occurrences, at most 8.
#[derive(Clone, Debug)]
pub struct Table {
    short: Short,
    long: Long,
    total: u64,
    queue: Queue,
    long_queue: Queue,
}

impl Default for Table {
    fn default() -> Self {
        let (queue, long_queue) = (Queue::default(), Queue::default());
        Self { short: Short::default(), long: Long::default(), total: 0, queue, long_queue }
    }
}

/// Tokens that wait: where they start and how long they are.
#[derive(Clone, Debug)]
struct Queue {
    tokens: [(usize, usize); QUEUE],
    length: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self { tokens: [(0, 0); QUEUE], length: 0 }
    }
}

impl Queue {
    #[inline]
    fn push(&mut self, is_token: bool, start: usize, length: usize) {
        self.tokens[self.length % QUEUE] = (start, length);
        self.length += usize::from(is_token);
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.length > QUEUE - MOST_TOKENS
    }

    fn tokens(&self) -> &[(usize, usize)] {
        &self.tokens[..self.length]
    }
}

impl Sink for Table {
    const ANY_ORDER: bool = true;

    #[inline]
    fn prepare(&mut self, text: &[u8]) {
        if self.queue.is_full() || self.long_queue.is_full() {
            self.finish(text);
        }
    }

    #[inline]
    fn take(&mut self, is_token: bool, _text: &[u8], start: usize, end: usize) {
        let length = end - start;
        self.queue.push(is_token & (length <= SHORT), start, length);
        self.long_queue.push(is_token & (length > SHORT), start, length);
    }

    fn finish(&mut self, text: &[u8]) {
        self.add_total((self.queue.length + self.long_queue.length) as u64);
        self.short.add_all(text, self.queue.tokens());
        self.queue.length = 0;
        for &(start, length) in self.long_queue.tokens() {
            self.long.add(&text[start..start + length], 1);
        }
        self.long_queue.length = 0;
    }
}

impl Table {
    /// Forget the tokens, and keep the memory unless it is large.
    pub fn clear(&mut self) {
        self.total = 0;
        // Not empty if a panic has left them so.
        (self.queue.length, self.long_queue.length) = (0, 0);
        self.short.clear();
        self.long.clear();
    }

    /// Let the first token make room for those of so many bytes of text.
    pub fn expect(&mut self, bytes: usize) {
        self.short.first_slots = (bytes / 4 * 3).min(MOST_RESERVED).next_power_of_two();
    }

    /// Return the number of distinct tokens.
    #[inline]
    pub fn len(&self) -> usize {
        self.short.entries.len() + self.long.entries.len()
    }

    /// Return the number of occurrences.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Add to the number of occurrences. It stays at the greatest number.
    pub fn add_total(&mut self, occurrences: u64) {
        self.total = self.total.saturating_add(occurrences);
    }

    /// Add the counts of another table.
    pub fn merge(&mut self, other: &Self) {
        self.add_total(other.total);
        other.for_each(|token, count| self.add(token, count));
    }

    /// Count a token without adding to the total.
    pub fn add(&mut self, token: &[u8], count: u8) {
        if token.len() <= SHORT {
            let mut bytes = [0; 16];
            bytes[..token.len()].copy_from_slice(token);
            self.short.reserve(1);
            self.short.add(words(&bytes), count);
        } else {
            self.long.add(token, count);
        }
    }

    /// Pass each token and its count to a function.
    pub fn for_each(&self, mut take: impl FnMut(&[u8], u8)) {
        for &[first, second] in &self.short.entries {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&first.to_le_bytes());
            bytes[8..].copy_from_slice(&second.to_le_bytes());
            take(&bytes[..short_length(first, second)], (second >> COUNT) as u8);
        }
        for entry in &self.long.entries {
            take(self.long.bytes(entry), entry.count);
        }
    }

    /// Pass each count to a function.
    pub fn for_each_count(&self, mut take: impl FnMut(u8)) {
        self.short.entries.iter().for_each(|&[_, second]| take((second >> COUNT) as u8));
        self.long.entries.iter().for_each(|entry| take(entry.count));
    }

    /// Pass the hashes and the counts of all tokens to a function, a few at once, with the number of their lane, from 0 to
    /// `lanes` - 1.
    #[inline]
    pub fn for_each_batch(&self, lanes: usize, mut take: impl FnMut(usize, &[u64], &[u8])) {
        let (mut hashes, mut counts, mut lengths) = ([0; BATCH], [0; BATCH], [0; BATCH]);
        for entries in self.short.entries.chunks(BATCH) {
            for ((&[first, second], count), length) in entries.iter().zip(&mut counts).zip(&mut lengths) {
                *count = (second >> COUNT) as u8;
                *length = short_length(first, second);
            }
            for lane in 0..lanes {
                if lengths == [PAIR; BATCH] {
                    for (&[first, _], hash) in entries.iter().zip(&mut hashes) {
                        *hash = xxh64_of_short(first, 0, PAIR, lane as u64);
                    }
                } else {
                    for ((&[first, second], &length), hash) in entries.iter().zip(&lengths).zip(&mut hashes) {
                        *hash = xxh64_of_short(first, without_count(second), length, lane as u64);
                    }
                }
                take(lane, &hashes[..entries.len()], &counts[..entries.len()]);
            }
        }
        for entries in self.long.entries.chunks(BATCH) {
            entries.iter().zip(&mut counts).for_each(|(entry, count)| *count = entry.count);
            for lane in 0..lanes {
                for (entry, hash) in entries.iter().zip(&mut hashes) {
                    *hash = xxh64(self.long.bytes(entry), lane as u64);
                }
                take(lane, &hashes[..entries.len()], &counts[..entries.len()]);
            }
        }
    }
}

/// Where each entry is, by its hash.
#[derive(Debug)]
struct Slots<Key> {
    /// The number of an entry, plus 1; 0 is free. In a large table, whose entries are not in the caches, the number has
    /// the bits of a place, and those above it are of the hash: an entry is read only if they are those of the token.
    tagged: Vec<u32>,
    /// The bits of a number.
    number_bits: u32,
    /// The numbers of the entries that are in no slot, plus 1.
    others: BTreeMap<Key, u32>,
}

impl<Key> Default for Slots<Key> {
    fn default() -> Self {
        Self { tagged: Vec::new(), number_bits: 0, others: BTreeMap::new() }
    }
}

impl<Key: Clone> Clone for Slots<Key> {
    fn clone(&self) -> Self {
        let tagged = copy(&self.tagged);
        check(self.others.len() * NODE);
        Self { tagged, number_bits: self.number_bits, others: self.others.clone() }
    }
}

/// Where a search for a token has ended.
enum Found {
    /// At its number, plus 1.
    Known(u32),
    /// At this free slot.
    Free(usize),
    /// Nowhere: it is among the others, or will be.
    Crowded,
}

impl<Key: Ord> Slots<Key> {
    fn clear(&mut self) {
        self.others.clear();
        self.tagged.clear();
        self.tagged.shrink_to(1 << 19);
    }

    fn set_size(&mut self, size: usize) {
        self.number_bits = if size > LARGE { (size - 1) as u32 } else { u32::MAX };
        if size > self.tagged.capacity() {
            // The old slots are freed first. New memory is zero: it need not be written.
            self.tagged = Vec::new();
            self.tagged = zeros(size);
        } else {
            self.tagged.clear();
            self.tagged.resize(size, 0);
        }
    }

    /// Return whether at most half of the slots are used by so many entries.
    #[inline]
    fn has_room(&self, entries: usize) -> bool {
        2 * entries <= self.tagged.len()
    }

    #[inline]
    fn find(&self, hash: u64, is_at: impl Fn(u32) -> bool) -> Found {
        let (mask, tag) = (self.tagged.len() - 1, self.tag(hash));
        for step in 0..MOST_PROBES {
            let slot = (hash as usize).wrapping_add(step) & mask;
            let (found, number) = (self.tagged[slot], self.tagged[slot] & self.number_bits);
            if found == 0 {
                return Found::Free(slot);
            }
            if found ^ number == tag && is_at(number) {
                return Found::Known(number);
            }
        }
        Found::Crowded
    }

    /// Return the bits of a hash that are in a slot.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        (hash >> 32) as u32 & !self.number_bits
    }

    /// Put the number of an entry into a free slot.
    #[inline]
    fn put(&mut self, slot: usize, hash: u64, number: u32) {
        self.tagged[slot] = self.tag(hash) | number;
    }

    /// Fill enough slots for `least` entries with the entries that there are.
    #[cold]
    fn grow(&mut self, least: usize, entries: impl Iterator<Item = (u64, impl FnOnce() -> Key)>) {
        let mut size = self.tagged.len().max(FIRST_SLOTS / 4) * 4;
        while size < 2 * least {
            size *= 4;
        }
        self.set_size(size);
        self.others.clear();
        for (number, (hash, key)) in (1..).zip(entries) {
            match self.find(hash, |_| false) {
                Found::Free(slot) => self.put(slot, hash, number),
                _ => {
                    check(NODES);
                    self.others.insert(key(), number);
                }
            }
        }
    }
}

fn number(entries: usize) -> u32 {
    u32::try_from(entries).expect("fewer than 2^32 distinct tokens")
}

/// The tokens of up to 15 bytes: two integers each, with the count in the highest byte.
#[derive(Debug, Default)]
struct Short {
    entries: Vec<[u64; 2]>,
    slots: Slots<[u64; 2]>,
    /// The number of slots that the first token makes, if it is not small.
    first_slots: usize,
    /// Whether most of the last tokens were new.
    are_new: bool,
}

impl Clone for Short {
    fn clone(&self) -> Self {
        Self { entries: copy(&self.entries), slots: self.slots.clone(), ..*self }
    }
}

impl Short {
    fn clear(&mut self) {
        self.entries.clear();
        self.entries.shrink_to(1 << 17);
        self.slots.clear();
    }

    #[inline]
    fn reserve(&mut self, more: usize) {
        let least = self.entries.len() + more;
        if self.entries.is_empty() && self.slots.tagged.is_empty() {
            self.slots.set_size(self.first_slots.max(FIRST_SLOTS));
        }
        if !self.slots.has_room(least) {
            let keys = self.entries.iter().map(|&[first, second]| {
                let key = [first, without_count(second)];
                (hash(key), move || key)
            });
            self.slots.grow(least, keys);
        }
    }

    /// Count tokens of a text, one occurrence each.
    fn add_all(&mut self, text: &[u8], tokens: &[(usize, usize)]) {
        if tokens.is_empty() {
            return;
        }
        self.reserve(tokens.len());
        if self.slots.tagged.len() > LARGE {
            self.add_each::<true>(text, tokens);
        } else {
            self.add_each::<false>(text, tokens);
        }
    }

    /// Do this for a table with or without bits of the hashes in its slots.
    fn add_each<const IS_LARGE: bool>(&mut self, text: &[u8], tokens: &[(usize, usize)]) {
        let before = self.entries.len();
        let mut length = before;
        reserve(&mut self.entries, tokens.len());
        self.entries.resize(length + tokens.len(), [0; 2]);
        let (entries, slots) = (&mut self.entries[..], &mut self.slots.tagged[..]);
        let mask = slots.len() - 1;
        let number_bits = if IS_LARGE { mask as u32 } else { u32::MAX };
        number(entries.len());
        let token = |&(start, size): &(usize, usize)| {
            let bytes = text[start..].first_chunk().expect("padding");
            let [first_mask, second_mask] = MASKS[size % 16];
            (words(bytes)[0] & first_mask, words(bytes)[1] & second_mask)
        };
        if IS_LARGE && self.are_new {
            // The memory finds these slots at the same time. Below, each would wait for what is done with the one before.
            for (first, second) in tokens.iter().map(token) {
                black_box(slots[hash([first, second]) as usize & mask]);
            }
        }
        for (first, second) in tokens.iter().map(token) {
            let hash = hash([first, second]);
            let new = (hash >> 32) as u32 & !number_bits | (length + 1) as u32;
            let mut probes = 0;
            // Two integers, one by one: an array of them went through memory, which cost more than the search.
            let next = &mut entries[length];
            next[0] = first;
            next[1] = second;
            loop {
                let slot = &mut slots[(hash as usize).wrapping_add(probes) & mask];
                // If the slot is free, the token becomes the next entry. If not, it is probably the one of the slot. The
                // next entry has been written, so that the same comparisons hold for both.
                let is_new = *slot == 0;
                let tagged = if is_new { new } else { *slot };
                if tagged ^ new <= number_bits {
                    let entry = &mut entries[(tagged & number_bits) as usize - 1];
                    if entry[0] ^ first | (entry[1] ^ second) << 8 == 0 {
                        // Not if it is 8, which is one bit.
                        entry[1] += !entry[1] >> 3 & 1 << COUNT;
                        *slot = tagged;
                        length += usize::from(is_new);
                        break;
                    }
                }
                probes += 1;
                if probes == MOST_PROBES {
                    let index = place_of_other(&mut self.slots.others, length, first, second);
                    add_to(&mut entries[index], 1);
                    length += usize::from(index == length);
                    break;
                }
            }
        }
        self.are_new = 2 * (length - before) > tokens.len();
        self.entries.truncate(length);
    }

    /// Count a token. There is room for it.
    fn add(&mut self, key: [u64; 2], count: u8) {
        reserve(&mut self.entries, 1);
        let is_at = |number: u32| {
            let [first, second] = self.entries[number as usize - 1];
            first == key[0] && without_count(second) == key[1]
        };
        let length = self.entries.len();
        match self.slots.find(hash(key), is_at) {
            Found::Known(number) => add_to(&mut self.entries[number as usize - 1], count),
            Found::Free(slot) => {
                self.slots.put(slot, hash(key), number(length + 1));
                self.entries.push([key[0], key[1] | u64::from(MOST.min(count)) << COUNT]);
            }
            Found::Crowded => {
                let place = place_of_other(&mut self.slots.others, length, key[0], key[1]);
                if place == length {
                    self.entries.push(key);
                }
                add_to(&mut self.entries[place], count);
            }
        }
    }
}

/// Return where the entry of a token is that is in no slot, or will be: `length` if it is new.
#[cold]
#[inline(never)]
fn place_of_other(others: &mut BTreeMap<[u64; 2], u32>, length: usize, first: u64, second: u64) -> usize {
    check(NODES);
    *others.entry([first, second]).or_insert(number(length + 1)) as usize - 1
}

/// Add to the count of an entry.
fn add_to(entry: &mut [u64; 2], count: u8) {
    let sum = MOST.min((entry[1] >> COUNT) as u8 + count);
    entry[1] = without_count(entry[1]) | u64::from(sum) << COUNT;
}

const fn without_count(second: u64) -> u64 {
    second & ((1 << COUNT) - 1)
}

/// Return the number of bytes of a token. No token has a zero byte.
#[inline]
const fn short_length(first: u64, second: u64) -> usize {
    let (full, last) = if first >> 56 == 0 { (0, first) } else { (8, without_count(second)) };
    full + (71 - last.leading_zeros() as usize) / 8
}

/// The bits of the first bytes, 0 to 15, of two integers.
static MASKS: [[u64; 2]; 16] = masks();

const fn masks() -> [[u64; 2]; 16] {
    let (mut masks, mut length) = ([[0; 2]; 16], 1);
    while length < 16 {
        let all = u128::MAX >> (128 - 8 * length);
        masks[length] = [all as u64, (all >> 64) as u64];
        length += 1;
    }
    masks
}

#[inline]
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let all = u128::from_le_bytes(*bytes);
    [all as u64, (all >> 64) as u64]
}

#[inline]
fn hash(key: [u64; 2]) -> u64 {
    let product = u128::from(key[0] ^ KEYS[0]) * u128::from(key[1] ^ KEYS[1]);
    product as u64 ^ (product >> 64) as u64
}

/// The tokens of more than 15 bytes.
#[derive(Debug, Default)]
struct Long {
    entries: Vec<LongEntry>,
    slots: Slots<Box<[u8]>>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct LongEntry {
    hash: u64,
    start: usize,
    length: usize,
    count: u8,
}

impl Clone for Long {
    fn clone(&self) -> Self {
        Self { entries: copy(&self.entries), slots: self.slots.clone(), bytes: copy(&self.bytes) }
    }
}

impl Long {
    fn clear(&mut self) {
        self.entries.clear();
        self.entries.shrink_to(1 << 14);
        self.bytes.clear();
        self.bytes.shrink_to(1 << 20);
        self.slots.clear();
    }

    #[inline]
    fn bytes(&self, entry: &LongEntry) -> &[u8] {
        &self.bytes[entry.start..entry.start + entry.length]
    }

    fn add(&mut self, token: &[u8], count: u8) {
        let least = self.entries.len() + 1;
        if !self.slots.has_room(least) {
            let (entries, bytes) = (&self.entries, &self.bytes);
            let key = |entry: &LongEntry| copy(&bytes[entry.start..entry.start + entry.length]).into();
            self.slots.grow(least, entries.iter().map(|entry| (entry.hash, move || key(entry))));
        }
        reserve(&mut self.entries, 1);
        reserve(&mut self.bytes, token.len());
        let hash = hash_of_long(token);
        let is_at = |number: u32| {
            let entry = &self.entries[number as usize - 1];
            entry.hash == hash && self.bytes(entry) == token
        };
        let known = match self.slots.find(hash, is_at) {
            Found::Known(number) => Some(number),
            Found::Free(slot) => {
                self.slots.put(slot, hash, number(least));
                None
            }
            Found::Crowded => match self.slots.others.get(token) {
                Some(&number) => Some(number),
                None => {
                    check(NODES);
                    self.slots.others.insert(copy(token).into(), number(least));
                    None
                }
            },
        };
        if let Some(number) = known {
            let entry = &mut self.entries[number as usize - 1];
            entry.count = MOST.min(entry.count + count);
        } else {
            let (start, length) = (self.bytes.len(), token.len());
            self.bytes.extend_from_slice(token);
            self.entries.push(LongEntry { hash, start, length, count: MOST.min(count) });
        }
    }
}

/// Return a hash of a token of 16 bytes or more.
#[inline]
fn hash_of_long(token: &[u8]) -> u64 {
    match (token.first_chunk(), token.last_chunk()) {
        (Some(first), Some(last)) if token.len() <= 32 => {
            let [a, b] = words(last);
            hash(words(first)) ^ hash([a.rotate_left(32) ^ token.len() as u64, b])
        }
        _ => xxh64(token, KEYS[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(table: &mut Table, token: &[u8]) {
        let mut text = token.to_vec();
        text.resize(token.len() + 16, 0xFF);
        table.take(true, &text, 0, token.len());
        table.finish(&text);
    }

    #[test]
    fn tokens_of_all_lengths_are_counted_up_to_eight() {
        let mut table = Table::default();
        for round in 0..10 {
            for length in 1..=40 {
                add(&mut table, "x".repeat(length).as_bytes());
                if round < length % 7 {
                    add(&mut table, "y".repeat(length).as_bytes());
                }
            }
        }
        table.for_each(|token, count| match token[0] {
            b'x' => assert_eq!(count, 8),
            _ => assert_eq!(usize::from(count), token.len() % 7),
        });
        assert_eq!(table.len(), 40 + 40 - 5);
        let mut hashes = 0;
        table.for_each_batch(2, |_, batch, _| batch.iter().for_each(|hash| hashes ^= hash));
        table.for_each(|token, _| hashes ^= xxh64(token, 0) ^ xxh64(token, 1));
        assert_eq!(hashes, 0);
    }

    #[test]
    fn a_table_that_has_become_large_counts_the_same() {
        let mut table = Table::default();
        for _ in 0..2 {
            for number in 0..LARGE {
                add(&mut table, format!("{number}").as_bytes());
                add(&mut table, format!("a long token {number:08}").as_bytes());
            }
        }
        assert!(table.short.slots.tagged.len() > LARGE && table.long.slots.tagged.len() > LARGE);
        assert_eq!(table.len(), 2 * LARGE);
        table.for_each_count(|count| assert_eq!(count, 2));
        table.clear();
        add(&mut table, b"1");
        assert_eq!(table.len(), 1);
    }

    #[test]
    fn the_total_does_not_wrap() {
        let mut table = Table::default();
        add(&mut table, b"a");
        table.add_total(u64::MAX);
        assert_eq!(table.total(), u64::MAX);
        table.merge(&table.clone());
        assert_eq!(table.total(), u64::MAX);
    }

    #[test]
    fn tokens_that_still_wait_are_forgotten() {
        let mut table = Table::default();
        table.take(true, &[b'a'; 64], 0, 5);
        table.take(true, &[b'a'; 64], 0, 40);
        table.clear();
        table.finish(&[0; 64]);
        assert_eq!((table.len(), table.total()), (0, 0));
    }

    #[test]
    fn tokens_that_collide_are_counted() {
        // The first eight bytes are the key, which makes every product 0.
        let token = |number: usize| [&KEYS[0].to_le_bytes(), format!("{number:07}").as_bytes()].concat();
        let mut table = Table::default();
        for _ in 0..2 {
            (0..3000).for_each(|number| add(&mut table, &token(number)));
        }
        assert_eq!(table.short.slots.others.len(), 3000 - MOST_PROBES);
        let mut seen = 0;
        table.for_each(|found, count| {
            assert_eq!(found, token(seen));
            assert_eq!(count, 2);
            seen += 1;
        });
        assert_eq!(seen, 3000);
        table.clear();
        assert!(table.short.slots.others.is_empty());
    }

    #[test]
    fn long_tokens_that_collide_are_counted() {
        // Both products are 0.
        let (first, second) = (KEYS[0].to_le_bytes(), (KEYS[0] ^ 32).rotate_left(32).to_le_bytes());
        let token = |number: usize| {
            let digits = format!("{number:08}");
            [&first, digits.as_bytes(), &second, digits.as_bytes()].concat()
        };
        let mut table = Table::default();
        for _ in 0..2 {
            (0..3000).for_each(|number| add(&mut table, &token(number)));
        }
        assert_eq!(table.long.slots.others.len(), 3000 - MOST_PROBES);
        table.for_each(|_, count| assert_eq!(count, 2));
        assert_eq!(table.len(), 3000);
    }
}
