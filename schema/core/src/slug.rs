//! Slugs, derived from names.

use std::collections::VecDeque;

use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use super::db::Db;
use super::fault::{Fault, FieldError};

/// Code of the field error for a slug that belongs to another resource.
const TAKEN: &str = "TAKEN";
/// Maximum characters of a derived slug. A slug in a request can have 80.
const LONGEST: usize = 60;

/// Derives a slug from a name: lower-case letters, digits and single hyphens between them, at most 60 characters.
/// Letters of other scripts are transliterated, except ideographs, whose reading depends on the language. If the result
/// has fewer than two characters, `otherwise` is put in front.
pub fn slug_of(name: &str, otherwise: &str) -> String {
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

/// Returns the Latin transliteration of a letter of another script.
fn foreign(letter: char) -> Option<&'static str> {
    let is_ideograph = matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    let is_foreign = !letter.is_ascii() && letter.is_alphanumeric() && !is_ideograph;
    is_foreign.then(|| deunicode::deunicode_char(letter)).flatten()
}

/// Slug of a new resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewSlug {
    /// The caller chose it. It conflicts if another resource has it.
    Chosen(String),
    /// Derived from a name. It never conflicts: if it is taken, a random suffix makes it unique.
    Derived(String),
    /// Derived from a name without letters that can be transliterated, so that it has no meaning without a suffix.
    Suffixed(String),
}

impl NewSlug {
    /// Returns the chosen slug, otherwise one derived from `name`.
    pub fn of(chosen: Option<String>, name: &str, otherwise: &str) -> Self {
        match chosen {
            Some(slug) => Self::Chosen(slug),
            None if transliterate(name).is_empty() => Self::Suffixed(otherwise.to_owned()),
            None => Self::Derived(slug_of(name, otherwise)),
        }
    }

    /// Returns the slugs to try, in order.
    pub fn candidates(self, random: Uuid) -> Vec<String> {
        let random = random.simple().to_string();
        let suffixed = |slug: &str| {
            let stem = slug.get(..LONGEST).unwrap_or(slug).trim_end_matches('-');
            // A second suffix is needed because the first one, 32 random bits, may be taken.
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

/// Attempts to write a resource under the first free slug of several. Each attempt but the last runs in a savepoint, so
/// that a conflict with a concurrent write does not abort the transaction.
pub struct SlugAttempts<'d> {
    db: &'d Db,
    candidates: VecDeque<String>,
}

impl<'d> SlugAttempts<'d> {
    /// Creates the attempts for a new resource.
    pub fn new(db: &'d Db, slug: NewSlug, random: Uuid) -> Self {
        Self { db, candidates: slug.candidates(random).into() }
    }

    /// Begins an attempt and returns its slug.
    ///
    /// # Errors
    /// If the database does not answer.
    pub async fn next_slug(&mut self) -> Result<String, Fault> {
        let slug = self.candidates.pop_front().ok_or_else(|| Fault::internal("no free slug was found"))?;
        if !self.candidates.is_empty() {
            self.statement("savepoint slug_attempt").await?;
        }
        Ok(slug)
    }

    /// Ends an attempt. `None` if its slug is taken and another one remains to be tried.
    ///
    /// # Errors
    /// The fault of the outcome; for a taken slug only at the last attempt.
    pub async fn end<T>(&self, outcome: Result<T, Fault>) -> Result<Option<T>, Fault> {
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

/// Returns the field error for a slug that belongs to another resource.
pub fn err_taken(message: &str) -> FieldError {
    FieldError::at("/slug", TAKEN, message)
}

fn is_slug_taken(fault: &Fault) -> bool {
    fault.errors().iter().any(|error| error.code == TAKEN && error.pointer.as_deref() == Some("/slug"))
}

/// Normalises a text for comparison with search input: words in lower-case letters without accents, separated by single
/// spaces.
pub fn fold(text: &str) -> String {
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

/// Contracts `ae`, `oe` and `ue` in a folded text to the vowels that they replace on keyboards without umlauts; `None`
/// if the text has none. After `a`, `e` and `q` they are not contracted (`neue`, `queue`). Corresponds to the database
/// function `search_contracted`.
pub fn contract(folded: &str) -> Option<String> {
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

/// Returns the base letters of a letter that Unicode does not decompose.
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
    fn slugs_are_lower_case_ascii_with_hyphens() {
        assert_eq!(slug_of("Küche & Kasse 2.0", "app"), "kuche-kasse-2-0");
        assert_eq!(slug_of("Straßenverkauf", "app"), "strassenverkauf");
        assert_eq!(slug_of("Smørrebrød", "app"), "smorrebrod");
        assert_eq!(fold("  Küche & Straße 2.0 "), "kuche strasse 2 0");
        assert_eq!(slug_of("Chef's table", "app"), "chefs-table");
    }

    #[test]
    fn umlaut_digraphs_are_contracted() {
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
    fn derived_slug_has_suffixed_candidates() {
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
    fn truncated_slug_ends_in_letter_or_digit() {
        for length in 55..65 {
            let slug = slug_of(&format!("{} {}", "a".repeat(length), "b".repeat(20)), "app");
            assert!(slug.len() <= LONGEST && !slug.ends_with('-'), "{slug}");
        }
    }
}
