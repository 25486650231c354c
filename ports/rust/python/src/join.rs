//! All pairs of near fingerprints.
