//! Write `src/tables.rs` from the Unicode data of the specification.
//!
//! `cargo run --example generate_tables -- ../../spec/data` (from the directory of this crate).

mod build;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: generate_tables DIRECTORY")?;
    let source = build::tables(Path::new(&directory))?;
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables.rs");
    std::fs::write(&target, &source)?;
    println!("{}: {} bytes", target.display(), source.len());
    Ok(())
}
