//! CSV rows for spreadsheets (RFC 4180): commas, CR LF line ends, and no cell that a spreadsheet would execute.
//!
//! A cell that begins like a formula gets an apostrophe in front, which spreadsheets read as "this is text". A
//! spreadsheet that splits rows at semicolons or tabs ignores the quotes inside a row, so the same rule applies to
//! every piece after these separators.

/// Appends a row of cells.
pub fn row<'a>(out: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    for (place, text) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        cell(out, text);
    }
    out.push_str("\r\n");
}

fn cell(out: &mut String, text: &str) {
    let is_quoted = text.contains(['"', ',', '\r', '\n']);
    if is_quoted {
        out.push('"');
    }
    if text.starts_with(['\t', '\r', '\n']) {
        out.push('\'');
    }
    for piece in text.split_inclusive([';', '\t', '\r', '\n']) {
        if is_formula(piece) {
            out.push('\'');
        }
        out.push_str(&piece.replace('"', "\"\""));
    }
    if is_quoted {
        out.push('"');
    }
}

/// Spaces before a formula do not prevent a spreadsheet from executing it, and neither does a quote that it reads as an
/// opening quote. Some spreadsheets also accept the full-width forms.
fn is_formula(piece: &str) -> bool {
    piece
        .trim_start_matches(|sign: char| sign.is_whitespace() || sign == '"')
        .starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cells: &[&str]) -> String {
        let mut out = String::new();
        row(&mut out, cells.iter().copied());
        out
    }

    #[test]
    fn csv_cells_are_quoted_if_needed() {
        assert_eq!(written(&["a", "b,c", "say \"no\"", ""]), "a,\"b,c\",\"say \"\"no\"\"\",\r\n");
        assert_eq!(written(&["two\nlines"]), "\"two\nlines\"\r\n");
    }

    #[test]
    fn csv_formulas_are_escaped() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+49 40 1", "'+49 40 1"),
            ("-2", "'-2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("  =1", "'  =1"),
            ("\t=1", "'\t'=1"),
            ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
            ("Küche = Kasse", "Küche = Kasse"),
        ] {
            assert_eq!(written(&[text]), format!("{cell}\r\n"));
        }
    }

    #[test]
    fn csv_formulas_after_other_separators_are_escaped() {
        for (text, cell) in [
            ("Kasse;=HYPERLINK(\"http://x\")", "\"Kasse;'=HYPERLINK(\"\"http://x\"\")\""),
            ("Kasse; \u{ff1d}1;-2", "Kasse;' \u{ff1d}1;'-2"),
            ("Kasse\t@SUM(A1)", "Kasse\t'@SUM(A1)"),
            ("Kasse\n+1", "\"Kasse\n'+1\""),
            ("Kasse;\"=1\"", "\"Kasse;'\"\"=1\"\"\""),
            ("a; b", "a; b"),
            ("a-b; c=d", "a-b; c=d"),
        ] {
            assert_eq!(written(&[text]), format!("{cell}\r\n"));
        }
    }
}
