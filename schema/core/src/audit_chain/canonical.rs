//! Canonical text that a seal covers. Equal to the text of the view `audit_canonical`, from which records are sealed. A
//! verification computes it again from the stored columns, so that it trusts only those.
//!
//! The text is a JSON array as PostgreSQL writes it: a comma and a space between two values. In strings, only the
//! characters that RFC 8259, section 7, requires are escaped, in the short form if one exists. `serde_json` escapes the
//! same way.

/// Stored record: its columns as text in the order of the view, then its parameters and changes as JSON.
pub(super) struct StoredRecord {
    pub(super) columns: Vec<Option<String>>,
    pub(super) parameters: Option<String>,
    pub(super) changes: Option<String>,
}

impl StoredRecord {
    /// Returns the canonical text.
    pub(super) fn text(&self) -> String {
        let mut text = Vec::with_capacity(768);
        text.push(b'[');
        for column in &self.columns {
            // Serialising a string and writing into memory cannot fail.
            let _ = serde_json::to_writer(&mut text, column);
            text.extend_from_slice(b", ");
        }
        text.extend_from_slice(self.parameters.as_deref().unwrap_or("null").as_bytes());
        text.extend_from_slice(b", ");
        text.extend_from_slice(self.changes.as_deref().unwrap_or("[]").as_bytes());
        text.push(b']');
        String::from_utf8(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text_equals_postgresql_json_array() {
        let columns =
            [Some("a \"b\" \\ \n\t\u{8}\u{c}\r\u{1}\u{1f}\u{7f} é/"), None].map(|text| text.map(str::to_owned));
        let mut record = StoredRecord { columns: columns.into(), parameters: None, changes: None };
        let strings = r#""a \"b\" \\ \n\t\b\f\r\u0001\u001f"#.to_owned() + "\u{7f} é/\", null";
        assert_eq!(record.text(), format!("[{strings}, null, []]"));
        record.parameters = Some(r#"{"limit": 50}"#.to_owned());
        record.changes = Some(r#"[[1, "app"]]"#.to_owned());
        assert_eq!(record.text(), format!(r#"[{strings}, {{"limit": 50}}, [[1, "app"]]]"#));
    }
}
