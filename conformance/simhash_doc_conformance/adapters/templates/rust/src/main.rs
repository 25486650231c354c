//! A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line.

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

const NAME: &str = "my-simhash";
const UNICODE: &str = "15.0"; // of the NFC that the implementation uses
const SCHEMES: &[&str] = &["sd64"];

// ---- Plug in here ------------------------------------------------------------------------------
// An operation takes a request and returns the members of the answer: {"result": ...},
// {"error": "spare-bits"} with a name of section 14, or {"unsupported": true}. The operations
// listed here are declared to the runner. The input of `fingerprint` is request["text"], or else
// request["bytes"], a document's bytes in hexadecimal (supporting them is optional).
// The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
// A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
type Operation = fn(&Value) -> Value;
const OPERATIONS: &[(&str, Operation)] = &[
    // ("encode", |request| my_encode(&request["hex"], &request["scheme"], &request["canonical"])),
    // ("decode", |request| my_decode(&request["text"], &request["scheme"])),
    // ("fingerprint", |request| my_fingerprint(&request["text"], &request["scheme"])),
];

// ---- The protocol ------------------------------------------------------------------------------
fn answer(request: &Value) -> Value {
    if request["op"] == "hello" {
        let operations: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
        return json!({
            "protocol": 1, "name": NAME, "version": env!("CARGO_PKG_VERSION"), "language": "Rust",
            "unicode": UNICODE, "operations": operations, "schemes": SCHEMES, "features": [],
        });
    }
    let operation = OPERATIONS.iter().find(|(name, _)| request["op"] == *name);
    let mut members = match operation {
        Some((_, operation)) => operation(request),
        None => json!({"unsupported": true}),
    };
    members["id"] = request["id"].clone();
    members
}

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request = serde_json::from_str(&line?)?;
        writeln!(output, "{}", answer(&request))?;
        output.flush()?;
    }
    Ok(())
}
