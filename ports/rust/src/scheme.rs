use core::fmt;
use core::str::FromStr;

use crate::Error;

/// A width of fingerprints (specification, section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// 64 bits.
    #[default]
    Sd64,
    /// 128 bits, which begin with those of `sd64`.
    Sd128,
    /// 256 bits, which begin with those of `sd128`.
    Sd256,
    /// 512 bits, which begin with those of `sd256`.
    Sd512,
}

impl Scheme {
    /// All schemes of the registry.
    pub const ALL: [Self; 4] = [Self::Sd64, Self::Sd128, Self::Sd256, Self::Sd512];

    /// Return the short id, such as `sd64`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Sd64 => "sd64",
            Self::Sd128 => "sd128",
            Self::Sd256 => "sd256",
            Self::Sd512 => "sd512",
        }
    }

    /// Return the number of 64-bit lanes.
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Sd64 => 1,
            Self::Sd128 => 2,
            Self::Sd256 => 4,
            Self::Sd512 => 8,
        }
    }

    /// Return the number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Sd64 => 64,
            Self::Sd128 => 128,
            Self::Sd256 => 256,
            Self::Sd512 => 512,
        }
    }

    /// Return the number of characters of a text form without its scheme.
    #[must_use]
    pub const fn characters(self) -> usize {
        (self.bits() as usize).div_ceil(5)
    }

    /// Return the greatest distance of two *close* documents.
    #[must_use]
    pub const fn close(self) -> u32 {
        match self {
            Self::Sd64 => 3,
            Self::Sd128 => 10,
            Self::Sd256 => 26,
            Self::Sd512 => 56,
        }
    }

    /// Return the greatest distance of two *loose* documents.
    #[must_use]
    pub const fn loose(self) -> u32 {
        match self {
            Self::Sd64 => 6,
            Self::Sd128 => 16,
            Self::Sd256 => 36,
            Self::Sd512 => 76,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.id())
    }
}

impl FromStr for Scheme {
    type Err = Error;

    /// Return the scheme with this short id, exactly as in the registry.
    fn from_str(id: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|scheme| scheme.id() == id).ok_or(Error::UnknownScheme)
    }
}
