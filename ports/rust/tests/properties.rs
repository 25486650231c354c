//! Properties that hold for all documents: of their steps, in pieces, of text forms and of searches.

use std::collections::BTreeMap;

use proptest::prelude::*;
use simhash_doc::{Accumulator, Error, Fingerprint, Index, Scheme, TokenCounts};

/// Parts of words, links, marks and ill-formed bytes, in which two versions could differ.
const FRAGMENTS: [&str; 65] = [
    " ",
    ".",
    "-",
    "_",
    ":",
    "/",
    "@",
    "+",
    "%",
    "a",
    "b",
    "z",
    "Z",
    "1",
    "10.",
    "://",
    "http://",
    "www.",
    "doi:",
    "mailto:",
    "urn:",
    "the",
    "e1f0",
    "d41d8cd98f00b204e9800998ecf8427e",
    "123e4567-e89b-12d3-a456-426614174000",
    "10.1000/182",
    "ann@example.org",
    "a.b-c+d",
    "\u{301}",
    "\u{323}",
    "\u{345}",
    "\u{9be}",
    "\u{9c7}",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{ac00}",
    "é",
    "ẹ",
    "ß",
    "ﬁ",
    "İ",
    "Ω",
    "東",
    "京",
    "カ",
    "\u{e31}",
    "\u{e48}",
    "\u{ad}",
    "\u{200d}",
    "\u{203f}",
    "\u{2040}",
    "\u{378}",
    "\u{1c89}",
    "\u{e0100}",
    "\u{1d15e}",
    "٣",
    "हिन्दी",
    "…",
    "ﬃ",
    "\u{fdfa}",
    "\u{fe33}",
    "𝐀",
    "𐐀",
    "𠀀",
];

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        12 => (0..FRAGMENTS.len()).prop_map(|place| FRAGMENTS[place].as_bytes().to_vec()),
        2 => (0..FRAGMENTS.len(), 25..70usize).prop_map(|(place, count)| FRAGMENTS[place].repeat(count).into_bytes()),
        2 => any::<char>().prop_map(|scalar| scalar.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ]
}

fn document() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(fragment(), 0..40).prop_map(|fragments| fragments.concat())
}

fn in_pieces(document: &[u8], cuts: &[prop::sample::Index]) -> Accumulator {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(document.len() + 1)).collect();
    cuts.sort_unstable();
    let (mut accumulator, mut start) = (Accumulator::new(), 0);
    for cut in cuts {
        accumulator.push(&document[start..cut]);
        start = cut;
    }
    accumulator.push(&document[start..]);
    accumulator
}

fn resumed(accumulator: &Accumulator) -> Accumulator {
    let (counts, rest) = accumulator.state();
    Accumulator::resume(counts.clone(), &rest).expect("a state")
}

fn entries(counts: &TokenCounts) -> (u64, BTreeMap<Vec<u8>, u8>) {
    let mut entries = BTreeMap::new();
    counts.for_each(|token, count| assert!(entries.insert(token.to_vec(), count).is_none()));
    (counts.total(), entries)
}

proptest! {
    #[test]
    fn folding_twice_changes_nothing(document in document()) {
        let folded = simhash_doc::fold(&document);
        prop_assert_eq!(simhash_doc::fold(&folded), &folded[..]);
        prop_assert_eq!(simhash_doc::tokens(&folded), simhash_doc::tokens(&document));
        prop_assert_eq!(simhash_doc::buckets(&folded, Scheme::Sd128), simhash_doc::buckets(&document, Scheme::Sd128));
    }

    #[test]
    fn a_trace_has_the_results_of_the_steps(document in document()) {
        let trace = simhash_doc::trace(&document, Scheme::Sd128);
        prop_assert_eq!(&trace.folded, &simhash_doc::fold(&document));
        prop_assert_eq!(&trace.link_free, &simhash_doc::remove_links(&trace.folded));
        prop_assert_eq!(&trace.tokens, &simhash_doc::tokens(&document));
        let results = simhash_doc::buckets(&document, Scheme::Sd128)
            .and_then(|buckets| Ok((buckets, simhash_doc::fingerprint(&document, Scheme::Sd128)?)));
        prop_assert_eq!(trace.result, results);
    }

    #[test]
    fn a_document_may_be_cut_anywhere(
        document in document(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        copies in prop_oneof![Just(1), 1..200usize],
    ) {
        let document = document.repeat(copies);
        let whole = simhash_doc::buckets(&document, Scheme::Sd64);
        prop_assert_eq!(in_pieces(&document, &cuts).finish().buckets(Scheme::Sd64), whole);
        let tokens = simhash_doc::tokens(&document).join(" ");
        let mut single = Accumulator::new();
        tokens.bytes().for_each(|byte| single.push([byte]));
        prop_assert_eq!(single.fingerprint(Scheme::Sd64), simhash_doc::fingerprint(&tokens, Scheme::Sd64));
    }

    #[test]
    fn a_state_goes_on_anywhere(document in document(), size in 1..70usize, copies in prop_oneof![Just(1), 1..200usize]) {
        let document = document.repeat(copies);
        let mut accumulator = Accumulator::new();
        for piece in document.chunks(size.max(document.len() / 20)) {
            accumulator.push(piece);
            accumulator = resumed(&accumulator);
        }
        prop_assert_eq!(entries(&accumulator.finish()), entries(Accumulator::new().count(&document)));
    }

    #[test]
    fn any_state_goes_on_or_is_refused(
        begun in 0..10u8, read in document(), more in document(), copies in prop_oneof![Just(1), 1..200usize],
    ) {
        if let Some(mut accumulator) = Accumulator::resume(TokenCounts::default(), &[&[begun], &read[..]].concat()) {
            accumulator.push(more.repeat(copies));
            prop_assert_eq!(accumulator.clone().finish().total(), accumulator.finish().total());
        }
    }

    #[test]
    fn the_counts_are_those_of_the_tokens(documents in prop::collection::vec(document(), 1..4)) {
        let mut accumulator = Accumulator::new();
        for document in documents {
            let mut expected = BTreeMap::new();
            let tokens = simhash_doc::tokens(&document);
            tokens.iter().for_each(|token| *expected.entry(token.as_bytes().to_vec()).or_insert(0u64) += 1);
            let counts = accumulator.count(&document);
            prop_assert_eq!(counts.total(), tokens.len() as u64);
            expected.values_mut().for_each(|count| *count = 8.min(*count));
            let mut found = BTreeMap::new();
            counts.for_each(|token, count| assert!(found.insert(token.to_vec(), u64::from(count)).is_none()));
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(counts.weights(), (expected.values().sum(), expected.values().map(|count| count * count).sum()));
            let mut again = simhash_doc::TokenCounts::default();
            counts.for_each(|token, count| again.add(token, count));
            prop_assert_eq!(again.sums(Scheme::Sd128), counts.sums(Scheme::Sd128));
            for scheme in Scheme::ALL {
                let sums = counts.sums(scheme);
                for (bits, lane) in sums.chunks(64).zip(counts.fingerprint(scheme).map_or(vec![0; 8], |one| one.lanes().to_vec())) {
                    prop_assert!(bits.iter().enumerate().all(|(bit, &sum)| (lane >> bit & 1 == 1) == (sum > 0)));
                }
            }
        }
    }

    #[test]
    fn merged_texts_are_separated_texts(first in document(), second in document()) {
        let mut merged = in_pieces(&first, &[]);
        merged.merge(in_pieces(&second, &[]));
        let joined = [&first[..], b" ", &second].concat();
        prop_assert_eq!(merged.fingerprint(Scheme::Sd64), simhash_doc::fingerprint(joined, Scheme::Sd64));
    }

    #[test]
    fn a_text_form_is_read_back(bytes in prop::collection::vec(any::<u8>(), 64), scheme in 0..4usize, custom: bool) {
        let scheme = Scheme::ALL[scheme];
        let fingerprint = Fingerprint::from_bytes(scheme, &bytes[..scheme.lanes() * 8]).unwrap();
        let fingerprint = if custom { fingerprint.customised() } else { fingerprint };
        prop_assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        prop_assert_eq!(fingerprint.to_string().to_uppercase().parse(), Ok(fingerprint));
        prop_assert_eq!(fingerprint.to_base32().len(), scheme.characters());
    }

    #[test]
    fn narrowing_keeps_the_first_bytes(bytes in prop::collection::vec(any::<u8>(), 64), custom: bool) {
        let of = |scheme: Scheme| {
            let fingerprint = Fingerprint::from_bytes(scheme, &bytes[..scheme.lanes() * 8]).unwrap();
            if custom { fingerprint.customised() } else { fingerprint }
        };
        for (wide, narrow) in Scheme::ALL.into_iter().flat_map(|wide| Scheme::ALL.map(|narrow| (wide, narrow))) {
            let expected = if narrow <= wide { Ok(of(narrow)) } else { Err(Error::SchemeMismatch) };
            prop_assert_eq!(of(wide).narrow(narrow), expected);
        }
    }

    #[test]
    fn any_string_is_read_or_refused(text in "(sd64|SD128|)(\\+custom)?:?[a-z2-7=é]{0,30}") {
        if let Ok(fingerprint) = text.parse::<Fingerprint>() {
            prop_assert!(fingerprint.to_string().ends_with(text.split(':').next_back().unwrap()));
        }
    }

    #[test]
    fn all_pairs_are_those_that_queries_find(
        seeds in prop::collection::vec((0..3u64, prop::collection::vec(0..512usize, 0..5)), 0..30),
        scheme in 0..4usize,
        distance in prop_oneof![0..12u32, Just(600)],
    ) {
        let scheme = Scheme::ALL[scheme];
        let mut index = Index::new(scheme);
        let mut fingerprints = Vec::new();
        for (id, (seed, flips)) in seeds.iter().enumerate() {
            let mut bytes: Vec<u8> = (0..8).flat_map(|lane| simhash_doc::xxh64(&[lane], *seed).to_be_bytes()).collect();
            flips.iter().for_each(|flip| bytes[flip / 8] ^= 1 << (flip % 8));
            let fingerprint = Fingerprint::from_bytes(scheme, &bytes[..scheme.lanes() * 8]).unwrap();
            index.insert(id, fingerprint).unwrap();
            fingerprints.push(fingerprint);
        }
        let mut expected = Vec::new();
        for (a, fingerprint) in fingerprints.iter().enumerate() {
            let near = index.query(fingerprint, distance).unwrap();
            let by_distance = |b: &usize| fingerprint.distance(&fingerprints[*b]).unwrap() <= distance;
            prop_assert_eq!(near.iter().map(|&&b| b).collect::<Vec<_>>(), (0..seeds.len()).filter(by_distance).collect::<Vec<_>>());
            expected.extend(near.into_iter().filter(|&&b| a < b).map(|&b| (a, b)));
        }
        let pairs: Vec<_> = index.find_all(distance).into_iter().map(|(&a, &b)| (a, b)).collect();
        prop_assert_eq!(pairs, expected);
    }

    #[test]
    fn a_changed_index_has_the_entries_that_are_left(
        steps in prop::collection::vec((0..9u8, 0..16u64, any::<bool>()), 0..60),
        scheme in 0..4usize,
    ) {
        let scheme = Scheme::ALL[scheme];
        let (mut index, mut left) = (Index::new(scheme), BTreeMap::new());
        for (id, bits, inserted) in steps {
            let bytes: Vec<u8> = (0..scheme.lanes()).flat_map(|_| bits.to_be_bytes()).collect();
            let fingerprint = Fingerprint::from_bytes(scheme, &bytes).unwrap();
            if !inserted {
                prop_assert_eq!(index.remove(&id), left.remove(&id).is_some());
            } else if index.insert(id, fingerprint).is_ok() {
                prop_assert_eq!(left.insert(id, fingerprint), None);
            } else {
                prop_assert!(left.contains_key(&id));
            }
        }
        prop_assert_eq!(index.len(), left.len());
        for fingerprint in left.values() {
            let mut near: Vec<u8> = index.query(fingerprint, 2).unwrap().into_iter().copied().collect();
            near.sort_unstable();
            let expected = left.iter().filter(|(_, other)| fingerprint.distance(other).unwrap() <= 2);
            prop_assert_eq!(near, expected.map(|(&id, _)| id).collect::<Vec<_>>());
        }
    }
}
