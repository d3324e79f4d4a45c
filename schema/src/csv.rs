//! Rows for spreadsheets (RFC 4180): commas, lines that end in CR LF, and no cell that a spreadsheet would run.
//!
//! Specification: design, security, 14. A cell that begins like a formula is shown with an apostrophe before it, which
//! spreadsheets take for "this is text".

/// Adds a row of cells.
pub(crate) fn row<'a>(out: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    for (place, text) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        cell(out, text);
    }
    out.push_str("\r\n");
}

fn cell(out: &mut String, text: &str) {
    let defused = if begins_formula(text) { "'" } else { "" };
    if text.contains(['"', ',', '\r', '\n']) {
        out.push('"');
        out.push_str(defused);
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(defused);
        out.push_str(text);
    }
}

/// Blanks before it do not keep a spreadsheet from running a formula, and some read the wide forms as well.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['\t', '\r', '\n'])
        || text.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
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
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(written(&["a", "b,c", "say \"no\"", ""]), "a,\"b,c\",\"say \"\"no\"\"\",\r\n");
        assert_eq!(written(&["two\nlines"]), "\"two\nlines\"\r\n");
    }

    #[test]
    fn no_cell_is_run() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+49 40 1", "'+49 40 1"),
            ("-2", "'-2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("  =1", "'  =1"),
            ("\t=1", "'\t=1"),
            ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
            ("Küche = Kasse", "Küche = Kasse"),
        ] {
            assert_eq!(written(&[text]), format!("{cell}\r\n"));
        }
    }
}
