//! Names in addresses, made out of names for people.

use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

/// Longest slug that is made, in characters. One that is sent may have 80.
const LONGEST: usize = 60;

/// A slug out of a name: lower-case letters, digits and single hyphens between them, at most 60 characters.
/// `otherwise` stands before a name that gives less than two of them.
pub(crate) fn slug_of(name: &str, otherwise: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for letter in name.nfkd().filter(|letter| !is_combining(*letter)) {
        match plain(letter) {
            Some(plain) => slug.push_str(plain),
            None if letter.is_ascii_alphanumeric() => slug.push(letter.to_ascii_lowercase()),
            None if matches!(letter, '\'' | '’') => {}
            None if slug.is_empty() || slug.ends_with('-') => {}
            None => slug.push('-'),
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('-');
    if slug.len() < 2 { format!("{otherwise}-{slug}").trim_end_matches('-').to_owned() } else { slug.to_owned() }
}

/// A text as it is compared with what somebody types: its words in lower-case letters without accents, with single blanks
/// between them.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkd().filter(|letter| !is_combining(*letter)) {
        match plain(letter) {
            Some(plain) => folded.push_str(plain),
            None if letter.is_alphanumeric() => folded.extend(letter.to_lowercase()),
            None if folded.is_empty() || folded.ends_with(' ') => {}
            None => folded.push(' '),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// A folded text in which `ae`, `oe` and `ue` are the vowels for which people without the right keys write them; nothing where
/// there are none. Behind `a`, `e` and `q` they are what they are (`neue`, `queue`). The database's `search_contracted`.
pub(crate) fn contract(folded: &str) -> Option<String> {
    let (mut contracted, mut before) = (String::with_capacity(folded.len()), [' ', ' ']);
    for letter in folded.chars() {
        let [first, second] = before;
        if !(letter == 'e' && matches!(second, 'a' | 'o' | 'u') && !matches!(first, 'a' | 'e' | 'q')) {
            contracted.push(letter);
        }
        before = [second, letter];
    }
    (contracted.len() < folded.len()).then_some(contracted)
}

/// The same slug made the only one, by letters and digits of a new uuid.
pub(crate) fn slug_with(slug: &str, random: Uuid) -> String {
    let tail = random.simple().to_string();
    format!("{slug}-{}", tail.get(24..).unwrap_or_default())
}

/// Letters that do not come apart into a plain one and an accent.
const fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

const fn is_combining(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        assert_eq!(slug_of("Küche & Kasse 2.0", "app"), "kuche-kasse-2-0");
        assert_eq!(slug_of("Straßenverkauf", "app"), "strassenverkauf");
        assert_eq!(slug_of("Smørrebrød", "app"), "smorrebrod");
        assert_eq!(fold("  Küche & Straße 2.0 "), "kuche strasse 2 0");
        assert_eq!(slug_of("Chef's table", "app"), "chefs-table");
    }

    #[test]
    fn vowels_that_were_written_with_an_e_are_taken_for_one() {
        assert_eq!(contract("kueche und oel").as_deref(), Some("kuche und ol"));
        assert_eq!([contract("neue queue"), contract("kuche")], [None, None]);
    }

    #[test]
    fn names_without_plain_letters_fall_back() {
        assert_eq!(slug_of("  --  ", "app"), "app");
        assert_eq!(slug_of("日本", "category"), "category");
        assert_eq!(slug_of("7", "category"), "category-7");
    }

    #[test]
    fn a_uuid_makes_a_slug_the_only_one() {
        let only = slug_with("tischwerk", Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_1234_00af));
        assert_eq!(only, "tischwerk-123400af");
    }

    #[test]
    fn slugs_end_in_a_letter_or_digit_however_long_the_name() {
        for length in 55..65 {
            let slug = slug_of(&format!("{} {}", "a".repeat(length), "b".repeat(20)), "app");
            assert!(slug.len() <= LONGEST && !slug.ends_with('-'), "{slug}");
        }
    }
}
