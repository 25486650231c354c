use alloc::string::String;
use alloc::vec::Vec;

use crate::accumulator::token_counts;
use crate::buffer::Buffer;
use crate::fold::Folder;
use crate::scan::{Scanner, Sink};
use crate::{Error, Fingerprint, Scheme, links, xxh64};

/// Return the folded text of a document (specification, section 4).
///
/// ```
/// assert_eq!(simhash_doc::fold("Straße ﬁne ＡＢＣ Ω"), "strasse fine abc ω");
/// ```
#[must_use]
pub fn fold(document: impl AsRef<[u8]>) -> String {
    text(folded(document.as_ref()).text())
}

/// Return a folded text with its links replaced by spaces (specification, section 5).
///
/// ```
/// assert_eq!(simhash_doc::remove_links("see http://a.example/x?y=(1). now"), "see   now");
/// ```
#[must_use]
pub fn remove_links(folded: &str) -> String {
    text(&links::remove(folded.as_bytes()))
}

/// Return the tokens of a document in their order, repeated ones repeated (specification, section 6).
///
/// ```
/// assert_eq!(simhash_doc::tokens("snake_case _naïve_; the 3rd — 42"), ["snake_case", "naïve", "the", "3rd"]);
/// ```
#[must_use]
pub fn tokens(document: impl AsRef<[u8]>) -> Vec<String> {
    let (mut scanner, mut list, mut folded) = (Scanner::default(), List(Vec::new()), folded(document.as_ref()));
    let length = folded.len();
    scanner.scan(&mut folded, length, true, &mut list);
    list.0
}

/// Return the hash of a token, lane by lane (specification, section 7).
///
/// ```
/// assert_eq!(simhash_doc::hash_token("a", simhash_doc::Scheme::Sd64), [0xd24e_c4f1_a98c_6e5b]);
/// ```
#[must_use]
pub fn hash_token(token: &str, scheme: Scheme) -> Vec<u64> {
    (0..scheme.lanes() as u64).map(|seed| xxh64(token.as_bytes(), seed)).collect()
}

/// The results of all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The folded text.
    pub folded: String,
    /// The link-free text.
    pub link_free: String,
    /// The tokens in their order, repeated ones repeated.
    pub tokens: Vec<String>,
    /// The buckets lane by lane, and the fingerprint.
    pub result: Result<(Vec<i8>, Fingerprint), Error>,
}

/// Return the results of all steps.
///
/// ```
/// let trace = simhash_doc::trace("See www.example.org: 東京 2024", simhash_doc::Scheme::Sd64);
/// assert_eq!(trace.link_free, "see   東京 2024");
/// assert_eq!(trace.tokens, ["see", "東京"]);
/// ```
#[must_use]
pub fn trace(document: impl AsRef<[u8]>, scheme: Scheme) -> Trace {
    let document = document.as_ref();
    let (folded, counts) = (fold(document), token_counts(document));
    Trace {
        link_free: remove_links(&folded),
        folded,
        tokens: tokens(document),
        result: counts.buckets(scheme).and_then(|buckets| Ok((buckets, counts.fingerprint(scheme)?))),
    }
}

fn folded(document: &[u8]) -> Buffer {
    let (mut folder, mut out) = (Folder::default(), Buffer::default());
    folder.push(document, &mut out);
    folder.finish(&mut out);
    out
}

struct List(Vec<String>);

impl Sink for List {
    const ANY_ORDER: bool = false;

    fn take(&mut self, is_token: bool, bytes: &[u8], start: usize, end: usize) {
        if is_token {
            self.0.push(text(&bytes[start..end]));
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
