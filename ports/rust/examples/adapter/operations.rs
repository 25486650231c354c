//! The operations of the protocol.

use serde_json::{Value, json};
use simhash_doc::{Accumulator, Error, Fingerprint, Index, Scheme};

use super::input;

type Answer = Result<Value, Error>;

const OPERATIONS: [&str; 13] = [
    "fingerprint",
    "encode",
    "decode",
    "distance",
    "narrow",
    "fold",
    "tokens",
    "hash_tokens",
    "buckets",
    "query",
    "find_all",
    "update",
    "trace",
];

/// Return the answer to a request, without its id.
pub fn answer(request: &Value) -> Value {
    let operation = request["op"].as_str().unwrap_or_default();
    if operation == "hello" {
        return hello();
    }
    match result(operation, request) {
        Some(Ok(result)) => json!({ "result": result }),
        Some(Err(error)) => json!({ "error": error.name() }),
        None => json!({ "unsupported": true }),
    }
}

fn hello() -> Value {
    json!({
        "protocol": 1,
        "name": "simhash-doc-rust",
        "version": env!("CARGO_PKG_VERSION"),
        "language": "Rust",
        "unicode": "15.0",
        "operations": OPERATIONS,
        "schemes": Scheme::ALL.map(Scheme::id),
        "features": ["surrogates", "digest", "recipes", "cuts"],
    })
}

/// Return the result of an operation, or None if the operation or the input is not supported.
fn result(operation: &str, request: &Value) -> Option<Answer> {
    match operation {
        "encode" => Some(encode(request)),
        "decode" => Some(decode(request)),
        "distance" => Some(distance(request)),
        "narrow" => Some(narrow(request)),
        "query" => Some(query(request)),
        "find_all" => Some(find_all(request)),
        "update" => Some(update(request)),
        "hash_tokens" => Some(hash_tokens(request)),
        _ => on_text(operation, &input::document(request)?, request),
    }
}

fn on_text(operation: &str, document: &[u8], request: &Value) -> Option<Answer> {
    let digest = request["digest"] == true;
    let hashed = |text: &[u8]| json!(format!("{:016x}", simhash_doc::xxh64(text, 0)));
    Some(match operation {
        "fold" => {
            let folded = simhash_doc::fold(document);
            Ok(if digest { hashed(folded.as_bytes()) } else { json!(folded) })
        }
        "tokens" => {
            let mut tokens = simhash_doc::tokens(document);
            tokens.sort_unstable();
            let lines = || tokens.iter().flat_map(|token| [token, "\n"]).collect::<String>();
            Ok(if digest { hashed(lines().as_bytes()) } else { json!(tokens) })
        }
        // Pieces are bytes.
        "fingerprint" if request.get("cuts").is_some() && request.get("utf16").is_some() => return None,
        "fingerprint" => scheme(request)
            .and_then(|scheme| match request["cuts"].as_array() {
                Some(cuts) => pieces(document, cuts).fingerprint(scheme),
                None => simhash_doc::fingerprint(document, scheme),
            })
            .map(|fingerprint| json!(fingerprint.to_string())),
        "buckets" => {
            scheme(request).and_then(|scheme| simhash_doc::buckets(document, scheme)).map(|buckets| json!(buckets))
        }
        "trace" => scheme(request).map(|scheme| trace(document, scheme)),
        _ => return None,
    })
}

/// Return the accumulator of the pieces of a document that end at the cuts.
fn pieces(document: &[u8], cuts: &[Value]) -> Accumulator {
    let (mut accumulator, mut start) = (Accumulator::new(), 0);
    let cuts = cuts.iter().filter_map(|cut| usize::try_from(cut.as_u64()?).ok());
    for end in cuts.chain([document.len()]) {
        accumulator.push(&document[start..end]);
        start = end;
    }
    accumulator
}

fn trace(document: &[u8], scheme: Scheme) -> Value {
    let trace = simhash_doc::trace(document, scheme);
    let mut result = json!({"folded": trace.folded, "prepared": trace.link_free, "tokens": trace.tokens});
    match trace.result {
        Ok((buckets, fingerprint)) => {
            result["buckets"] = json!(buckets);
            result["fingerprint"] = json!(fingerprint.to_string());
        }
        Err(error) => result["error"] = json!(error.name()),
    }
    result
}

fn scheme(request: &Value) -> Result<Scheme, Error> {
    string(&request["scheme"]).parse()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn encode(request: &Value) -> Answer {
    let scheme = scheme(request)?;
    let bytes = input::bytes(string(&request["hex"])).ok_or(Error::BadLength)?;
    let fingerprint = Fingerprint::from_bytes(scheme, &bytes)?;
    let is_canonical = request["canonical"] != false;
    Ok(json!(if is_canonical { fingerprint } else { fingerprint.customised() }.to_string()))
}

fn decode(request: &Value) -> Answer {
    let expected = request.get("scheme").map(|_| scheme(request)).transpose()?;
    let fingerprint = Fingerprint::parse(string(&request["text"]), expected)?;
    let hex: String = fingerprint.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(json!({"scheme": fingerprint.scheme().id(), "hex": hex, "canonical": fingerprint.is_canonical()}))
}

fn distance(request: &Value) -> Answer {
    let (a, b): (Fingerprint, Fingerprint) = (string(&request["a"]).parse()?, string(&request["b"]).parse()?);
    Ok(json!({"distance": a.distance(&b)?, "similarity": a.similarity(&b)?}))
}

fn narrow(request: &Value) -> Answer {
    let scheme = scheme(request)?;
    let fingerprint: Fingerprint = string(&request["text"]).parse()?;
    Ok(json!(fingerprint.narrow(scheme)?.to_string()))
}

fn hash_tokens(request: &Value) -> Answer {
    let scheme = scheme(request)?;
    let hash = |token: &Value| -> String {
        simhash_doc::hash_token(string(token), scheme).iter().map(|lane| format!("{lane:016x}")).collect()
    };
    Ok(array(&request["tokens"]).iter().map(hash).collect())
}

fn parse_all<'a>(texts: impl Iterator<Item = &'a Value>) -> Result<Vec<Fingerprint>, Error> {
    texts.map(|text| string(text).parse()).collect()
}

fn insert<'a>(index: &mut Index<&'a str>, entries: &'a [Value], fingerprints: Vec<Fingerprint>) -> Result<(), Error> {
    for (entry, fingerprint) in entries.iter().zip(fingerprints) {
        index.insert(string(&entry[0]), fingerprint).map_err(|_| Error::SchemeMismatch)?;
    }
    Ok(())
}

/// Return the index of the entries, and the queries. All are parsed before their schemes are compared.
fn search(request: &Value) -> Result<(Index<&str>, Vec<Fingerprint>), Error> {
    let entries = array(&request["entries"]);
    let fingerprints = parse_all(entries.iter().map(|entry| &entry[1]))?;
    let queries = parse_all(array(&request["queries"]).iter())?;
    let scheme = fingerprints.first().or(queries.first()).map_or(Scheme::Sd64, Fingerprint::scheme);
    let mut index = Index::new(scheme);
    insert(&mut index, entries, fingerprints)?;
    Ok((index, queries))
}

fn answers(index: &Index<&str>, queries: &[Fingerprint], request: &Value) -> Answer {
    queries.iter().map(|query| Ok(json!(index.query(query, greatest_distance(request))?))).collect()
}

fn greatest_distance(request: &Value) -> u32 {
    request["distance"].as_u64().and_then(|distance| u32::try_from(distance).ok()).unwrap_or(u32::MAX)
}

fn query(request: &Value) -> Answer {
    let (index, queries) = search(request)?;
    answers(&index, &queries, request)
}

fn find_all(request: &Value) -> Answer {
    Ok(json!(search(request)?.0.find_all(greatest_distance(request))))
}

fn update(request: &Value) -> Answer {
    let mut index = Index::new(scheme(request)?);
    let mut found = Vec::new();
    for step in array(&request["steps"]) {
        let entries = array(&step["insert"]);
        insert(&mut index, entries, parse_all(entries.iter().map(|entry| &entry[1]))?)?;
        for id in array(&step["remove"]) {
            assert!(index.remove(string(id)), "{id} is not in the index");
        }
        if let Some(queries) = step["query"].as_array() {
            found.push(answers(&index, &parse_all(queries.iter())?, request)?);
        }
    }
    Ok(json!(found))
}
