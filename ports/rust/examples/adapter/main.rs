//! The adapter for the conformance suite (PROTOCOL.md): one request per line in, one answer per line out.
//!
//! `simhash-doc conformance run -- target/release/examples/adapter`

mod input;
mod operations;

use std::io::{self, BufRead, Write};

use serde_json::Value;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut answer = operations::answer(&request);
        if let Some(id) = request.get("id") {
            answer["id"] = id.clone();
        }
        serde_json::to_writer(&mut out, &answer)?;
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
