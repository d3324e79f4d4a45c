//! Decides whether a comma may separate two values of a query parameter. It may only if no value can contain one
//! (docs/decisions/api.md#filters).

use serde_json::Value;

/// Whether no text that fits `schema` (resolved) contains a comma.
pub(super) fn is_free_of_commas(schema: &Value) -> bool {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return !values.iter().any(|value| value.as_str().is_some_and(|text| text.contains(',')));
    }
    let kind = schema.get("type").and_then(Value::as_str);
    if matches!(kind, Some("integer" | "number" | "boolean")) {
        return true;
    }
    let format = schema.get("format").and_then(Value::as_str);
    if matches!(format, Some("uuid" | "date" | "date-time" | "language-tag")) {
        return true;
    }
    schema.get("pattern").and_then(Value::as_str).is_some_and(pattern_excludes_comma)
}

/// Whether a pattern is anchored and consists only of parts that never match a comma. A pattern that this simple check
/// cannot decide counts as matching one.
fn pattern_excludes_comma(pattern: &str) -> bool {
    let Some(inner) = pattern.strip_prefix('^').and_then(|pattern| pattern.strip_suffix('$')) else {
        return false;
    };
    let mut chars = inner.chars().peekable();
    let mut in_class = false;
    let mut depth = 0_i32;
    let mut before = '\0';
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('d' | 'w' | '.' | '-' | '/' | ':' | '+') => {}
                _ => return false,
            },
            '[' if chars.peek() == Some(&'^') => return false,
            '[' => in_class = true,
            ']' => in_class = false,
            // A comma in a quantifier is not matched text.
            '{' if !in_class => {
                if !chars.by_ref().any(|char| char == '}') {
                    return false;
                }
            }
            // A range in a class must start at a letter or digit, so that it is above ','.
            '-' if in_class
                && chars.peek().is_some_and(|next| *next != ']')
                && before != '['
                && !before.is_ascii_alphanumeric() =>
            {
                return false;
            }
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth -= 1,
            // At the top level it would separate the two anchors.
            '|' if !in_class && depth == 0 => return false,
            '|' => {}
            char if char.is_ascii_alphanumeric() => {}
            '.' if in_class => {}
            '-' | '_' | '(' | ')' | '?' | '*' | '+' | ':' | '/' | '@' => {}
            _ => return false,
        }
        before = char;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_without_commas_are_split() {
        for schema in [
            json!({"type": "string", "enum": ["DRAFT", "LISTED"]}),
            json!({"type": "string", "format": "uuid"}),
            json!({"type": "integer"}),
            json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}),
            json!({"type": "string", "pattern": "^[a-z]+(\\.[a-z-]+)*(:write)?$"}),
            json!({"type": "string", "pattern": "^((25[0-5]|[1-9]?[0-9])(/(3[0-2]|[12]?[0-9]))?|[0-9a-f:]+)$"}),
            json!({"type": "string", "pattern": "^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$"}),
        ] {
            assert!(is_free_of_commas(&schema), "{schema}");
        }
    }

    #[test]
    fn values_that_may_contain_commas_are_not_split() {
        for schema in [
            json!({"type": "string"}),
            json!({"type": "string", "enum": ["a,b"]}),
            json!({"type": "string", "pattern": "[a-z]+"}),
            json!({"type": "string", "pattern": "^(a)|(b)$"}),
            json!({"type": "string", "pattern": "^.+$"}),
            json!({"type": "string", "pattern": "^[^;]+$"}),
            json!({"type": "string", "pattern": "^[ -~]+$"}),
            json!({"type": "string", "pattern": "^[+-9]+$"}),
            json!({"type": "string", "pattern": "^[a-z,]+$"}),
            json!({"type": "string", "pattern": "^\\S+$"}),
            json!({"type": "string", "pattern": "^a|.*$"}),
        ] {
            assert!(!is_free_of_commas(&schema), "{schema}");
        }
    }
}
