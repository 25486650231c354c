//! The generated tables are those of the data of the specification.

#[path = "../examples/generate_tables/build.rs"]
mod build;

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn the_tables_are_generated_from_the_data() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = root.join("../../spec/data");
    assert!(build::tables(&data).unwrap() == fs::read_to_string(root.join("src/tables.rs")).unwrap(), "src/tables.rs");
    let digest = Sha256::digest(fs::read(data.join("SHA256SUMS")).unwrap());
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(simhash_doc::DATA_DIGEST, digits);
}

#[test]
fn the_schemes_are_those_of_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/data/schemes.json");
    let registry: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let entries = registry["schemes"].as_array().unwrap();
    assert_eq!(entries.len(), simhash_doc::Scheme::ALL.len());
    for (entry, scheme) in entries.iter().zip(simhash_doc::Scheme::ALL) {
        assert_eq!(entry["id"], scheme.id());
        assert_eq!(entry["bits"], scheme.bits());
        assert_eq!(entry["characters"], scheme.characters());
        assert_eq!(entry["close"], scheme.close());
        assert_eq!(entry["loose"], scheme.loose());
    }
}
