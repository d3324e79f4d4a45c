//! Names in addresses, made out of names for people.

use std::collections::VecDeque;

use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use super::db::Db;
use super::fault::{Fault, FieldError};

/// The code of a field error that names a slug of another resource.
const TAKEN: &str = "TAKEN";
/// Longest slug that is made, in characters. One that is sent may have 80.
const LONGEST: usize = 60;

/// A slug made of a name: lower-case letters, digits and single hyphens between them, at most 60 characters. Letters of
/// other scripts are transliterated, except ideographs, whose reading depends on the language. `otherwise` stands before
/// a name that gives less than two characters.
pub(crate) fn slug_of(name: &str, otherwise: &str) -> String {
    let slug = transliterate(name);
    if slug.len() < 2 { format!("{otherwise}-{slug}").trim_end_matches('-').to_owned() } else { slug }
}

fn transliterate(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for letter in name.nfkd().filter(|letter| !is_combining(*letter)) {
        match plain(letter).or_else(|| foreign(letter)) {
            Some(plain) => {
                slug.extend(plain.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()));
            }
            None if letter.is_ascii_alphanumeric() => slug.push(letter.to_ascii_lowercase()),
            None if matches!(letter, '\'' | '’') => {}
            None if slug.is_empty() || slug.ends_with('-') => {}
            None => slug.push('-'),
        }
    }
    slug.truncate(LONGEST);
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The Latin letters for a letter of another script.
fn foreign(letter: char) -> Option<&'static str> {
    let is_ideograph = matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    let is_foreign = !letter.is_ascii() && letter.is_alphanumeric() && !is_ideograph;
    is_foreign.then(|| deunicode::deunicode_char(letter)).flatten()
}

/// The slug of a new resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewSlug {
    /// The caller chose it. It conflicts if another resource has it.
    Chosen(String),
    /// Derived from a name. It never conflicts: if it is taken, a random suffix makes it unique.
    Derived(String),
    /// Derived from a name without letters that can be transliterated, so that it says nothing without a suffix.
    Suffixed(String),
}

impl NewSlug {
    /// The chosen slug, else one derived from `name`.
    pub(crate) fn of(chosen: Option<String>, name: &str, otherwise: &str) -> Self {
        match chosen {
            Some(slug) => Self::Chosen(slug),
            None if transliterate(name).is_empty() => Self::Suffixed(otherwise.to_owned()),
            None => Self::Derived(slug_of(name, otherwise)),
        }
    }

    /// The slugs to try, in this order.
    pub(crate) fn candidates(self, random: Uuid) -> Vec<String> {
        let random = random.simple().to_string();
        let suffixed = |slug: &str| {
            let stem = slug.get(..LONGEST).unwrap_or(slug).trim_end_matches('-');
            // A second suffix, because 32 random bits may be taken.
            [24, 16].map(|from| format!("{stem}-{}", random.get(from..).unwrap_or_default()))
        };
        match self {
            Self::Chosen(slug) => vec![slug],
            Self::Suffixed(stem) => suffixed(&stem).into(),
            Self::Derived(slug) => {
                let [first, second] = suffixed(&slug);
                vec![slug, first, second]
            }
        }
    }
}

/// Attempts to write a resource under the first slug of several that is free. Each attempt but the last runs in a
/// savepoint, so that a conflict with a concurrent write does not end the transaction.
pub(crate) struct SlugAttempts<'d> {
    db: &'d Db,
    candidates: VecDeque<String>,
}

impl<'d> SlugAttempts<'d> {
    /// Attempts for a new resource.
    pub(crate) fn new(db: &'d Db, slug: NewSlug, random: Uuid) -> Self {
        Self { db, candidates: slug.candidates(random).into() }
    }

    /// Begins an attempt and returns its slug.
    ///
    /// # Errors
    /// When the database is away.
    pub(crate) async fn next_slug(&mut self) -> Result<String, Fault> {
        let slug = self.candidates.pop_front().ok_or_else(|| Fault::internal("no free slug was found"))?;
        if !self.candidates.is_empty() {
            self.statement("savepoint slug_attempt").await?;
        }
        Ok(slug)
    }

    /// Ends an attempt. `None` when its slug is taken and another one is to be tried.
    ///
    /// # Errors
    /// The outcome's fault; for a taken slug only when it is the last one.
    pub(crate) async fn end<T>(&self, outcome: Result<T, Fault>) -> Result<Option<T>, Fault> {
        if self.candidates.is_empty() {
            return outcome.map(Some);
        }
        match outcome {
            Ok(written) => {
                self.statement("release savepoint slug_attempt").await?;
                Ok(Some(written))
            }
            Err(fault) if is_slug_taken(&fault) => {
                self.statement("rollback to savepoint slug_attempt").await?;
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    async fn statement(&self, statement: &'static str) -> Result<(), Fault> {
        sqlx::raw_sql(statement).execute(&mut *self.db.conn().await?).await?;
        Ok(())
    }
}

/// The field error of a slug that another resource has.
pub(crate) fn taken(message: &str) -> FieldError {
    FieldError::at("/slug", TAKEN, message)
}

fn is_slug_taken(fault: &Fault) -> bool {
    fault.errors().iter().any(|error| error.code == TAKEN && error.pointer.as_deref() == Some("/slug"))
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
    fn other_scripts_are_transliterated() {
        assert_eq!(slug_of("Ταβέρνα Πλάτων", "app"), "taberna-platon");
        assert_eq!(slug_of("Кухня и касса", "app"), "kukhnia-i-kassa");
        assert_eq!(slug_of("注文 Orders", "app"), "orders");
    }

    #[test]
    fn names_without_plain_letters_fall_back() {
        assert_eq!(slug_of("  --  ", "app"), "app");
        assert_eq!(slug_of("日本", "category"), "category");
        assert_eq!(slug_of("7", "category"), "category-7");
    }

    #[test]
    fn a_derived_slug_has_further_candidates_with_suffixes() {
        let random = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_1234_00af);
        let candidates =
            |chosen: Option<&str>, name: &str| NewSlug::of(chosen.map(str::to_owned), name, "app").candidates(random);
        assert_eq!(candidates(Some("till"), "Kasse"), ["till"]);
        assert_eq!(candidates(None, "Kasse"), ["kasse", "kasse-123400af", "kasse-80000000123400af"]);
        assert_eq!(candidates(None, "日本"), ["app-123400af", "app-80000000123400af"]);
        let long = NewSlug::Derived("a".repeat(80)).candidates(random);
        assert!(long.iter().all(|slug| slug.len() <= 80), "{long:?}");
    }

    #[test]
    fn slugs_end_in_a_letter_or_digit_however_long_the_name() {
        for length in 55..65 {
            let slug = slug_of(&format!("{} {}", "a".repeat(length), "b".repeat(20)), "app");
            assert!(slug.len() <= LONGEST && !slug.ends_with('-'), "{slug}");
        }
    }
}
