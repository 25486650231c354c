//! Texts larger than 16 MiB.

use simhash_doc::{Accumulator, Scheme, buckets};

const LARGE: usize = (1 << 24) + 1;

#[test]
fn a_large_text_is_read_to_its_end() {
    let text = "one two ".repeat(LARGE / 8) + "three";
    assert_eq!(buckets(text, Scheme::Sd64), buckets("one two ".repeat(8) + "three", Scheme::Sd64));
}

/// What is kept of a text for later is small, wherever it cannot be cut.
#[test]
fn a_state_is_small() {
    for part in
        ["ภาษาไทยไม่มีช่องว่าง", "ひらがなとカタカナ", "漢字", "𠀀", "http://a.example/x", "a@b.cd.", "ab ", "か\u{3099}"]
    {
        for size in [1, 1000, 1 << 20] {
            let (mut accumulator, text) = (Accumulator::new(), part.repeat((1 << 20) / part.len()));
            text.as_bytes().chunks(size).for_each(|piece| accumulator.push(piece));
            assert!(accumulator.state().1.len() < 1 << 16, "{part} {size}");
        }
    }
}

#[test]
fn a_token_may_be_large() {
    let text = format!("one {}a", "1".repeat(LARGE));
    let mut accumulator = Accumulator::new();
    for piece in text.as_bytes().chunks(100_000) {
        accumulator.push(piece);
    }
    let ones = |token: &str, bit: usize| simhash_doc::hash_token(token, Scheme::Sd64)[0] >> bit & 1;
    for (bit, &bucket) in accumulator.finish().buckets(Scheme::Sd64).unwrap().iter().enumerate() {
        assert_eq!(i64::from(bucket), 2 * (ones("one", bit) + ones(&text[4..], bit)) as i64 - 2);
    }
}

#[test]
fn a_link_may_be_large() {
    let text = format!("one http://{} two", "a.".repeat(LARGE / 2));
    assert_eq!(buckets(text, Scheme::Sd64), buckets("one two", Scheme::Sd64));
}

#[test]
fn a_run_of_marks_may_be_large() {
    let text = format!("a{} b", "\u{301}\u{323}".repeat(LARGE / 4));
    assert_eq!(simhash_doc::tokens(text), ["a", "b"]);
}
