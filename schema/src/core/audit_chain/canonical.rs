//! What a seal covers, as text: the same that the view `audit_canonical` makes, from which records are sealed. A verification
//! makes it anew from what is stored, so that it takes nothing for granted but that.
//!
//! It is the text of a JSON array as PostgreSQL writes it: a comma and a space between two values, and in strings no escape
//! but what RFC 8259, section 7, demands, in its short form where there is one, which is how `serde_json` writes them.

/// A record as it is stored: its columns as texts, in the view's order, then its parameters and its differences as JSON.
pub(super) struct StoredRecord {
    pub(super) columns: Vec<Option<String>>,
    pub(super) parameters: Option<String>,
    pub(super) changes: Option<String>,
}

impl StoredRecord {
    /// The text.
    pub(super) fn text(&self) -> String {
        let mut text = Vec::with_capacity(768);
        text.push(b'[');
        for column in &self.columns {
            // Neither to serialise a string nor to write into memory ever fails.
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
    fn a_text_is_that_of_a_json_array_of_postgresql() {
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
