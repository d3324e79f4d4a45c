use super::*;

/// Returns the facts of a minimal valid submission: texts, a support e-mail address, a privacy policy, a category, an
/// icon, and a version with release notes.
fn minimal() -> Facts {
    Facts {
        default_locale: "en".to_owned(),
        texts: vec![text(
            "en",
            "Mise Shift Board",
            "Shifts your team can swap.",
            "A board of shifts for a restaurant.",
        )],
        support_email: Some("help@mise.example".to_owned()),
        privacy_url: Some("https://mise.example/privacy".to_owned()),
        primary_category_shown: Some(true),
        pictures: vec![picture(MediaKind::Icon, "")],
        version: Some(VersionFact { release_notes: Some("The first version.".to_owned()), ..VersionFact::default() }),
        account: AccountFact { partner_state: "ACTIVE".to_owned(), is_verified: true },
        ..Facts::default()
    }
}

fn text(locale: &str, name: &str, tagline: &str, description: &str) -> TextFact {
    TextFact {
        locale: locale.to_owned(),
        name: name.to_owned(),
        tagline: tagline.to_owned(),
        description: description.to_owned(),
    }
}

fn picture(kind: MediaKind, alt_text: &str) -> PictureFact {
    PictureFact { kind, alt_text: alt_text.to_owned() }
}

/// Returns the numbers of the unmet requirements, all or only the blocking ones.
fn unmet(facts: &Facts, only_blockers: bool) -> Vec<&'static str> {
    let verdicts = CHECKS.iter().map(|check| (check.code, check_requirement(check.code, facts)));
    verdicts
        .filter(|(_, verdict)| verdict.is_met == Some(false) && (verdict.is_blocker || !only_blockers))
        .map(|(code, _)| code)
        .collect()
}

#[test]
fn complete_first_submission_passes() {
    assert!(unmet(&minimal(), true).is_empty());
    assert_eq!(unmet(&minimal(), false), ["REQ-06", "REQ-11"], "screenshots and alternative texts are recommended");
}

#[test]
fn each_missing_item_fails_its_requirement() {
    let without = |change: fn(&mut Facts)| {
        let mut facts = minimal();
        change(&mut facts);
        unmet(&facts, true)
    };
    assert_eq!(without(|facts| facts.pictures.clear()), ["REQ-01"]);
    assert_eq!(without(|facts| facts.texts[0].name = " ".to_owned()), ["REQ-02"]);
    assert_eq!(without(|facts| facts.texts[0].tagline.clear()), ["REQ-03"]);
    assert_eq!(without(|facts| facts.texts[0].description = "\n ".to_owned()), ["REQ-04"]);
    assert_eq!(without(|facts| facts.primary_category_shown = None), ["REQ-05"]);
    assert_eq!(without(|facts| facts.primary_category_shown = Some(false)), ["REQ-05"]);
    assert_eq!(without(|facts| facts.support_email = None), ["REQ-07"]);
    assert_eq!(without(|facts| facts.privacy_url = Some("http://mise.example".to_owned())), ["REQ-08"]);
    assert_eq!(without(|facts| facts.version = None), ["REQ-09"]);
    assert_eq!(without(|facts| facts.version = Some(VersionFact::default())), ["REQ-09"]);
    assert_eq!(without(|facts| facts.account.is_verified = false), ["REQ-12"]);
    assert_eq!(without(|facts| facts.account.partner_state = "CLOSING".to_owned()), ["REQ-12"]);
    assert_eq!(without(|facts| facts.texts.push(text("de", "Schichtplan", "", ""))), ["REQ-13"]);
}

#[test]
fn support_url_replaces_support_email() {
    let facts = Facts { support_email: None, support_url: Some("https://mise.example/help".to_owned()), ..minimal() };
    assert!(unmet(&facts, true).is_empty());
}

#[test]
fn images_with_alt_texts_and_two_screenshots_meet_all_requirements() {
    let pictures = vec![
        picture(MediaKind::Icon, "A board"),
        picture(MediaKind::Screenshot, "A week"),
        picture(MediaKind::Screenshot, "A day"),
    ];
    assert!(unmet(&Facts { pictures, ..minimal() }, false).is_empty());
}

#[test]
fn stored_addresses_without_a_valid_host_meet_no_requirement() {
    for stored in ["https://", "https://.", "https://user@mise.example/", "https://mise.example:99999/", "https://mise"]
    {
        let stored = || Some(stored.to_owned());
        assert_eq!(unmet(&Facts { privacy_url: stored(), ..minimal() }, true), ["REQ-08"], "{:?}", stored());
        let help = Facts { support_email: None, support_url: stored(), ..minimal() };
        assert_eq!(unmet(&help, true), ["REQ-07"], "{:?}", stored());
        let mut redirect = minimal();
        redirect.version.as_mut().unwrap().redirect_uris = stored().into_iter().collect();
        assert_eq!(unmet(&redirect, true), ["REQ-10"], "{:?}", stored());
    }
    let policy = Some("https://bücher.example/ä?x=1#y".to_owned());
    assert!(unmet(&Facts { privacy_url: policy, ..minimal() }, true).is_empty());
}

#[test]
fn uncheckable_requirement_is_left_to_reviewers() {
    let verdict = check_requirement("REQ-16", &minimal());
    assert_eq!(verdict, Verdict { is_met: None, is_blocker: false, pointer: "", detail: None });
}

#[test]
fn every_detail_states_fix() {
    let nothing = Facts { texts: vec![text("de", "", "", "")], default_locale: "en".to_owned(), ..Facts::default() };
    for check in CHECKS.iter().filter(|check| check.code != "REQ-10") {
        let detail = check_requirement(check.code, &nothing).detail;
        let is_missing_at_all = !matches!(check.code, "REQ-11");
        assert_eq!(detail.is_some(), is_missing_at_all, "{}: {detail:?}", check.code);
    }
}
