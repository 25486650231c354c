//! Print the speed of `Accumulator::count` and `fingerprint`:
//! `cargo run --release --example benchmark -- [SIZE] FILE...`
//!
//! Each file is cut into documents of SIZE bytes (default: one document). Several passes go over all documents; the best
//! time of each document counts, so that other work of the machine does not. The environment variable SECONDS is the time
//! for each file and scheme (default: 2).

use std::hint::black_box;
use std::time::{Duration, Instant};

use simhash_doc::{Accumulator, Scheme};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let size = names.first().and_then(|name| name.parse().ok());
    if size.is_some() {
        names.remove(0);
    }
    let seconds = std::env::var("SECONDS").map_or(Ok(2.0), |text| text.parse())?;
    for name in &names {
        let bytes = std::fs::read(name)?;
        let documents: Vec<&[u8]> = bytes.chunks(size.unwrap_or(usize::MAX).max(1)).collect();
        print!("{name}:");
        for scheme in Scheme::ALL {
            print!(
                "  {scheme} {:.1} MB/s",
                bytes.len() as f64 / best_time(&documents, scheme, seconds).as_secs_f64() / 1e6
            );
        }
        println!();
    }
    Ok(())
}

/// Return the sum of the best times of all documents.
fn best_time(documents: &[&[u8]], scheme: Scheme, seconds: f64) -> Duration {
    let mut best = vec![Duration::MAX; documents.len()];
    let mut accumulator = Accumulator::new();
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < seconds {
        for (document, best) in documents.iter().zip(&mut best) {
            let start = Instant::now();
            let _ = black_box(accumulator.count(black_box(document)).fingerprint(scheme));
            *best = start.elapsed().min(*best);
        }
    }
    best.iter().sum()
}
