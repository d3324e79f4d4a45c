use super::*;

/// Returns the first invalid part of a normalised line.
fn fault(text: &str) -> Option<TextFault> {
    find_fault(TextKind::Line, &normalize(text))
}

fn rejected(found: char, reason: Reason) -> Option<TextFault> {
    Some(TextFault::Character(found, reason))
}

#[test]
fn names_of_many_scripts_are_accepted() {
    for name in [
        "Tischwerk GmbH",
        "Łódź & Søn — “Café”",
        "Nguyễn Thị Phượng",
        "ไม้ชื่อน้ำผึ้ง",
        "שָׁלוֹם בְּרֵאשִׁ֖ית",
        "श्री क्षत्रिय लक्ष्मी",
        "क्‍ष ശ്രീ ന്‍",
        "র‍্যাব",
        "می‌خواهم",
        "東京 葛\u{E0100}飾 한국어",
        "བསྒྲུབས",
        "Ελλάδα Київ",
        "👩‍🍳 Küche 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ 👍🏽 👩🏽‍🚀",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} Pub",
        "50 % plus d’idées\u{202F}!",
        "e\u{301}cole",
    ] {
        assert_eq!(fault(name), None, "{name:?}");
    }
}

#[test]
fn text_without_a_visible_character_is_rejected() {
    assert_eq!(fault(""), None, "the length is another rule");
    for name in ["   ", "\u{2800}", "\u{A0}\u{3000}", "\u{2800} \u{2003}"] {
        assert_eq!(fault(name), Some(TextFault::Blank), "{name:?}");
    }
    for invisible in [
        '\u{3164}',
        '\u{115F}',
        '\u{1160}',
        '\u{200B}',
        '\u{2060}',
        '\u{AD}',
        '\u{FEFF}',
        '\u{E0041}',
        '\u{200D}',
        '\u{200C}',
        '\u{FE0F}',
        '\u{34F}',
        '\u{FFA0}',
        '\u{180E}',
        '\u{17B4}',
    ] {
        for name in [String::from(invisible), format!("Tisch{invisible}werk"), format!("Tischwerk{invisible}")] {
            assert_eq!(fault(&name), rejected(invisible, Reason::Invisible), "{name:?}");
        }
    }
    assert_eq!(fault("\u{301}"), rejected('\u{301}', Reason::Baseless));
    assert_eq!(fault("a \u{301}"), rejected('\u{301}', Reason::Baseless));
}

#[test]
fn direction_control_private_and_unassigned_characters_are_rejected() {
    for found in ['\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}', '\u{200E}', '\u{200F}', '\u{61C}'] {
        assert_eq!(fault(&format!("a{found}b")), rejected(found, Reason::Direction));
    }
    for found in ['\n', '\u{7}', '\u{85}', '\u{2028}', '\u{2029}'] {
        assert_eq!(fault(&format!("a{found}b")), rejected(found, Reason::Control));
    }
    for found in ['\u{E000}', '\u{F8FF}', '\u{10FFFD}', '\u{FFFF}', '\u{378}'] {
        assert_eq!(fault(&format!("a{found}b")), rejected(found, Reason::Unassigned));
    }
}

#[test]
fn fifth_combining_mark_is_rejected() {
    let marks = |many: usize| format!("x{}", "\u{323}".repeat(many));
    assert_eq!(fault(&marks(4)), None);
    assert_eq!(fault(&marks(5)), rejected('\u{323}', Reason::Marks));
}

#[test]
fn tag_characters_are_accepted_only_in_emoji_flags() {
    let tagged =
        |text: &str| -> String { text.chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect() };
    let flag = |code: &str| format!("🏴{}\u{E007F}", tagged(code));
    for kind in [TextKind::Line, TextKind::Lines] {
        assert_eq!(find_fault(kind, &flag("gbwls")), None);
        for text in [flag("hello"), format!("🏴{}", tagged("gbwls")), format!("A{}\u{E007F}", tagged("gbwls"))] {
            assert!(find_fault(kind, &text).is_some(), "{text:?}");
        }
    }
}

#[test]
fn multiline_text_must_close_bidi_controls() {
    let lines = |text: &str| find_fault(TextKind::Lines, text);
    for text in
        ["a\r\n\tb\n", "שלום \u{2067}abc\u{2069}!", "\u{202B}x\u{202C}", "a\u{200E}b\u{AD}c\u{200B}", "\u{E000}", "👩‍🍳"]
    {
        assert_eq!(lines(text), None, "{text:?}");
    }
    for (text, found) in
        [("a\u{202E}b\u{202C}", '\u{202E}'), ("\u{2066}a\n\u{2069}", '\u{2066}'), ("a\u{202C}", '\u{202C}')]
    {
        assert_eq!(lines(text), rejected(found, Reason::Direction), "{text:?}");
    }
    assert_eq!(lines("a\u{7}"), rejected('\u{7}', Reason::Control));
}

#[test]
fn messages_name_the_code_point() {
    let message = fault("a\u{200B}").unwrap().message();
    assert_eq!(message, "Remove U+200B, which is invisible here.");
}

#[test]
fn text_is_normalized_and_copied_only_if_needed() {
    assert!(matches!(normalize("Müller"), Cow::Borrowed(_)));
    assert_eq!(normalize("Mu\u{308}ller"), "Müller");
}
