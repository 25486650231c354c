//! All published vectors, by the operations of the adapter.

#[path = "../examples/adapter/input.rs"]
mod input;
#[path = "../examples/adapter/operations.rs"]
mod operations;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// Sort what may come in any order.
fn normalized(operation: &str, mut answer: Value) -> Value {
    let by_text = |a: &Value, b: &Value| a.to_string().cmp(&b.to_string());
    if let Some(tokens) = answer.pointer_mut("/result/tokens").and_then(Value::as_array_mut) {
        tokens.sort_by(by_text); // of a trace
    }
    let Some(result) = answer.get_mut("result").and_then(Value::as_array_mut) else {
        return answer;
    };
    match operation {
        "tokens" => result.sort_by(by_text),
        "query" | "find_all" => {
            for ids in result.iter_mut().filter_map(Value::as_array_mut) {
                ids.sort_by(by_text);
            }
            if operation == "find_all" {
                result.sort_by(by_text);
            }
        }
        "update" => {
            for ids in result.iter_mut().filter_map(Value::as_array_mut).flatten().filter_map(Value::as_array_mut) {
                ids.sort_by(by_text);
            }
        }
        _ => {}
    }
    answer
}

fn answer(case: &Value, replacement: Option<&Value>) -> Value {
    let mut request = case["input"].clone();
    if let (Some(members), Some(others)) = (request.as_object_mut(), replacement.and_then(Value::as_object)) {
        members.retain(|name, _| !["text", "bytes", "utf16", "recipe"].contains(&name.as_str()));
        members.extend(others.clone());
    }
    request["op"] = case["op"].clone();
    let operation = case["op"].as_str().unwrap();
    normalized(operation, operations::answer(&request))
}

#[test]
fn every_case_has_the_expected_answer() {
    let (mut count, mut wrong) = (0, Vec::new());
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
    for file in fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // The runner generates the entries of the sizes.
        let others = ["cases-extraction.json", "cases-index-sizes.json"];
        if !name.starts_with("cases-") || others.contains(&name.as_str()) {
            continue;
        }
        let group: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in group["cases"].as_array().unwrap() {
            if case["input"].get("cuts").is_some() && case["input"].get("utf16").is_some() {
                continue; // pieces are bytes
            }
            let (id, operation) = (case["id"].as_str().unwrap(), case["op"].as_str().unwrap());
            let first = answer(case, None);
            let is_empty = case["expected"].as_object().unwrap().is_empty();
            if !is_empty && first != normalized(operation, case["expected"].clone()) {
                wrong.push(id.to_owned());
            }
            for other in case["same"].as_array().unwrap_or(&Vec::new()) {
                if answer(case, Some(other)) != first {
                    wrong.push(format!("{id}: {other:.60}"));
                }
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases: {wrong:#?}", wrong.len());
    assert!(count > 500, "only {count} cases were found");
}

#[test]
fn narrowing_reports_the_first_error() {
    for (text, scheme, expected) in [
        ("sd65:=", "SD64", json!({"error": "unknown-scheme"})),
        ("sd128:=", "sd64+custom", json!({"error": "unknown-scheme"})),
        ("sd65:=", "sd128", json!({"error": "unknown-scheme"})),
        ("sd64:1=", "sd128", json!({"error": "padding"})),
        ("sd64:1", "sd128", json!({"error": "bad-character"})),
        ("aaaa", "sd128", json!({"error": "bad-length"})),
        ("aaaaaaaaaaaab", "sd128", json!({"error": "spare-bits"})),
        ("sd64+custom:aaaaaaaaaaaaa", "sd128", json!({"error": "scheme-mismatch"})),
        // Not the first 13 characters.
        ("7777777777777777777777777Y", "sd64", json!({"result": "sd64:7777777777776"})),
        ("sd128+custom:7777777777777777777777777y", "sd64", json!({"result": "sd64+custom:7777777777776"})),
    ] {
        assert_eq!(operations::answer(&json!({"op": "narrow", "text": text, "scheme": scheme})), expected, "{text}");
    }
}
