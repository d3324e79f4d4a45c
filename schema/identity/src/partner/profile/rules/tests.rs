use labs_core::fault::Code;

use super::*;

fn empty() -> Draft {
    Draft {
        default_locale: "en".to_owned(),
        texts: BTreeMap::new(),
        website_url: None,
        languages: Vec::new(),
        regions: Vec::new(),
    }
}

fn texts(json: &str) -> BTreeMap<String, Option<TextPatch>> {
    serde_json::from_str(json).unwrap()
}

fn patched(present: &Draft, json: &str) -> Result<Draft, Fault> {
    merge(present, Patch { texts: texts(json), ..Patch::default() })
}

fn pointers(fault: &Fault) -> Vec<(&str, &str)> {
    let errors = fault.errors().iter();
    errors.map(|error| (error.pointer.as_deref().unwrap_or_default(), error.code.as_str())).collect()
}

#[test]
fn each_side_gets_actions_of_table() {
    for (state, team, staff) in [
        (PartnerProfileState::Unpublished, "publish", ""),
        (PartnerProfileState::Published, "publish unpublish", "unpublish"),
        (PartnerProfileState::TakenDown, "publish", ""),
    ] {
        assert_eq!(allowed_actions(state, false).join(" "), team, "{state:?}");
        assert_eq!(allowed_actions(state, true).join(" "), staff, "{state:?}");
    }
}

#[test]
fn state_machine_matches_table() {
    for state in PartnerProfileState::ALL {
        for action in Action::ALL {
            let expected = match (state, action) {
                (_, Action::Publish) => Some(PartnerProfileState::Published),
                (PartnerProfileState::Published, Action::Unpublish) => Some(PartnerProfileState::Unpublished),
                (PartnerProfileState::Published, Action::TakeDown) => Some(PartnerProfileState::TakenDown),
                _ => None,
            };
            let found = after(state, action);
            assert_eq!(found.as_ref().ok().copied(), expected, "{state:?} {action:?}");
            if let Err(fault) = found {
                assert_eq!(fault.code(), Code::IllegalTransition);
                let offered =
                    if action == Action::TakeDown { Vec::<String>::new() } else { vec!["publish".to_owned()] };
                assert_eq!(fault.allowed_actions(), offered);
            }
        }
        assert_eq!(PartnerProfileState::parse(state.name()).ok(), Some(state));
    }
}

#[test]
fn patch_adds_changes_clears_and_removes_texts() {
    let one = patched(&empty(), r#"{"de": {"tagline": " Kassen ", "description": "a\r\n\r\nb"}}"#).unwrap();
    assert_eq!(one.default_locale, "de", "the first that is written is the default");
    let text = |description: &str| Text {
        tagline: "Kassen".to_owned(),
        description: description.to_owned(),
        ..Text::default()
    };
    assert_eq!(one.texts["de"], text("a\n\nb"));
    let two = patched(&one, r#"{"de": {"description": null}, "en": {"tagline": "Tills"}}"#).unwrap();
    assert_eq!(two.texts["de"], text(""));
    assert_eq!((two.default_locale.as_str(), two.texts["en"].tagline.as_str()), ("de", "Tills"));
    assert_eq!(changed_fields(&one, &two), ["texts"]);
    let none = patched(&two, r#"{"de": null, "en": null}"#).unwrap();
    assert!(none.texts.is_empty());
    assert_eq!(patched(&one, "{}").unwrap(), one);
}

#[test]
fn default_locale_cannot_be_removed() {
    let both = patched(&empty(), r#"{"en": {}, "fr": {}}"#).unwrap();
    let refused = patched(&both, r#"{"en": null}"#).unwrap_err();
    assert_eq!(pointers(&refused), [("/texts/en", "DEFAULT_LOCALE")]);
    let named = Patch { default_locale: Some("it".into()), ..Patch::default() };
    assert_eq!(pointers(&merge(&both, named).unwrap_err()), [("/default_locale", "NO_TEXTS")]);
    let moved = Patch { default_locale: Some("fr".into()), texts: texts(r#"{"en": null}"#), ..Patch::default() };
    assert_eq!(merge(&both, moved).unwrap().default_locale, "fr");
}

#[test]
fn profile_has_at_most_forty_locales() {
    let locale =
        |number: u8| format!(r#""{}{}": {{}}"#, char::from(b'a' + number / 26), char::from(b'a' + number % 26));
    let some = |from: u8, to: u8| format!("{{{}}}", (from..to).map(locale).collect::<Vec<_>>().join(", "));
    let start = Draft { default_locale: "aa".to_owned(), ..empty() };
    let full = patched(&start, &some(0, 40)).unwrap();
    assert_eq!(full.texts.len(), MOST_LOCALES);
    assert_eq!(pointers(&patched(&full, &some(40, 41)).unwrap_err()), [("/texts", "TOO_MANY")]);
    assert_eq!(patched(&full, r#"{"ab": null, "de": {}}"#).unwrap().texts.len(), MOST_LOCALES, "one for another");
}

#[test]
fn tagline_is_one_line() {
    let refused = patched(&empty(), r#"{"en": {"tagline": "a\nb", "description": "a\u0007"}}"#).unwrap_err();
    assert_eq!(pointers(&refused), [("/texts/en/tagline", "CHARACTER"), ("/texts/en/description", "CHARACTER")]);
}

#[test]
fn open_items_point_to_field_to_fix() {
    let bare = Snapshot { draft: empty(), logo_uuid: None, banner_uuid: None };
    let checks =
        PublishChecks { next: &bare, former: None, state: PartnerProfileState::Unpublished, partner_state: "CLOSING" };
    let open = open_items(&checks);
    let found: Vec<_> = open.iter().map(|item| (item.pointer.as_deref().unwrap(), item.code.as_str())).collect();
    assert_eq!(found, [("", "PARTNER_NOT_ACTIVE"), ("/texts", "REQUIRED"), ("/logo", "REQUIRED")]);
    let whole = patched(&empty(), r#"{"en": {"tagline": "a", "description": "b"}}"#).unwrap();
    let whole = Snapshot { draft: whole, logo_uuid: Some(Uuid::nil()), banner_uuid: None };
    let checks = PublishChecks {
        next: &whole,
        former: Some(&whole),
        state: PartnerProfileState::Published,
        partner_state: "ACTIVE",
    };
    assert!(open_items(&checks).is_empty());
    let checks = PublishChecks { state: PartnerProfileState::TakenDown, ..checks };
    assert_eq!(open_items(&checks).iter().map(|item| item.code.as_str()).collect::<Vec<_>>(), ["UNCHANGED"]);
}
