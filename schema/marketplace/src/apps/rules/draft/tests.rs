use labs_core::fault::Code;

use super::*;

fn said(text: &str) -> MaybeUndefined<String> {
    MaybeUndefined::Value(text.to_owned())
}

fn present() -> Draft {
    Draft {
        slug: "table-planner".to_owned(),
        default_locale: "de".to_owned(),
        support_email: Some("hilfe@mise.example".to_owned()),
        terms_url: Some("https://mise.example/agb".to_owned()),
        name: "Tischplan".to_owned(),
        tagline: "Jeder Tisch im Blick".to_owned(),
        description: "Ein Plan.".to_owned(),
        ..Draft::default()
    }
}

fn errors(fault: Option<Fault>) -> Vec<(String, String)> {
    let parts = fault.map(|fault| fault.errors().to_vec());
    let errors = parts.unwrap_or_default();
    errors.into_iter().map(|error| (error.pointer.unwrap_or_default(), error.code)).collect()
}

#[test]
fn name_is_sufficient_for_new_draft() {
    let draft = new_draft(Patch { name: Some("  Küche & Kasse ".to_owned()), ..Patch::default() }).ok();
    let expected = Draft { name: "Küche & Kasse".to_owned(), default_locale: "en".to_owned(), ..Draft::default() };
    assert_eq!(draft, Some((expected, NewSlug::Derived("kuche-kasse".to_owned()))));
}

#[test]
fn chosen_slug_is_kept() {
    let patch = Patch { name: Some("Kasse".to_owned()), slug: Some("till".to_owned()), ..Patch::default() };
    assert_eq!(new_draft(patch).ok().map(|(_, slug)| slug), Some(NewSlug::Chosen("till".to_owned())));
}

#[test]
fn omitted_fields_stay_and_null_clears() {
    let patch = Patch {
        tagline: MaybeUndefined::Null,
        terms_url: MaybeUndefined::Null,
        privacy_url: said("https://mise.example/datenschutz"),
        ..Patch::default()
    };
    let draft = merge(&present(), patch).ok();
    let expected = Draft {
        tagline: String::new(),
        terms_url: None,
        privacy_url: Some("https://mise.example/datenschutz".to_owned()),
        ..present()
    };
    assert_eq!(draft, Some(expected));
    assert_eq!(merge(&present(), Patch::default()).ok(), Some(present()));
}

#[test]
fn every_invalid_field_is_reported() {
    let patch = Patch {
        name: Some(" a ".to_owned()),
        tagline: said("two\nlines"),
        description: said("a bell \u{7}"),
        support_email: said("nobody@localhost"),
        ..Patch::default()
    };
    let expected = [
        ("/name", "TOO_SHORT"),
        ("/tagline", "CHARACTER"),
        ("/description", "CHARACTER"),
        ("/support_email", "FORMAT"),
    ];
    let expected: Vec<(String, String)> = expected.map(|(at, code)| (at.to_owned(), code.to_owned())).into();
    assert_eq!(errors(merge(&present(), patch).err()), expected);
}

#[test]
fn description_keeps_paragraphs() {
    let patch = Patch { description: said("One.\r\n\r\nTwo.\n"), ..Patch::default() };
    assert_eq!(merge(&present(), patch).ok().map(|draft| draft.description), Some("One.\n\nTwo.".to_owned()));
}

#[test]
fn history_lists_changed_fields() {
    let after = Draft { slug: "planner".to_owned(), terms_url: None, ..present() };
    assert_eq!(changed_fields(&present(), &after), ["slug", "terms_url"]);
    assert!(changed_fields(&present(), &present()).is_empty());
}

#[test]
fn slug_is_fixed_after_submission_or_publication() {
    let after = Draft { slug: "planner".to_owned(), ..present() };
    let fixed = |was_published, is_handed_in| SlugConstraints { was_published, is_handed_in };
    assert!(ensure_slug_movable(&present(), &after, fixed(false, false)).is_ok());
    assert!(ensure_slug_movable(&present(), &present(), fixed(true, true)).is_ok());
    for fixed in [fixed(true, false), fixed(false, true)] {
        let refused = ensure_slug_movable(&present(), &after, fixed).err();
        assert_eq!(refused.as_ref().map(Fault::code), Some(Code::Conflict));
        assert_eq!(errors(refused), [("/slug".to_owned(), "FIXED".to_owned())]);
    }
}

#[test]
fn default_locale_must_have_texts() {
    let after = Draft { default_locale: "fr".to_owned(), ..present() };
    let locales = |known: &[&str]| known.iter().map(|locale| (*locale).to_owned()).collect::<Vec<_>>();
    assert!(ensure_locale_movable(&after, &locales(&["de"])).is_ok(), "the only texts move along");
    assert!(ensure_locale_movable(&after, &locales(&["de", "fr"])).is_ok());
    let refused = ensure_locale_movable(&after, &locales(&["de", "en"])).err();
    assert_eq!(errors(refused), [("/default_locale".to_owned(), "NO_TEXTS".to_owned())]);
}
