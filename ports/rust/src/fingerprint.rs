use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::{Error, Scheme};

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const CUSTOM: &str = "+custom";

/// A fingerprint: its scheme, its bits, and whether it is canonical.
///
/// ```
/// use simhash_doc::{Fingerprint, Scheme};
///
/// let fingerprint: Fingerprint = "SD64:RAEIDODVQIPGE".parse()?;
/// assert_eq!(fingerprint.to_string(), "sd64:raeidodvqipge");
/// assert_eq!(fingerprint.lanes(), [0x880881b875821e62]);
/// assert_eq!(fingerprint.distance(&"sd64:raeidodvqipgi".parse()?)?, 2);
/// # Ok::<(), simhash_doc::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    scheme: Scheme,
    lanes: [u64; 8],
    canonical: bool,
}

impl Fingerprint {
    pub(crate) fn from_lanes(scheme: Scheme, lanes: [u64; 8]) -> Self {
        Self { scheme, lanes, canonical: true }
    }

    /// Return the canonical fingerprint of these bytes, most significant first.
    ///
    /// # Errors
    /// [`Error::BadLength`] if their number is not that of the scheme.
    pub fn from_bytes(scheme: Scheme, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != scheme.lanes() * 8 {
            return Err(Error::BadLength);
        }
        let mut lanes = [0; 8];
        for (lane, bytes) in lanes.iter_mut().zip(bytes.chunks_exact(8)) {
            *lane = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        }
        Ok(Self::from_lanes(scheme, lanes))
    }

    /// Parse a text form, with or without its scheme, of which the reader expects a scheme.
    ///
    /// # Errors
    /// All but [`Error::NoToken`], the first in the order of SD-TEXT-4.
    pub fn parse(text: &str, expected: Option<Scheme>) -> Result<Self, Error> {
        let (named, canonical, digits) = match text.split_once(':') {
            None => (None, true, text),
            Some((prefix, digits)) => {
                let (id, canonical) = without_mark(prefix);
                let mut schemes = Scheme::ALL.into_iter();
                let scheme = schemes.find(|scheme| scheme.id().eq_ignore_ascii_case(id));
                (Some(scheme.ok_or(Error::UnknownScheme)?), canonical, digits)
            }
        };
        if let (Some(named), Some(expected)) = (named, expected) {
            if named != expected {
                return Err(Error::SchemeMismatch);
            }
        }
        if digits.contains('=') {
            return Err(Error::Padding);
        }
        if !digits.bytes().all(|byte| digit(byte).is_some()) {
            return Err(Error::BadCharacter);
        }
        let by_length = || Scheme::ALL.into_iter().find(|scheme| scheme.characters() == digits.len());
        let scheme = named.or(expected).or_else(by_length).ok_or(Error::BadLength)?;
        if digits.len() != scheme.characters() {
            return Err(Error::BadLength);
        }
        let lanes = decode(digits.as_bytes(), scheme.bits())?;
        Ok(Self { scheme, lanes, canonical })
    }

    /// Return the same fingerprint marked as customised (specification, section 11).
    #[must_use]
    pub const fn customised(mut self) -> Self {
        self.canonical = false;
        self
    }

    /// Return whether the fingerprint is canonical, which is to say not customised.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Return the scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Return the lanes: 1, 2, 4 or 8 integers.
    #[must_use]
    pub fn lanes(&self) -> &[u64] {
        &self.lanes[..self.scheme.lanes()]
    }

    /// Return the bytes, most significant first.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lanes().iter().flat_map(|lane| lane.to_be_bytes()).collect()
    }

    /// Return the fingerprint of the same text in a scheme that is not wider: its first bits (specification,
    /// section 13). A customised fingerprint stays customised.
    ///
    /// # Errors
    /// [`Error::SchemeMismatch`] if the scheme is wider.
    ///
    /// ```
    /// use simhash_doc::{Error, Fingerprint, Scheme};
    ///
    /// let wide: Fingerprint = "sd128:raeidodvqipgeeaahak4gvbbsa".parse()?;
    /// assert_eq!(wide.narrow(Scheme::Sd64)?.to_string(), "sd64:raeidodvqipge");
    /// assert_eq!(wide.narrow(Scheme::Sd256), Err(Error::SchemeMismatch));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn narrow(&self, scheme: Scheme) -> Result<Self, Error> {
        if scheme > self.scheme {
            return Err(Error::SchemeMismatch);
        }
        let mut lanes = [0; 8];
        lanes[..scheme.lanes()].copy_from_slice(&self.lanes[..scheme.lanes()]);
        Ok(Self { scheme, lanes, canonical: self.canonical })
    }

    /// Return the number of bits in which two fingerprints differ.
    ///
    /// # Errors
    /// [`Error::SchemeMismatch`] if they are of different schemes.
    pub fn distance(&self, other: &Self) -> Result<u32, Error> {
        if self.scheme != other.scheme {
            return Err(Error::SchemeMismatch);
        }
        Ok(self.lanes().iter().zip(other.lanes()).map(|(a, b)| (a ^ b).count_ones()).sum())
    }

    /// Return the similarity, from 0 to 1: 1 - distance / bits.
    ///
    /// # Errors
    /// [`Error::SchemeMismatch`] if they are of different schemes.
    pub fn similarity(&self, other: &Self) -> Result<f64, Error> {
        Ok(1.0 - f64::from(self.distance(other)?) / f64::from(self.scheme.bits()))
    }

    /// Return the text form without the scheme.
    #[must_use]
    pub fn to_base32(&self) -> String {
        let mut text = String::with_capacity(self.scheme.characters());
        let (mut bits, mut count) = (0u32, 0);
        for byte in self.to_bytes() {
            bits = bits << 8 | u32::from(byte);
            count += 8;
            while count >= 5 {
                count -= 5;
                text.push(char::from(ALPHABET[(bits >> count & 31) as usize]));
            }
        }
        if count > 0 {
            text.push(char::from(ALPHABET[(bits << (5 - count) & 31) as usize]));
        }
        text
    }
}

impl fmt::Display for Fingerprint {
    /// Write the text form with its scheme.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.canonical { "" } else { CUSTOM };
        formatter.pad(&format!("{}{mark}:{}", self.scheme, self.to_base32()))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text, None)
    }
}

/// Split off the mark of customised fingerprints, in either case.
fn without_mark(prefix: &str) -> (&str, bool) {
    if let Some(at) = prefix.len().checked_sub(CUSTOM.len()) {
        if let (Some(id), Some(mark)) = (prefix.get(..at), prefix.get(at..)) {
            if mark.eq_ignore_ascii_case(CUSTOM) {
                return (id, false);
            }
        }
    }
    (prefix, true)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    }
}

fn decode(digits: &[u8], bits: u32) -> Result<[u64; 8], Error> {
    let mut lanes = [0; 8];
    for (position, value) in digits.iter().filter_map(|&byte| digit(byte)).enumerate() {
        for offset in 0..5 {
            let bit = position * 5 + offset;
            if value >> (4 - offset) & 1 == 1 {
                if bit >= bits as usize {
                    return Err(Error::SpareBits);
                }
                lanes[bit / 64] |= 1 << (63 - bit % 64);
            }
        }
    }
    Ok(lanes)
}
