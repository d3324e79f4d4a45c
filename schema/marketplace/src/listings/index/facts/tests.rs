//! Unit tests of the facts, and rows for them.

use sqlx::types::Json;

use super::*;

pub(in crate::listings::index) fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn time(second: i64) -> Time {
    Time(jiff::Timestamp::from_second(second).unwrap())
}

/// A listing of the vendor `vendor` with these categories and locales.
pub(in crate::listings::index) fn row(
    app: u128,
    vendor: u128,
    categories: &[u128],
    locales: &[&str],
    average: f64,
) -> FactsRow {
    FactsRow {
        app_uuid: uuid(app),
        partner_uuid: uuid(vendor),
        vendor_slug: format!("vendor-{vendor}"),
        vendor_name: format!("Vendor {vendor}"),
        is_verified: vendor == 1,
        published_at: time(i64::try_from(app).unwrap()),
        average,
        category_uuids: categories.iter().copied().map(uuid).collect(),
        locales: locales.iter().map(|locale| (*locale).to_owned()).collect(),
    }
}

/// A category below `parent` with these descendants.
pub(in crate::listings::index) fn category(number: u128, parent: Option<u128>, below: &[u128]) -> CategoryRow {
    CategoryRow {
        category_uuid: uuid(number),
        slug: format!("category-{number}"),
        parent_slug: parent.map(|parent| format!("category-{parent}")),
        names: Json([("en".to_owned(), format!("Category {number}"))].into()),
        locales: vec!["en".to_owned(), "fi".to_owned()],
        also_called: serde_json::Value::Null,
        subtree: [number].iter().chain(below).copied().map(uuid).collect(),
    }
}

fn known() -> Facts {
    let mut facts = Facts::default();
    let rows = vec![row(1, 1, &[], &["de", "de-AT", "en"], 0.0), row(2, 2, &[], &["pt-BR"], 0.0)];
    facts.apply(&[uuid(1), uuid(2)], rows);
    facts.replace_tree(vec![category(1, None, &[]), category(2, None, &[])]);
    facts
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn locale_preference_is_an_existing_locale_or_none() {
    let known = known();
    let of = |tag: Option<&str>| preference(tag.map(str::to_owned));
    let cases = [
        (Some("de-AT"), Some("de-AT")),
        (Some("de-CH"), Some("de")),
        (Some("de-x-1"), Some("de")),
        (Some("pt"), Some("pt-BR")),
        (Some("fi"), Some("fi")),
        (Some("fr"), None),
        (Some("xx-AA"), None),
        (None, None),
    ];
    for (asked, locale) in cases {
        assert_eq!(known.locale(of(asked).as_deref()), of(locale), "{asked:?}");
    }
}

#[test]
fn unknown_filter_values_are_equivalent() {
    let known = known();
    assert_eq!(known.categories_of(&texts(&["x1"])), known.categories_of(&texts(&["x2", "x3"])));
    assert_eq!(
        known.categories_of(&texts(&["category-2", "x1", "category-1", "category-2"])),
        texts(&["category-1", "category-2"])
    );
    assert_eq!(known.languages_of(&texts(&["pt", "xx", "de"])), texts(&["de", "pt"]));
    assert_eq!(known.languages_of(&texts(&["p"])), texts(&["-"]));
    assert_eq!((known.vendor("vendor-2"), known.vendor("x")), ("vendor-2".to_owned(), "-".to_owned()));
}

#[test]
fn equivalent_searches_share_facets() {
    let question = |filter: ListingFilter, locale: Option<&str>| {
        format!("{:?}", known().canonical_search(&Search::new(filter, locale.map(str::to_owned))))
    };
    let given = |values: &[&str]| Some(texts(values));
    let plain = || ListingFilter { q: Some("bar  code".to_owned()), ..ListingFilter::default() };
    let rated = |rating| question(ListingFilter { rating_from: Some(rating), ..plain() }, None);
    assert_eq!(rated(4.0), rated(4.000_001));
    assert_ne!(rated(4.0), rated(4.1));
    let filed = |slugs: &[&str]| question(ListingFilter { category: given(slugs), ..plain() }, None);
    assert_eq!(filed(&["invented"]), filed(&["too", "also"]));
    let spoken = |locales: &[&str]| question(ListingFilter { language: given(locales), ..plain() }, None);
    assert_eq!(spoken(&["xx"]), spoken(&["xy-XY"]));
    assert_eq!(question(plain(), Some("xx")), question(plain(), Some("xy-XY")));
    let spaced = ListingFilter { q: Some(" bar code ".to_owned()), ..ListingFilter::default() };
    assert_eq!(question(plain(), None), question(spaced, None));
}

#[test]
fn listing_without_row_is_hidden() {
    let mut facts = known();
    let before = facts.version;
    facts.apply(&[uuid(1), uuid(2)], vec![row(2, 2, &[], &["de"], 0.0)]);
    assert_eq!(facts.visible.count_ones(..), 1);
    assert_eq!(facts.spoken().collect::<Vec<_>>(), ["de"]);
    assert_eq!(facts.changed_since(before), Some(vec![uuid(1), uuid(2)]));
    assert_eq!(facts.changed_since(facts.version), Some(Vec::new()));
}

#[test]
fn emptied_facts_keep_numbers_and_outdate_what_was_derived() {
    let facts = known();
    let mut emptied = facts.emptied();
    assert!(emptied.visible.is_clear() && emptied.locales.values().all(FixedBitSet::is_clear));
    assert_eq!(emptied.number(&uuid(2)), facts.number(&uuid(2)));
    assert_eq!((emptied.changed_since(facts.version), emptied.version > facts.version), (None, true));
    emptied.apply(&[uuid(2)], vec![row(2, 2, &[], &["de"], 0.0)]);
    assert_eq!(emptied.visible.count_ones(..), 1);
}

#[test]
fn correction_changes_only_what_differs() {
    let mut facts = Facts::default();
    let rows = || (1..=4).map(|app| row(app, app, &[app % 2], &["de"], 3.0)).collect::<Vec<_>>();
    facts.apply(&[uuid(1), uuid(2), uuid(3), uuid(4)], rows());
    let before = facts.version;
    facts.correct(Uuid::nil(), Uuid::max(), rows());
    assert_eq!(facts.version, before);
    let changes: [fn(&mut FactsRow); 7] = [
        |row| row.average = 4.0,
        |row| row.is_verified = !row.is_verified,
        |row| row.vendor_name = "Renamed".to_owned(),
        |row| row.partner_uuid = uuid(9),
        |row| row.category_uuids = vec![uuid(7)],
        |row| row.locales = vec!["de".to_owned(), "fr".to_owned()],
        |row| row.published_at = time(99),
    ];
    for change in changes {
        let (mut facts, mut read) = (facts.clone(), rows());
        change(&mut read[1]);
        facts.correct(Uuid::nil(), Uuid::max(), read.clone());
        assert_eq!(facts.changed_since(before), Some(vec![uuid(2)]), "{:?}", read[1]);
        assert!(read.iter().all(|row| facts.contains(row)), "{:?}", read[1]);
    }
    facts.correct(uuid(1), uuid(3), vec![rows().remove(2)]);
    assert_eq!(facts.changed_since(before), Some(vec![uuid(2)]));
    facts.correct(uuid(3), Uuid::max(), Vec::new());
    assert_eq!(facts.uuids_of(&facts.visible), [uuid(1), uuid(3)]);
}

#[test]
fn newest_listings_are_chosen() {
    let mut facts = Facts::default();
    let apps: Vec<Uuid> = (1..=9).map(uuid).collect();
    facts.apply(&apps, (1..=9).map(|app| row(app, 1, &[], &["de"], 0.0)).collect());
    let chosen = |most| {
        let numbers = facts.newest(&facts.visible, most);
        numbers.into_iter().map(|number| facts.app_uuid(number)).collect::<BTreeSet<_>>()
    };
    assert_eq!(chosen(2), [uuid(8), uuid(9)].into());
    assert_eq!(chosen(20).len(), 9);
}

#[test]
fn preferences_with_other_ranks_differ() {
    let known = known();
    assert!(known.is_same_choice(Some("de de-AT"), Some("de de-AT de-CH")));
    assert!(!known.is_same_choice(Some("de-AT de"), Some("de de-AT")));
    assert!(!known.is_same_choice(None, Some("de")));
}

#[test]
fn long_log_forgets_its_oldest_changes() {
    let mut facts = known();
    for _ in 0..LOGGED {
        facts.apply(&[uuid(1)], vec![row(1, 1, &[], &["de"], 0.0)]);
    }
    assert_eq!(facts.changed_since(0), None);
    assert_eq!(facts.changed_since(facts.version - 1), Some(vec![uuid(1)]));
}
