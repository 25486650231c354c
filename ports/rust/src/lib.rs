//! Similarity fingerprints of documents by simhash-doc, version 1.
//!
//! Documents that share most of their words get fingerprints that differ in few bits. Every implementation of the
//! specification computes the same fingerprint of the same text.
//!
//! ```
//! use simhash_doc::{fingerprint, Scheme};
//!
//! let a = fingerprint("The first café opens at nine: https://example.org/menu.", Scheme::Sd64)?;
//! let b = fingerprint(b"THE FIRST CAF\xC3\x89 OPENS AT NINE!", Scheme::Sd64)?; // UTF-8
//! let c = fingerprint("The second café opens at eight", Scheme::Sd64)?;
//! assert_eq!(a, b);
//! assert!(a.distance(&c)? > Scheme::Sd64.close());
//! assert_eq!(a.to_string().len(), "sd64:".len() + 13);
//! # Ok::<(), simhash_doc::Error>(())
//! ```
//!
//! [`Accumulator`] takes a document in pieces; [`Index`] finds the fingerprints near another one.
//!
//! Bytes are read as UTF-8; each ill-formed part becomes U+FFFD. Unicode data comes from the specification (Unicode
//! 15.0), not from the platform. The steps take time linear in the text; tokens that were chosen to collide take
//! logarithmic time each.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

extern crate alloc;

mod accumulator;
mod ascii;
mod buffer;
mod counts;
mod error;
mod fingerprint;
mod fold;
mod index;
mod links;
#[doc(hidden)]
pub mod memory;
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod plain;
mod scan;
mod scheme;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sixteen;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;
mod steps;
mod sums;
#[rustfmt::skip]
mod tables;
mod unicode;
mod xxh64;

use alloc::vec::Vec;

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use crate::plain as wide;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::sse2 as wide;

pub use accumulator::{Accumulator, TokenCounts};
pub use error::Error;
pub use fingerprint::Fingerprint;
pub use index::{Index, InsertError};
pub use scheme::Scheme;
pub use steps::{Trace, fold, hash_token, remove_links, tokens, trace};
pub use tables::DATA_DIGEST;
pub use xxh64::xxh64;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The version of the specification.
pub const SPECIFICATION: &str = "1.0.0-rc.4";

/// Return the fingerprint of a document: a text, or bytes in UTF-8.
///
/// # Errors
/// [`Error::NoToken`] if the document contains no token.
///
/// ```
/// use simhash_doc::{fingerprint, Error, Scheme};
///
/// let text = "The ﬁrst _CAFÉ_ opens; see https://example.org/menu. 東京 2024";
/// assert_eq!(fingerprint(text, Scheme::Sd64)?.to_string(), "sd64:raeidodvqipge");
/// assert_eq!(fingerprint(text.as_bytes(), Scheme::Sd128)?.to_string(), "sd128:raeidodvqipgeeaahak4gvbbsa");
/// assert_eq!(fingerprint("12 34", Scheme::Sd64), Err(Error::NoToken));
/// # Ok::<(), Error>(())
/// ```
pub fn fingerprint(document: impl AsRef<[u8]>, scheme: Scheme) -> Result<Fingerprint, Error> {
    accumulator::token_counts(document.as_ref()).fingerprint(scheme)
}

/// Return the buckets of a document, from -127 to 127, lane by lane.
///
/// # Errors
/// [`Error::NoToken`] if the document contains no token.
///
/// ```
/// let buckets = simhash_doc::buckets("one two three", simhash_doc::Scheme::Sd64)?;
/// assert_eq!(buckets[..10], [-1, 1, 1, -1, 1, -1, -1, 1, 1, -3]);
/// # Ok::<(), simhash_doc::Error>(())
/// ```
pub fn buckets(document: impl AsRef<[u8]>, scheme: Scheme) -> Result<Vec<i8>, Error> {
    accumulator::token_counts(document.as_ref()).buckets(scheme)
}
