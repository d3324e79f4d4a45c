use proptest::prelude::*;

use super::*;

fn rule(password: &str) -> Result<(), Vec<PasswordProblem>> {
    password_rule(&SecretText::new(password), "Anna.Berger@seeblick-software.at", "Anna Berger")
}

fn hasher() -> PasswordHasher {
    PasswordHasher::new(1, 8, PasswordOptions::default())
}

#[tokio::test]
async fn hash_matches_only_its_password() {
    let hash = hasher().hash("correct horse battery".to_owned().into()).await;
    let hash = hash.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let right = hasher().verify("correct horse battery".to_owned().into(), Some(&hash)).await;
    let wrong = hasher().verify("correct horse batterz".to_owned().into(), Some(&hash)).await;
    assert_eq!(right, Ok(Verdict { matches: true, needs_rehash: false }));
    assert_eq!(wrong, Ok(Verdict { matches: false, needs_rehash: false }));
}

#[tokio::test]
async fn same_password_hashes_differently_each_time() {
    let one = hasher().hash("correct horse battery".to_owned().into()).await;
    let two = hasher().hash("correct horse battery".to_owned().into()).await;
    assert_ne!(one.unwrap(), two.unwrap());
}

#[tokio::test]
async fn composed_and_decomposed_letters_match() {
    let hash = hasher().hash("M\u{fc}nchner Freiheit".to_owned().into()).await;
    let typed_elsewhere = SecretText::new("Mu\u{308}nchner Freiheit");
    let verdict = hasher().verify(typed_elsewhere, Some(&hash.unwrap())).await;
    assert!(verdict.unwrap().matches);
}

#[tokio::test]
async fn weak_hash_matches_and_requests_rehash() {
    let weak = Params::new(8_192, 1, 1, None).unwrap();
    let hash = Argon2::new(Algorithm::Argon2id, Version::V0x13, weak)
        .hash_password_with_salt(b"correct horse battery", &[1; 16])
        .unwrap()
        .to_string();
    let right = hasher().verify("correct horse battery".to_owned().into(), Some(&hash)).await.unwrap();
    let wrong = hasher().verify("something else".to_owned().into(), Some(&hash)).await.unwrap();
    assert_eq!(right, Verdict { matches: true, needs_rehash: true });
    assert_eq!(wrong, Verdict { matches: false, needs_rehash: false });
}

#[tokio::test]
async fn missing_or_broken_hash_never_matches() {
    for stored in [None, Some(""), Some("$argon2id$"), Some("plain text")] {
        let verdict = hasher().verify("anything at all".to_owned().into(), stored).await;
        assert!(!verdict.unwrap().matches, "{stored:?}");
    }
}

#[test]
fn dummy_hash_has_current_cost_parameters() {
    for cost in [PasswordCost::FULL, PasswordCost::LOWEST] {
        let real = cost.hash(&SecretText::new("correct horse battery")).unwrap();
        let dummy = cost.dummy_hash();
        assert!(cost.is_of(&dummy) && cost.is_of(&real), "{cost:?}");
    }
}

#[tokio::test]
async fn full_password_queue_rejects_immediately() {
    let hasher = PasswordHasher::new(1, 2, PasswordOptions::default());
    let calls = (0..12).map(|_| hasher.hash("correct horse battery".to_owned().into()));
    let results = futures_util::future::join_all(calls).await;
    let refused = results.iter().filter(|r| **r == Err(BlockingError::Overloaded));
    assert_eq!(refused.count(), 9);
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 3);
}

#[test]
fn strong_passwords_are_accepted() {
    for good in [
        "correct horse battery staple",
        "lampe-giraffe-montag-teekanne",
        "Tr7#kq9!Lm2xZp",
        "冬の朝に飲む熱い緑茶はうまい",
        &"Zirbe und Lärche am Hang; ".repeat(9),
    ] {
        assert_eq!(rule(good), Ok(()), "{good}");
    }
}

#[test]
fn each_password_problem_is_reported() {
    use PasswordProblem::{ControlCharacter, IsEmail, TooCommon, TooLong, TooShort};
    let cells = [
        ("", vec![TooShort]),
        ("Tr7#kq9!Lm2", vec![TooShort]),
        ("Tr7#kq9!\nLm2xZp", vec![ControlCharacter]),
        ("Tr7#kq9!\u{0}Lm2xZp", vec![ControlCharacter]),
        ("anna.berger@seeblick-software.at", vec![IsEmail]),
        ("ANNA.BERGER@Seeblick-Software.AT", vec![IsEmail]),
        ("anna.berger", vec![TooShort, IsEmail]),
        ("password1234", vec![TooCommon]),
        ("Passw0rd!!!!", vec![TooCommon]),
        ("qwertyuiop12", vec![TooCommon]),
        ("123456789012", vec![TooCommon]),
        ("aaaaaaaaaaaaaaaaaaaa", vec![TooCommon]),
        ("annaberger2026", vec![TooCommon]),
        ("seeblick-software", vec![TooCommon]),
    ];
    for (password, problems) in cells {
        assert_eq!(rule(password), Err(problems), "{password:?}");
    }
    assert_eq!(rule(&"aB3$".repeat(65)), Err(vec![TooLong]));
}

#[test]
fn password_length_is_counted_after_composition() {
    // Eleven characters written with twenty-two code points.
    let eleven = "u\u{308}".repeat(11);
    assert_eq!(rule(&eleven), Err(vec![PasswordProblem::TooShort]));
    let limit: String = "Zirbe/Lärche.Föhre;".chars().cycle().take(256).collect();
    assert_eq!(rule(&limit), Ok(()));
    assert_eq!(rule(&format!("{limit}x")), Err(vec![PasswordProblem::TooLong]));
}

#[test]
fn password_estimator_input_is_bounded() {
    let signs_for_letters = "4@8({[<369&#!1/|0$5+7%2".repeat(11);
    let three_signs = "1234567890@|$".repeat(19);
    for worst in [signs_for_letters, three_signs, "qwerty12".repeat(32)] {
        let shown = estimable_part(&worst);
        assert!(shown.chars().count() <= ESTIMATED_CHARACTERS, "its time grows with the square of the length");
        let signs = "@({[<!|$+%".chars().filter(|sign| shown.contains(*sign)).count();
        assert!(signs <= LETTER_SIGNS, "it tries every reading of {signs} signs");
        let _ = rule(&worst);
    }
}

#[test]
fn leetspeak_is_decoded_up_to_a_limit() {
    assert_eq!(rule("P@$$w0rd!P@$$w0rd!"), Err(vec![PasswordProblem::TooCommon]));
    assert_eq!(estimable_part("P@$$w0rd!").as_str(), "P@$$w0rd!");
    assert_eq!(estimable_part("P@$$w0rd!(").as_str(), "P&##w0rd?}");
    assert_eq!(rule("x(8@Lm{2!zQ|7<9$kV[e"), Ok(()));
}

#[tokio::test]
async fn password_rule_can_be_checked_asynchronously() {
    let weak = SecretText::new("password1234");
    let asked = hasher().check_rule(weak, "anna@example.com", "Anna").await;
    assert_eq!(asked, Ok(Err(vec![PasswordProblem::TooCommon])));
    let strong = SecretText::new("correct horse battery staple");
    let asked = hasher().check_rule(strong, "anna@example.com", "Anna").await;
    assert_eq!(asked, Ok(Ok(())));
}

proptest! {
    #[test]
    fn password_rule_never_panics_and_enforces_minimum_length(password in "\\PC{0,40}", email in "\\PC{0,20}", name in "\\PC{0,20}") {
        let length = password.nfc().count();
        let result = password_rule(&SecretText::new(password), &email, &name);
        if length < SHORTEST_PASSWORD {
            prop_assert!(result.unwrap_err().contains(&PasswordProblem::TooShort));
        }
    }
}
