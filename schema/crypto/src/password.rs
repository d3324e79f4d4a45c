//! Passwords: hashing with Argon2id in a bounded pool, and the password rule.
//!
//! Passwords are compared in Unicode form NFC, so that the same keys on another keyboard give the same password. Both
//! the hash and the rule use this form.
use std::sync::Arc;

use argon2::password_hash::phc::{Output, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier, Version};
use labs_blocking::{BlockingError, BlockingPool, spare_cores};
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::breached::BreachedPasswords;
use super::random_bytes;
use super::secret::SecretText;

/// Hashes and verifies passwords, a few at a time. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PasswordHasher {
    lane: BlockingPool,
    cost: PasswordCost,
    /// Passwords of known data breaches, if the operator has a list of them.
    breached: Option<Arc<BreachedPasswords>>,
    /// Hash to verify against if the account does not exist, so that the answer takes the same time.
    dummy: Arc<str>,
}

/// Result of a password verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the password matches. Never true without a stored hash.
    pub matches: bool,
    /// Whether the password matches but its hash has outdated parameters; the caller then stores a new hash.
    pub needs_rehash: bool,
}

/// Options of a [`PasswordHasher`].
#[derive(Clone, Debug, Default)]
pub struct PasswordOptions {
    /// Cost of a hash.
    pub cost: PasswordCost,
    /// Passwords of known data breaches, which no user may choose. None: no password is rejected for that reason.
    pub breached: Option<Arc<BreachedPasswords>>,
}

/// Cost of a hash. A guess costs an attacker as much. Rule: docs/decisions/credentials.md#passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordCost {
    memory_kib: u32,
    passes: u32,
}

impl Default for PasswordCost {
    fn default() -> Self {
        Self::FULL
    }
}

impl PasswordCost {
    /// The cost of every service. No setting changes it.
    pub const FULL: Self = Self { memory_kib: 19_456, passes: 2 };
    /// The lowest cost that Argon2 permits, for tests that are not about passwords.
    pub const LOWEST: Self = Self { memory_kib: 8, passes: 1 };
}

const LANES: u32 = 1;
const OUTPUT_BYTES: usize = 32;

impl PasswordHasher {
    /// Creates a hasher that runs `permits` hashes at once and lets `queue` more wait.
    pub fn new(permits: usize, queue: usize, options: PasswordOptions) -> PasswordHasher {
        let (lane, dummy) = (BlockingPool::new(permits, queue), options.cost.dummy_hash().into());
        PasswordHasher { lane, cost: options.cost, breached: options.breached, dummy }
    }

    /// Creates the hasher for this machine: all cores but one, and at the full cost about two seconds of waiting at
    /// most.
    pub fn for_this_machine(options: PasswordOptions) -> PasswordHasher {
        let cores = spare_cores();
        PasswordHasher::new(cores, cores.saturating_mul(64), options)
    }

    /// Returns the PHC string of `password`, with a new salt.
    ///
    /// # Errors
    /// [`BlockingError::Overloaded`] if the queue is full.
    pub async fn hash(&self, password: SecretText) -> Result<String, BlockingError> {
        let cost = self.cost;
        let hashed = self.lane.run(move || cost.hash(&password)).await?;
        hashed.ok_or(BlockingError::Broken)
    }

    /// Verifies `password` against the stored PHC string. Without one, it takes the same time and does not match.
    ///
    /// # Errors
    /// [`BlockingError::Overloaded`] if the queue is full.
    pub async fn verify(&self, password: SecretText, stored: Option<&str>) -> Result<Verdict, BlockingError> {
        let readable = stored.filter(|hash| PasswordHash::new(hash).is_ok());
        if stored.is_some() && readable.is_none() {
            tracing::error!("a stored password hash is unreadable; the sign-in is rejected");
        }
        let known = readable.is_some();
        let hash = readable.unwrap_or(&self.dummy).to_owned();
        let matches = self.lane.run(move || verify_now(&password, &hash)).await?;
        Ok(Verdict {
            matches: known && matches,
            needs_rehash: known && matches && !readable.is_some_and(|hash| self.cost.is_of(hash)),
        })
    }

    /// Applies [`password_rule`] outside the async threads, and then the list of breached passwords. If the list cannot
    /// be read any more, the log has an error and the password is accepted.
    ///
    /// # Errors
    /// [`BlockingError::Overloaded`] if the queue is full; the inner result is the rule's.
    pub async fn check_rule(
        &self,
        password: SecretText,
        email: &str,
        name: &str,
    ) -> Result<Result<(), Vec<PasswordProblem>>, BlockingError> {
        let (email, name) = (email.to_owned(), name.to_owned());
        let breached = self.breached.clone();
        let judge = move || {
            password_rule(&password, &email, &name)?;
            match breached.map(|list| list.contains(&normal_form(&password))) {
                Some(Ok(true)) => Err(vec![PasswordProblem::TooCommon]),
                Some(Err(error)) => {
                    tracing::error!(%error, "the list of breached passwords cannot be read");
                    Ok(())
                }
                Some(Ok(false)) | None => Ok(()),
            }
        };
        self.lane.run(judge).await
    }
}

/// Returns the form of the password that is hashed and checked.
fn normal_form(password: &SecretText) -> Zeroizing<String> {
    Zeroizing::new(password.expose().nfc().collect())
}

impl PasswordCost {
    fn argon2id(self) -> Argon2<'static> {
        let params = Params::new(self.memory_kib, self.passes, LANES, Some(OUTPUT_BYTES));
        // The crate's defaults equal the full cost; a test compares them with the specification.
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params.unwrap_or_default())
    }

    fn hash(self, password: &SecretText) -> Option<String> {
        self.argon2id()
            .hash_password_with_salt(normal_form(password).as_bytes(), &random_bytes::<16>())
            .ok()
            .map(|hash| hash.to_string())
    }

    /// Whether a hash has this cost and the other parameters of today.
    fn is_of(self, hash: &str) -> bool {
        PasswordHash::new(hash).is_ok_and(|hash| {
            let number = |name| hash.params.get_decimal(name);
            hash.algorithm == Algorithm::Argon2id.ident()
                && hash.version == Some(Version::V0x13.into())
                && number("m") == Some(self.memory_kib)
                && number("t") == Some(self.passes)
                && number("p") == Some(LANES)
                && hash.hash.is_some_and(|output| output.len() == OUTPUT_BYTES)
        })
    }

    /// Creates a well-formed hash of no password: random output, the same cost.
    #[expect(clippy::expect_used, reason = "salt and output have fixed, allowed lengths; every test runs this")]
    fn dummy_hash(self) -> String {
        let salt = Salt::new(&random_bytes::<16>()).expect("16 bytes are a salt");
        let output = Output::new(&random_bytes::<OUTPUT_BYTES>()).expect("32 bytes are an output");
        PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(Version::V0x13.into()),
            params: self.argon2id().params().try_into().expect("parameters have a text"),
            salt: Some(salt),
            hash: Some(output),
        }
        .to_string()
    }
}

/// Verifies a password against a hash of any cost.
fn verify_now(password: &SecretText, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        PasswordCost::FULL.argon2id().verify_password(normal_form(password).as_bytes(), &hash).is_ok()
    })
}

/// Reason why a password is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordProblem {
    /// Fewer than [`SHORTEST_PASSWORD`] characters.
    TooShort,
    /// More than [`LONGEST_PASSWORD`] characters.
    TooLong,
    /// It contains a control character, such as a copied line end.
    ControlCharacter,
    /// It is the user's e-mail address, or the part before the `@`.
    IsEmail,
    /// It is on lists of common passwords, or too easy to guess.
    TooCommon,
}

/// Shortest password, in characters. Rule: docs/decisions/credentials.md#passwords.
pub const SHORTEST_PASSWORD: usize = 12;
/// Longest password, in characters.
pub const LONGEST_PASSWORD: usize = 256;
/// Maximum number of characters that the estimator sees. Its time grows with the square of the length, and forty-eight
/// characters are enough to decide.
const ESTIMATED_CHARACTERS: usize = 48;
/// Maximum number of different characters that can replace letters and that the estimator sees. It tries every reading
/// of them; with all ten of them, 100 characters took it 0.7 s.
const LETTER_SIGNS: usize = 3;

impl PasswordProblem {
    /// Returns the stable code for a field error.
    pub fn code(self) -> &'static str {
        match self {
            PasswordProblem::TooShort => "TOO_SHORT",
            PasswordProblem::TooLong => "TOO_LONG",
            PasswordProblem::ControlCharacter => "CONTROL_CHARACTER",
            PasswordProblem::IsEmail => "IS_EMAIL",
            PasswordProblem::TooCommon => "TOO_COMMON",
        }
    }

    /// Returns the advice for the user.
    pub fn message(self) -> &'static str {
        match self {
            PasswordProblem::TooShort => "Use at least 12 characters.",
            PasswordProblem::TooLong => "Use at most 256 characters.",
            PasswordProblem::ControlCharacter => "Do not use control characters, such as line breaks and tabs.",
            PasswordProblem::IsEmail => "Do not use your e-mail address.",
            PasswordProblem::TooCommon => "This password is easy to guess. Use several unrelated words.",
        }
    }
}

/// Checks whether `password` is acceptable for the user with this e-mail address and name.
///
/// Takes a few milliseconds, 30 at worst; on an async thread use [`PasswordHasher::check_rule`]. Rule:
/// docs/decisions/credentials.md#passwords.
///
/// # Errors
/// All reasons for rejection, at least one.
pub fn password_rule(password: &SecretText, email: &str, name: &str) -> Result<(), Vec<PasswordProblem>> {
    let password = normal_form(password);
    let length = password.chars().count();
    let mut problems = Vec::new();
    if length < SHORTEST_PASSWORD {
        problems.push(PasswordProblem::TooShort);
    }
    if length > LONGEST_PASSWORD {
        problems.push(PasswordProblem::TooLong);
    }
    if password.chars().any(char::is_control) {
        problems.push(PasswordProblem::ControlCharacter);
    }
    let email = email.nfc().collect::<String>().to_lowercase();
    let local = email.split('@').next().unwrap_or_default();
    let lowered = Zeroizing::new(password.to_lowercase());
    if lowered.trim() == email || lowered.trim() == local {
        problems.push(PasswordProblem::IsEmail);
    } else if problems.is_empty() && is_guessable(&password, &email, name) {
        problems.push(PasswordProblem::TooCommon);
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Whether an attacker who knows address, name and service needs fewer than 10^8 guesses.
fn is_guessable(password: &str, email: &str, name: &str) -> bool {
    let known = known_words(email, name);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    zxcvbn::zxcvbn(&estimable_part(password), &known).score() < zxcvbn::Score::Three
}

/// Returns the part of a password that the estimator gets. If too many different characters could be read as letters,
/// each is replaced by a neutral character: such passwords are not remembered as words.
fn estimable_part(password: &str) -> Zeroizing<String> {
    const SIGNS: [(char, char); 10] = [
        ('@', '&'),
        ('(', '}'),
        ('{', ')'),
        ('[', ']'),
        ('<', '>'),
        ('!', '?'),
        ('|', '/'),
        ('$', '#'),
        ('+', '-'),
        ('%', '^'),
    ];
    let start = || password.chars().take(ESTIMATED_CHARACTERS);
    let used = SIGNS.iter().filter(|(sign, _)| start().any(|c| c == *sign));
    if used.count() <= LETTER_SIGNS {
        return Zeroizing::new(start().collect());
    }
    let plain = |c| SIGNS.iter().find(|(sign, _)| *sign == c).map_or(c, |(_, plain)| *plain);
    Zeroizing::new(start().map(plain).collect())
}

/// Lists the known words about the user: address and name, whole, in parts, and joined. The estimator does not penalise
/// combinations of three parts, so the joined forms matter.
fn known_words(email: &str, name: &str) -> Vec<String> {
    let (local, domain) = email.split_once('@').unwrap_or((email, ""));
    let mut known: Vec<String> = ["labs", "password", "marketplace", email].map(str::to_owned).into();
    known.extend(domain.split('.').map(str::to_owned));
    for text in [local, email, &name.to_lowercase()] {
        known.extend(text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned));
        known.push(text.chars().filter(|c| c.is_alphanumeric()).collect());
    }
    known.retain(|word| word.chars().count() > 2);
    known
}

#[cfg(test)]
mod tests;
