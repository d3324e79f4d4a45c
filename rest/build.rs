//! Prepares embedded files.
//!
//! - A macro embeds the documents and does not see a new file: this build script makes cargo check the folder.
//! - The contract is embedded as JSON too, so that a start parses no YAML. A test compares this JSON with the parser that
//!   the tools use. `serde_json` is not a dependency of this script: its features would change for every procedural
//!   macro, and cargo would compile their dependents twice.

use std::path::PathBuf;
use std::{env, fs};

use yaml_serde::Value;

/// The assembled contract.
const CONTRACT: &str = "../contract/openapi.yaml";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for input in ["documents", CONTRACT] {
        println!("cargo::rerun-if-changed={input}");
    }
    let mut json = String::new();
    write_json(&yaml_serde::from_str(&fs::read_to_string(CONTRACT)?)?, &mut json)?;
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    fs::write(folder.join("openapi.json"), json)?;
    Ok(())
}

/// Appends a value as JSON, keys in the written order.
fn write_json(value: &Value, json: &mut String) -> Result<(), String> {
    match value {
        Value::Null => json.push_str("null"),
        Value::Bool(flag) => json.push_str(&flag.to_string()),
        Value::Number(number) => json.push_str(&number.to_string()),
        Value::String(text) => write_text(text, json),
        Value::Sequence(items) => {
            json.push('[');
            for (place, item) in items.iter().enumerate() {
                json.push_str(if place == 0 { "" } else { "," });
                write_json(item, json)?;
            }
            json.push(']');
        }
        Value::Mapping(fields) => {
            json.push('{');
            for (place, (key, field)) in fields.iter().enumerate() {
                json.push_str(if place == 0 { "" } else { "," });
                match key {
                    Value::String(key) => write_text(key, json),
                    // YAML reads the status codes of responses as numbers.
                    Value::Number(key) => write_text(&key.to_string(), json),
                    _ => return Err("a key is neither text nor a number".to_owned()),
                }
                json.push(':');
                write_json(field, json)?;
            }
            json.push('}');
        }
        Value::Tagged(tagged) => return Err(format!("the tag `{}` is not supported", tagged.tag)),
    }
    Ok(())
}

/// Appends a text as a JSON string.
fn write_text(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
}
