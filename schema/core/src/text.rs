//! Rule for text that users send: the characters allowed in a single line (a name, a title) and in several lines, and
//! the normal form (NFC) in which every text is compared and stored
//! (docs/decisions/texts.md#one-rule-for-accepted-text).
//!
//! The contract declares the kind of each text field (`x-text`). The REST API and the playground check both through the
//! contract's schemas; commands of the operator check here.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use icu_properties::props::{
    BidiControl, CanonicalCombiningClass, DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic,
    GeneralCategory, GeneralCategoryGroup, JoiningType, Script, UnifiedIdeograph,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::fault::FieldError;

/// Maximum number of combining marks in a row. Hebrew with points and accents has three, Thai two, Tibetan stacks four.
const MOST_MARKS: usize = 4;

/// Blank Braille pattern: a symbol without ink.
const BRAILLE_BLANK: char = '\u{2800}';
const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
/// Base of the three flags that consist of tag characters, and their tag sequences.
const BLACK_FLAG: char = '\u{1F3F4}';
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const CANCEL_TAG: char = '\u{E007F}';

/// Kind of a text field, as the contract declares it (`x-text`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A name, a title or another text of one line.
    Line,
    /// Text of any number of lines.
    Lines,
    /// A secret, an identifier or another text that users do not read.
    Opaque,
}

impl TextKind {
    /// Parses the kind in the contract.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "line" => Some(Self::Line),
            "lines" => Some(Self::Lines),
            "opaque" => Some(Self::Opaque),
            _ => None,
        }
    }
}

/// First invalid part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// It has no visible character.
    Blank,
    /// It contains this character, which is invalid for this reason.
    Character(char, Reason),
}

/// Reason why a character is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A control character or, in a line, a line break.
    Control,
    /// It changes the direction of the text around it.
    Direction,
    /// It is invisible in this position.
    Invisible,
    /// Unicode assigns no character to this code point.
    Unassigned,
    /// One combining mark too many in a row.
    Marks,
    /// A combining mark without a base character.
    Baseless,
}

impl TextFault {
    /// Returns the stable code of the item in a problem document.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Blank => "BLANK",
            Self::Character(..) => "CHARACTER",
        }
    }

    /// Returns the item of a problem document for this field.
    #[must_use]
    pub fn at(&self, pointer: &str) -> FieldError {
        FieldError::at(pointer, self.code(), self.message())
    }

    /// Returns advice for the user. An invisible character is named by its code point, because the reader cannot see
    /// it.
    #[must_use]
    pub fn message(&self) -> String {
        let Self::Character(found, reason) = self else {
            return "Send at least one visible character.".to_owned();
        };
        let code = format!("U+{:04X}", u32::from(*found));
        match reason {
            Reason::Control => format!("Remove line breaks and control characters ({code})."),
            Reason::Direction => format!("Remove {code}, which changes the direction of the text."),
            Reason::Invisible => format!("Remove {code}, which is invisible here."),
            Reason::Unassigned => format!("Remove {code}, which is not an assigned Unicode character."),
            Reason::Marks => format!("Use at most {MOST_MARKS} combining marks in a row. Remove {code}."),
            Reason::Baseless => format!("{code} is a combining mark. Put a character before it."),
        }
    }
}

/// Returns the text in NFC, the form in which it is stored and compared. Text that is already in NFC is not copied.
#[must_use]
pub fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

/// Finds the first part that a text of this kind may not contain. An empty text is valid; its length is checked by
/// another rule.
#[must_use]
pub fn find_fault(kind: TextKind, text: &str) -> Option<TextFault> {
    match kind {
        TextKind::Opaque => None,
        TextKind::Line => line_fault(text),
        TextKind::Lines => lines_fault(text),
    }
}

fn line_fault(text: &str) -> Option<TextFault> {
    let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if is_printable && text.bytes().any(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let text: Vec<char> = text.chars().collect();
    let found = text.iter().enumerate().find_map(|(place, found)| {
        let (before, after) = (text.get(..place).unwrap_or_default(), text.get(place + 1..).unwrap_or_default());
        reject_in_line(before, *found, after).map(|reason| TextFault::Character(*found, reason))
    });
    found.or_else(|| (!text.is_empty() && !text.iter().any(|found| is_visible(*found))).then_some(TextFault::Blank))
}

/// Returns the reason why a character is not allowed in a line between these characters.
fn reject_in_line(before: &[char], found: char, after: &[char]) -> Option<Reason> {
    if found.is_ascii_graphic() || found == ' ' {
        return None;
    }
    let category = category(found);
    if matches!(
        category,
        GeneralCategory::Control | GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator
    ) {
        return Some(Reason::Control);
    }
    if matches!(category, GeneralCategory::Unassigned | GeneralCategory::PrivateUse | GeneralCategory::Surrogate) {
        return Some(Reason::Unassigned);
    }
    if is_direction(found) {
        return Some(Reason::Direction);
    }
    if is_ignorable(found) || category == GeneralCategory::Format {
        return (!has_an_effect(before, found, after)).then_some(Reason::Invisible);
    }
    if is_mark(found) {
        let marks = before.iter().rev().take_while(|earlier| is_mark(**earlier)).count();
        let base = before.iter().rev().nth(marks).copied();
        if base.is_none_or(char::is_whitespace) {
            return Some(Reason::Baseless);
        }
        return (marks >= MOST_MARKS).then_some(Reason::Marks);
    }
    None
}

/// Whether an ignorable character has a visible effect in its position: joiners in the scripts and emoji that need them
/// (after UAX #31, contexts A1, A2 and B), variation selectors after a character with variants, and the tags of a flag.
fn has_an_effect(before: &[char], found: char, after: &[char]) -> bool {
    let last = before.last().copied();
    match found {
        ZWNJ => follows_virama(before) || is_between_joining(before, after),
        ZWJ => is_joined(before, after),
        '\u{FE0E}' | '\u{FE0F}' => last.is_some_and(has_emoji_variants),
        '\u{FE00}'..='\u{FE02}' | '\u{E0100}'..='\u{E01EF}' => last.is_some_and(is_ideograph),
        '\u{180B}'..='\u{180D}' | '\u{180F}' => last.is_some_and(|last| script(last) == Script::Mongolian),
        '\u{E0020}'..='\u{E007F}' => is_in_tagged_flag(before, found, after),
        _ => false,
    }
}

/// Whether a joiner is between emoji, after a virama, before one (the Bengali ya-phala), or in a position where it
/// changes the form of the joining letter before it.
fn is_joined(before: &[char], after: &[char]) -> bool {
    let next = after.first().copied();
    let modifiers = |letter: &&char| matches!(**letter, '\u{FE0F}' | '\u{20E3}') || is_emoji_modifier(**letter);
    let emoji = before.iter().rev().find(|letter| !modifiers(letter));
    let between_emoji = emoji.is_some_and(|letter| is_pictograph(*letter)) && next.is_some_and(is_pictograph);
    let before_virama = next.is_some_and(is_virama) && before.last().is_some_and(|last| last.is_alphabetic());
    let joins_before = before.last().is_some_and(|last| is_dual_joining(*last));
    let joins_after = next.is_some_and(|next| is_dual_joining(next) || is_right_joining(next));
    between_emoji || follows_virama(before) || before_virama || (joins_before && !joins_after)
}

/// Whether the last letter has a virama, possibly followed by other marks.
fn follows_virama(before: &[char]) -> bool {
    let mut marks = before.iter().rev().take_while(|letter| is_mark(**letter));
    marks.any(|mark| is_virama(*mark))
}

/// Whether both neighbours are letters that would join each other.
fn is_between_joining(before: &[char], after: &[char]) -> bool {
    let base = |letter: &&char| !is_transparent(**letter);
    let left = before.iter().rev().find(base).copied();
    let right = after.iter().find(base).copied();
    left.is_some_and(is_dual_joining) && right.is_some_and(|right| is_dual_joining(right) || is_right_joining(right))
}

/// Whether a tag character is part of a complete regional flag that emoji have.
fn is_in_tagged_flag(before: &[char], found: char, after: &[char]) -> bool {
    let start = before.iter().rev().take_while(|letter| is_tag(**letter)).count();
    let base = before.iter().rev().nth(start);
    let earlier = before.iter().rev().take(start).collect::<Vec<_>>();
    let tags = earlier.into_iter().rev().copied().chain([found]).chain(after.iter().copied());
    let spelled: String =
        tags.take_while(|letter| is_tag(*letter) && *letter != CANCEL_TAG).filter_map(to_untagged).collect();
    let is_closed = after.iter().chain([&found]).any(|letter| *letter == CANCEL_TAG);
    base == Some(&BLACK_FLAG) && is_closed && TAGGED_FLAGS.contains(&spelled.as_str())
}

/// Returns the ASCII character that a tag character represents.
fn to_untagged(tag: char) -> Option<char> {
    char::from_u32(u32::from(tag).checked_sub(0xE_0000)?)
}

fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{E0020}'..='\u{E007F}')
}

/// Finds the first invalid part of a multi-line text. Not allowed are control characters except line breaks and tabs,
/// direction overrides, embeddings and isolates that are not closed in their line, and tag characters outside a flag.
/// Everything else is allowed: the author is responsible for the meaning, and additional line breaks do not deceive the
/// reader of a paragraph.
fn lines_fault(text: &str) -> Option<TextFault> {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
        return None;
    }
    text.split(['\n', '\r', '\u{2028}', '\u{2029}']).find_map(paragraph_fault)
}

fn paragraph_fault(line: &str) -> Option<TextFault> {
    let mut opened = Vec::new();
    let letters: Vec<char> = line.chars().collect();
    for (place, found) in letters.iter().copied().enumerate() {
        let reason = match found {
            '\t' => None,
            '\u{202D}' | '\u{202E}' => Some(Reason::Direction),
            '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}' => {
                opened.push(found);
                None
            }
            '\u{202C}' => (!matches!(opened.pop(), Some('\u{202A}' | '\u{202B}'))).then_some(Reason::Direction),
            '\u{2069}' => (!matches!(opened.pop(), Some('\u{2066}'..='\u{2068}'))).then_some(Reason::Direction),
            tag if is_tag(tag) => {
                let (before, after) = (letters.get(..place)?, letters.get(place + 1..)?);
                (!is_in_tagged_flag(before, tag, after)).then_some(Reason::Invisible)
            }
            other => other.is_control().then_some(Reason::Control),
        };
        if let Some(reason) = reason {
            return Some(TextFault::Character(found, reason));
        }
    }
    opened.first().map(|found| TextFault::Character(*found, Reason::Direction))
}

/// Whether a character has ink: not a space, not a mark alone, and not a character that fonts skip.
fn is_visible(letter: char) -> bool {
    letter.is_ascii_graphic()
        || !(letter.is_whitespace()
            || letter == BRAILLE_BLANK
            || is_mark(letter)
            || is_ignorable(letter)
            || GeneralCategoryGroup::Other.contains(category(letter)))
}

fn category(letter: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(letter)
}

fn script(letter: char) -> Script {
    CodePointMapData::<Script>::new().get(letter)
}

fn is_mark(letter: char) -> bool {
    GeneralCategoryGroup::Mark.contains(category(letter))
}

fn is_ignorable(letter: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(letter)
}

fn is_direction(letter: char) -> bool {
    CodePointSetData::new::<BidiControl>().contains(letter)
}

fn is_pictograph(letter: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(letter)
}

fn is_emoji_modifier(letter: char) -> bool {
    CodePointSetData::new::<EmojiModifier>().contains(letter)
}

fn has_emoji_variants(letter: char) -> bool {
    CodePointSetData::new::<Emoji>().contains(letter)
}

fn is_ideograph(letter: char) -> bool {
    CodePointSetData::new::<UnifiedIdeograph>().contains(letter)
}

fn is_virama(letter: char) -> bool {
    CodePointMapData::<CanonicalCombiningClass>::new().get(letter) == CanonicalCombiningClass::Virama
}

fn joining(letter: char) -> JoiningType {
    CodePointMapData::<JoiningType>::new().get(letter)
}

fn is_dual_joining(letter: char) -> bool {
    matches!(joining(letter), JoiningType::DualJoining | JoiningType::LeftJoining)
}

fn is_right_joining(letter: char) -> bool {
    joining(letter) == JoiningType::RightJoining
}

fn is_transparent(letter: char) -> bool {
    joining(letter) == JoiningType::Transparent
}
