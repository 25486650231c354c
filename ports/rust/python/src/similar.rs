//! Which texts are left out for which others: `simhash_doc.duplicates.confirmation` says how, and gives equal answers.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use simhash_doc::memory::zeros;

use crate::buffers::{Array, bytearray};
use crate::memory::fallible;

/// Tokens of both prefixes that similar texts have in common.
const SHARED: usize = 5;
/// Up to so many numbers of a text have to be in the same order in the other one.
const ORDERED: usize = 64;
/// Far over the error of a share, and far under one token.
const ROUNDING: f64 = 1e-9;
/// Texts that are decided between two looks at signals.
const SIGNALS: usize = 1 << 12;

type Both<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

/// A list of integers for each text: the integers of all, where each begins, and how many it has.
#[derive(FromPyObject)]
pub struct Lists<'py>(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The same, checked.
struct Integers {
    flat: Array<i32>,
    starts: Array<i64>,
    sizes: Array<i64>,
}

impl Integers {
    /// Return the lists of `n` texts, whose integers are from 0 on.
    fn of(lists: &Lists<'_>, n: usize) -> PyResult<Self> {
        let (flat, starts, sizes) =
            (Array::<i32>::of(&lists.0)?, Array::<i64>::of(&lists.1)?, Array::<i64>::of(&lists.2)?);
        if starts.len() != n || sizes.len() != n {
            let message = format!("{} starts and {} sizes of lists; expected {n}", starts.len(), sizes.len());
            return Err(PyValueError::new_err(message));
        }
        let is_inside = |(&start, &size): (&i64, &i64)| {
            let end = start.checked_add(size).and_then(|end| usize::try_from(end).ok());
            start >= 0 && size >= 0 && end.is_some_and(|end| end <= flat.len())
        };
        if !starts.iter().zip(sizes.iter()).all(is_inside) {
            return Err(PyValueError::new_err("a list is outside of the integers"));
        }
        let integers = Self { flat, starts, sizes };
        if integers.all().any(|integer| integer < 0) {
            return Err(PyValueError::new_err("an integer of a list is negative"));
        }
        Ok(integers)
    }

    /// Yield the integers of all lists, which may be few of those in the array.
    fn all(&self) -> impl Iterator<Item = i32> {
        self.lists().flatten().copied()
    }

    fn lists(&self) -> impl Iterator<Item = &[i32]> {
        (0..self.starts.len() as u32).map(|text| self.get(text))
    }

    fn get(&self, text: u32) -> &[i32] {
        &self.flat[self.starts[text as usize] as usize..][..self.sizes[text as usize] as usize]
    }

    /// Return how many texts have each integer, or how often all of them have it. Panics if memory is short.
    fn frequencies(&self) -> Vec<u32> {
        let mut counts = zeros(self.all().max().map_or(0, |most| most as usize + 1));
        for integer in self.all() {
            counts[integer as usize] += 1;
        }
        counts
    }
}

/// The kept texts by the rarest tokens of each.
struct WordIndex {
    few: HashMap<i32, Vec<u32>>,
    many: HashMap<i32, Vec<u32>>,
    least: f64,
    /// Of two texts with a <= b tokens, a share s of all is common if 2 s / (1 + s) of a, and s of b, are at least.
    of_smaller: f64,
    /// How many texts have each token.
    frequencies: Vec<u32>,
}

impl WordIndex {
    fn new(tokens: &Integers, least: f64) -> Self {
        Self {
            few: HashMap::new(),
            many: HashMap::new(),
            least,
            of_smaller: 2.0 * least / (1.0 + least),
            frequencies: tokens.frequencies(),
        }
    }

    /// Return the rarest tokens of which a similar text has some; those that no other text has cannot be common.
    fn prefix<'a>(&self, tokens: &'a [i32], share: f64) -> &'a [i32] {
        let end = (tokens.len() - rounded_up(share, tokens.len()).min(tokens.len()) + SHARED).min(tokens.len());
        let alone = tokens[..end].iter().take_while(|&&token| self.frequencies[token as usize] == 1).count();
        &tokens[alone..end]
    }

    fn add(&mut self, text: u32, tokens: &[i32]) {
        for &token in self.prefix(tokens, self.of_smaller) {
            self.few.entry(token).or_default().push(text);
        }
        for &token in self.prefix(tokens, self.least) {
            self.many.entry(token).or_default().push(text);
        }
    }

    /// Return the lists of a text, each part the shortest first: of kept texts with at least as many tokens, and of others.
    fn lists(&self, tokens: &[i32]) -> [WordLists<'_>; 2] {
        let least = rounded_up(self.least, rounded_up(self.least, tokens.len())).clamp(1, SHARED);
        [(&self.many, self.of_smaller), (&self.few, self.least)].map(|(index, share)| {
            let lists = self.prefix(tokens, share).iter().filter_map(|token| index.get(token));
            let mut lists: Vec<_> = lists.map(Vec::as_slice).collect();
            lists.sort_unstable_by_key(|list| list.len());
            WordLists::new(lists, least)
        })
    }
}

/// Lists of kept texts of which a similar text is in some.
struct WordLists<'a> {
    read: Vec<&'a [u32]>,
    /// The longest.
    others: Vec<&'a [u32]>,
    /// Of all lists, those that a similar text is in.
    least: usize,
    /// Of all lists that are read.
    length: usize,
}

impl<'a> WordLists<'a> {
    /// Divide the lists: a similar text is in more than the longest others.
    ///
    /// Of these, a list that is no longer than what is read before it is read as well: that takes less time than a
    /// search in it for each text that was found.
    fn new(mut lists: Vec<&'a [u32]>, least: usize) -> Self {
        let mut end = lists.len().saturating_sub(least - 1);
        let mut length = lists[..end].iter().map(|list| list.len()).sum();
        while let Some(list) = lists.get(end).filter(|list| list.len() <= length) {
            length += list.len();
            end += 1;
        }
        let others = lists.split_off(end);
        Self { read: lists, others, least, length }
    }

    /// Return the kept texts that are in as many lists as a similar one is. The counts, one for each text, are 0 again.
    fn find(&self, counts: &mut [u8]) -> Vec<u32> {
        let fewest = self.least.saturating_sub(self.others.len()).max(1) as u8;
        let mut found = Vec::new();
        for list in &self.read {
            for &text in *list {
                let count = &mut counts[text as usize];
                *count = count.saturating_add(1);
                if *count == fewest {
                    found.push(text);
                }
            }
        }
        found.retain(|text| {
            let more = self.others.iter().filter(|list| list.binary_search(text).is_ok());
            usize::from(counts[*text as usize]) + more.count() >= self.least
        });
        for list in &self.read {
            for &text in *list {
                counts[text as usize] = 0;
            }
        }
        found
    }
}

/// The kept texts by their numbers.
struct NumberIndex {
    /// By a hash of what texts share that have equally many numbers, and each all numbers of the other one.
    equal: HashMap<u64, Vec<u32>>,
    /// By a number, and by how many numbers a kept text has: more than a text of which this number is the rarest.
    having: BTreeMap<(i32, usize), Vec<u32>>,
    frequencies: Vec<u32>,
    /// How many numbers a text has at least of which a number is the rarest.
    fewest: Vec<usize>,
    hasher: RandomState,
}

impl NumberIndex {
    fn new(numbers: &Integers) -> Self {
        let frequencies = numbers.frequencies();
        let mut fewest: Vec<usize> = zeros(frequencies.len());
        fewest.fill(usize::MAX);
        for own in numbers.lists() {
            if let Some(number) = rarest(own, &frequencies) {
                fewest[number as usize] = own.len().min(fewest[number as usize]);
            }
        }
        Self { equal: HashMap::new(), having: BTreeMap::new(), frequencies, fewest, hasher: RandomState::new() }
    }

    fn add(&mut self, text: u32, numbers: &[i32]) {
        let one = || Vec::with_capacity(1); // most lists have one text
        self.equal.entry(self.key(numbers)).or_insert_with(one).push(text);
        let mut distinct = numbers.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        for number in distinct {
            if numbers.len() > self.fewest[number as usize] {
                self.having.entry((number, numbers.len())).or_insert_with(one).push(text);
            }
        }
    }

    /// Return lists of kept texts, of which one has each that has all of some numbers; None if there are no numbers.
    fn lists(&self, numbers: &[i32]) -> Option<Vec<&[u32]>> {
        let rarest = rarest(numbers, &self.frequencies)?;
        let more = self.having.range((rarest, numbers.len() + 1)..=(rarest, usize::MAX));
        let equal = self.equal.get(&self.key(numbers));
        Some(equal.into_iter().chain(more.map(|(_, list)| list)).map(Vec::as_slice).collect())
    }

    fn key(&self, numbers: &[i32]) -> u64 {
        if numbers.len() <= ORDERED {
            return self.hasher.hash_one(numbers);
        }
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        self.hasher.hash_one(sorted)
    }
}

fn rarest(numbers: &[i32], frequencies: &[u32]) -> Option<i32> {
    numbers.iter().copied().min_by_key(|&number| frequencies[number as usize])
}

/// Return the least number of tokens that is a share of so many.
fn rounded_up(share: f64, tokens: usize) -> usize {
    (share * tokens as f64 - ROUNDING).ceil().max(0.0) as usize
}

/// Return whether a text has all numbers of another one, as often, and in their order if there are few.
fn contains(kept: &[i32], left: &[i32]) -> bool {
    if left.len() > kept.len() {
        return false;
    }
    let (mut kept, mut left) = (kept.to_vec(), left.to_vec());
    if left.len() > ORDERED {
        kept.sort_unstable();
        left.sort_unstable();
    }
    let mut rest = kept.iter();
    left.iter().all(|one| rest.any(|other| other == one))
}

/// The texts, and those that are kept.
struct Search {
    fingerprints: Array<u64>,
    lanes: usize,
    distance: u32,
    least: f64,
    tokens: Integers,
    is_first: Array<u8>,
    numbers: Option<(Integers, NumberIndex)>,
    words: WordIndex,
    /// In how many lists each text is; all are 0 between two searches.
    counts: Vec<u8>,
}

impl Search {
    /// Return the first kept text that a text is left out for, and the share of common tokens.
    fn first_similar(&mut self, text: u32) -> Option<(u32, f64)> {
        self.candidates(text).into_iter().find_map(|other| {
            let share =
                (self.is_near(text, other) && self.has_numbers(text, other)).then(|| self.similarity(text, other));
            share.flatten().map(|share| (other, share))
        })
    }

    fn candidates(&mut self, text: u32) -> Vec<u32> {
        let words = self.words.lists(self.tokens.get(text));
        let length = words.iter().map(|lists| lists.length).sum();
        let lists = self.numbers.as_ref().and_then(|(numbers, index)| index.lists(numbers.get(text)));
        let mut found = match lists.filter(|lists| lists.iter().map(|list| list.len()).sum::<usize>() < length) {
            Some(lists) => lists.concat(),
            None => words.iter().flat_map(|lists| lists.find(&mut self.counts)).collect(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    fn keep(&mut self, text: u32) {
        self.words.add(text, self.tokens.get(text));
        if let Some((numbers, index)) = &mut self.numbers {
            index.add(text, numbers.get(text));
        }
    }

    fn is_near(&self, text: u32, other: u32) -> bool {
        let row = |number: u32| &self.fingerprints[number as usize * self.lanes..][..self.lanes];
        let bits: u32 = row(text).iter().zip(row(other)).map(|(a, b)| (a ^ b).count_ones()).sum();
        bits <= self.distance
    }

    fn has_numbers(&self, text: u32, other: u32) -> bool {
        self.numbers.as_ref().is_none_or(|(numbers, _)| contains(numbers.get(other), numbers.get(text)))
    }

    /// Return the share of common tokens of two texts, if that of the distinct ones is large enough as well.
    fn similarity(&self, text: u32, other: u32) -> Option<f64> {
        let (left, right) = (self.tokens.get(text), self.tokens.get(other));
        let distinct = |tokens: &[i32]| tokens.iter().filter(|&&token| self.is_first[token as usize] != 0).count();
        let (mut common, mut common_distinct) = (0, 0);
        // So many of the left ones may not be common: if the share is least, (1 + share) * common is share * both.
        let needed = rounded_up(self.words.of_smaller / 2.0, left.len() + right.len());
        let mut missing = left.len().checked_sub(needed)?;
        let mut rest = right.iter().peekable();
        for token in left {
            while rest.next_if(|&other| other < token).is_some() {}
            if rest.peek() == Some(&token) {
                common += 1;
                common_distinct += usize::from(self.is_first[*token as usize] != 0);
            } else {
                missing = missing.checked_sub(1)?;
            }
        }
        let share = |common: usize, all: usize| common as f64 / all.max(1) as f64;
        let of_all = share(common, left.len() + right.len() - common);
        let of_distinct = share(common_distinct, distinct(left) + distinct(right) - common_distinct);
        (of_all >= self.least && of_distinct >= self.least).then_some(of_all)
    }
}

/// Assign each text to the first kept text that is near, is similar, and has its numbers.
#[pyfunction]
#[pyo3(signature = (fingerprints, tokens, is_first, numbers, protected, distance, least))]
pub fn assign_similar<'py>(
    fingerprints: &Bound<'py, PyAny>,
    tokens: Lists<'py>,
    is_first: &Bound<'py, PyAny>,
    numbers: Option<Lists<'py>>,
    protected: &Bound<'py, PyAny>,
    distance: u32,
    least: f64,
) -> PyResult<Both<'py>> {
    let py = fingerprints.py();
    let (fingerprints, is_first, protected) =
        (Array::of(fingerprints)?, Array::of(is_first)?, Array::<u8>::of(protected)?);
    let (lanes, n) = (fingerprints.columns()?, protected.len());
    if fingerprints.len() != n * lanes || u32::try_from(n).is_err() {
        let message =
            format!("{n} texts, and {} fingerprints; expected as many, under 2^32", fingerprints.len() / lanes);
        return Err(PyValueError::new_err(message));
    }
    if !(least > 0.0 && least <= 1.0) {
        return Err(PyValueError::new_err(format!("the least share is {least}; expected over 0, at most 1")));
    }
    let tokens = Integers::of(&tokens, n)?;
    if tokens.all().any(|token| token as usize >= is_first.len()) {
        return Err(PyValueError::new_err(format!("a token is not among {}", is_first.len())));
    }
    let numbers = numbers.map(|lists| Integers::of(&lists, n)).transpose()?;
    let mut search = fallible(|| {
        let numbers = numbers.map(|numbers| {
            let index = NumberIndex::new(&numbers);
            (numbers, index)
        });
        let words = WordIndex::new(&tokens, least);
        Ok(Search { fingerprints, lanes, distance, least, tokens, is_first, numbers, words, counts: zeros(n) })
    })?;
    let (mut representatives, mut similarities) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for start in (0..n).step_by(SIGNALS) {
        py.check_signals()?;
        py.detach(|| {
            for text in start as u32..(start + SIGNALS).min(n) as u32 {
                let found = if protected[text as usize] == 0 { search.first_similar(text) } else { None };
                let (first, share) = found.unwrap_or((text, 1.0));
                representatives.push(first);
                similarities.push(share);
                if first == text {
                    search.keep(text);
                }
            }
        });
    }
    drop(search);
    let position = |text: u32| i64::from(text).to_ne_bytes();
    Ok((bytearray(py, &representatives, position)?, bytearray(py, &similarities, f64::to_ne_bytes)?))
}
