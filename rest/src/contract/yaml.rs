//! Reads and writes YAML as JSON values, so that nothing of OpenAPI 3.1 is lost.

use serde_json::{Map, Number, Value};
use yaml_serde::Value as Yaml;

/// Reads YAML text as a JSON value, keys in the written order.
///
/// # Errors
/// The problem and its line: text that is not YAML, a duplicate key in one mapping, a tag, a number that JSON cannot
/// represent, a key that is not a scalar.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let yaml: Yaml = yaml_serde::from_str(text).map_err(|error| error.to_string())?;
    json(yaml)
}

/// Writes a JSON value as block-style YAML that ends in a newline. The bytes are deterministic.
///
/// # Errors
/// The serializer's message. No JSON value causes an error.
pub(crate) fn write(value: &Value) -> Result<String, String> {
    yaml_serde::to_string(value).map_err(|error| error.to_string())
}

fn json(yaml: Yaml) -> Result<Value, String> {
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(flag) => Value::Bool(flag),
        Yaml::Number(number) => Value::Number(json_number(&number)?),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => Value::Array(items.into_iter().map(json).collect::<Result<_, _>>()?),
        Yaml::Mapping(mapping) => {
            let mut object = Map::with_capacity(mapping.len());
            for (key, value) in mapping {
                let key = json_key(key)?;
                let value = json(value)?;
                if object.insert(key.clone(), value).is_some() {
                    return Err(format!("the key `{key}` occurs twice in one mapping"));
                }
            }
            Value::Object(object)
        }
        Yaml::Tagged(tagged) => {
            return Err(format!("the tag `{}` is not supported", tagged.tag));
        }
    })
}

fn json_number(number: &yaml_serde::Number) -> Result<Number, String> {
    if let Some(number) = number.as_i64() {
        return Ok(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Ok(number.into());
    }
    number
        .as_f64()
        .and_then(Number::from_f64)
        .ok_or_else(|| format!("the number {number} cannot be represented in JSON"))
}

/// Converts keys to text, including keys that YAML reads as another type (`200:`, `true:`).
fn json_key(key: Yaml) -> Result<String, String> {
    match key {
        Yaml::String(text) if text == "<<" => {
            Err("merge keys (`<<`) are not supported: write the fields out".to_owned())
        }
        Yaml::String(text) => Ok(text),
        Yaml::Number(number) => Ok(number.to_string()),
        Yaml::Bool(flag) => Ok(flag.to_string()),
        _ => Err("a key must be plain text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numeric_keys_become_strings() {
        let value = read("200: {description: Done}\n").unwrap();
        assert_eq!(value, json!({"200": {"description": "Done"}}));
    }

    #[test]
    fn duplicate_key_is_rejected_with_its_line() {
        let error = read("x: 1\ny:\n  a: 1\n  b: 2\n  a: 3\n").unwrap_err();
        assert!(error.contains("\"a\""), "{error}");
        assert!(error.contains("line"), "{error}");
    }

    #[test]
    fn numeric_and_text_key_with_same_spelling_are_duplicates() {
        assert!(read("200: 1\n'200': 2\n").unwrap_err().contains("`200`"));
    }

    #[test]
    fn yaml_tags_and_merge_keys_are_rejected() {
        assert!(read("a: !thing 1\n").unwrap_err().contains("!thing"));
        assert!(read("a: &a {b: 1}\nc: {<<: *a}\n").unwrap_err().contains("merge"));
    }

    #[test]
    fn yaml_round_trips_and_ends_in_newline() {
        let value = json!({"text": "one\ntwo\n", "200": {"n": 1, "f": 1.5, "none": null, "yes": "true"}});
        let text = write(&value).unwrap();
        assert!(text.ends_with('\n'));
        assert!(text.contains("'200':"), "{text}");
        assert!(text.contains("text: |"), "{text}");
        assert_eq!(read(&text).unwrap(), value);
    }
}
