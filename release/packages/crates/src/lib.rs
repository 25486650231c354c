//! Test vectors of the simhash-doc specification, as files.
//!
//! Use it as a development dependency: the directory exists where the crate was unpacked.

#![forbid(unsafe_code)]

/// The directory that holds `cases-*.json` and the files that they name.
pub const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/vectors");
