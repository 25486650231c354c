use core::fmt;

/// An error condition of the specification, section 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The text contains no token.
    NoToken,
    /// The scheme is not in the registry, or is not named by its short id.
    UnknownScheme,
    /// The schemes of two fingerprints differ, or a text form names another scheme than the expected one.
    SchemeMismatch,
    /// The text form contains `=`.
    Padding,
    /// The text form contains another character outside the alphabet.
    BadCharacter,
    /// The number of characters or bytes is not the scheme's.
    BadLength,
    /// A spare bit of the text form is 1.
    SpareBits,
}

impl Error {
    /// Return the name of the condition in the specification.
    ///
    /// ```
    /// assert_eq!("sd64:a".parse::<simhash_doc::Fingerprint>().unwrap_err().name(), "bad-length");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoToken => "no-token",
            Self::UnknownScheme => "unknown-scheme",
            Self::SchemeMismatch => "scheme-mismatch",
            Self::Padding => "padding",
            Self::BadCharacter => "bad-character",
            Self::BadLength => "bad-length",
            Self::SpareBits => "spare-bits",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoToken => "the text contains no token",
            Self::UnknownScheme => "the scheme is not one of sd64, sd128, sd256 and sd512",
            Self::SchemeMismatch => "the fingerprint is not of the expected scheme",
            Self::Padding => "the fingerprint contains the padding character '='",
            Self::BadCharacter => "the fingerprint contains a character other than a-z and 2-7",
            Self::BadLength => "the fingerprint does not have the length of its scheme",
            Self::SpareBits => "the spare bits of the fingerprint's last character are not 0",
        })
    }
}

impl core::error::Error for Error {}
