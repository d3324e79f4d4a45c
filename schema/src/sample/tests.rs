//! Tests that the tables are consistent and satisfy the rules of the contract.

use std::collections::HashSet;

use labs_core::markdown::{PUBLICATION, TextRenderer};
use labs_core::scope::Scope;
use labs_pictures::draw::is_drawable;

use super::data::{
    APPS, AppData, CATEGORIES, CLIENTS, COLLECTIONS, DEACTIVATED, Fate, ITEMS, PAGES, PARTNERS, RESOURCES, REVIEWS,
    STAFF, alternatives,
};
use super::words::alternative;

fn apps() -> Vec<&'static AppData> {
    APPS.iter().flat_map(|apps| apps.iter()).collect()
}

/// Whether an app was ever submitted.
fn is_submitted(app: &AppData) -> bool {
    app.versions.iter().any(|version| version.state != "DRAFT")
}

#[test]
fn sample_has_documented_counts() {
    assert_eq!((PARTNERS.len(), CATEGORIES.len(), apps().len()), (4, 30, 40));
    let reviews = REVIEWS.iter().flat_map(|reviews| reviews.iter());
    assert!(reviews.map(|of| of.words.len() + of.stars.len()).sum::<usize>() >= 150);
    let tiers: Vec<&str> = PARTNERS.iter().map(|partner| partner.tier).collect();
    assert_eq!(tiers.iter().collect::<HashSet<_>>().len(), 3, "{tiers:?}");
}

#[test]
fn sample_covers_every_state_and_role() {
    let states: HashSet<&str> = apps().iter().map(|app| app.state).collect();
    for state in ["DRAFT", "LISTED", "UNLISTED", "SUSPENDED", "ARCHIVED"] {
        assert!(states.contains(state), "no app is {state}");
    }
    let states: HashSet<&str> = apps().iter().flat_map(|app| app.versions).map(|version| version.state).collect();
    let all = [
        "DRAFT",
        "SUBMITTED",
        "IN_REVIEW",
        "CHANGES_REQUESTED",
        "APPROVED",
        "SCHEDULED",
        "PUBLISHED",
        "SUPERSEDED",
        "REJECTED",
        "WITHDRAWN",
    ];
    for state in all {
        assert!(states.contains(state), "no version is {state}");
    }
    let roles: HashSet<&str> = PARTNERS.iter().flat_map(|partner| partner.team).map(|person| person.role).collect();
    assert_eq!(roles.len(), 5, "{roles:?}");
    for role in ["ADMINISTRATOR", "REVIEWER", "CATALOGUE", "AUDITOR", "OPERATOR", "SUPPORT"] {
        assert!(STAFF.iter().any(|person| person.role == role && person.factor), "{role}");
    }
}

#[test]
fn sample_partners_stay_within_tier_limits() {
    for partner in &PARTNERS {
        let apps = apps().iter().filter(|app| app.partner == partner.slug && app.state != "ARCHIVED").count();
        let (most_apps, most_people) = match partner.tier {
            "FREE" => (3, 3),
            "GROWTH" => (20, 15),
            _ => (usize::MAX, usize::MAX),
        };
        assert!(apps <= most_apps && partner.team.len() <= most_people, "{}", partner.slug);
    }
}

#[test]
fn sample_slugs_are_unique_and_plain() {
    let is_slug = |slug: &str| {
        slug.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        })
    };
    for slugs in [
        apps().iter().map(|app| app.slug).collect::<Vec<_>>(),
        CATEGORIES.iter().map(|category| category.slug).collect(),
        COLLECTIONS.iter().map(|collection| collection.slug).collect(),
    ] {
        assert!(slugs.iter().all(|slug| is_slug(slug)), "{slugs:?}");
        assert_eq!(slugs.iter().collect::<HashSet<_>>().len(), slugs.len());
    }
}

#[test]
fn category_tree_has_four_levels_and_parents_come_first() {
    let mut depths: Vec<(&str, usize)> = Vec::new();
    for category in &CATEGORIES {
        let parent = depths.iter().find(|(slug, _)| *slug == category.parent);
        let depth = if category.parent.is_empty() { 0 } else { parent.expect(category.slug).1 + 1 };
        depths.push((category.slug, depth));
        assert!(category.names.iter().all(|name| (2..=60).contains(&name.chars().count())), "{}", category.slug);
    }
    assert_eq!(depths.iter().map(|(_, depth)| *depth).max(), Some(3));
}

#[test]
fn collections_contain_only_listed_apps() {
    for collection in &COLLECTIONS {
        for slug in collection.apps {
            let is_published =
                |app: &&AppData| app.slug == *slug && app.versions.iter().any(|version| version.state == "PUBLISHED");
            assert!(apps().iter().copied().any(|app| is_published(&app)), "{} holds {slug}", collection.slug);
        }
        assert_eq!(collection.apps.iter().collect::<HashSet<_>>().len(), collection.apps.len(), "{}", collection.slug);
        assert!(collection.until_days.is_none_or(|until| until > collection.from_days), "{}", collection.slug);
    }
}

#[test]
fn sample_apps_choose_leaf_categories() {
    for app in apps() {
        assert!(app.categories.len() <= 3, "{}", app.slug);
        for slug in app.categories {
            assert!(CATEGORIES.iter().any(|category| category.slug == *slug), "{} chose {slug}", app.slug);
            assert!(CATEGORIES.iter().all(|category| category.parent != *slug), "{} chose {slug}", app.slug);
            assert!(*slug != DEACTIVATED || app.state == "ARCHIVED", "{}", app.slug);
        }
    }
}

#[test]
fn sample_texts_satisfy_contract_limits() {
    for app in apps() {
        for text in app.texts {
            assert!((3..=50).contains(&text.name.chars().count()), "{} {}", app.slug, text.name);
            assert!(text.tagline.chars().count() <= 100, "{} {}", app.slug, text.tagline);
        }
        let locales: HashSet<&str> = app.texts.iter().map(|text| text.locale).collect();
        assert_eq!(locales.len(), app.texts.len(), "{}", app.slug);
        assert!(app.permissions.iter().all(|(_, reason)| (10..=300).contains(&reason.len())), "{}", app.slug);
        for version in app.versions {
            assert!(version.notes.iter().all(|(_, note)| !note.is_empty()), "{}", app.slug);
            assert!(version.appeal.is_empty() || version.appeal.len() >= 20, "{}", app.slug);
        }
    }
}

#[test]
fn submitted_sample_apps_meet_requirements() {
    for app in apps().into_iter().filter(|app| is_submitted(app)) {
        let default = app.texts.first().expect(app.slug);
        assert!(default.description.chars().count() >= 200, "{} {}", app.slug, default.description.chars().count());
        assert!(
            app.texts.iter().all(|text| text.tagline.chars().count() >= 10 && !text.description.is_empty()),
            "{}",
            app.slug
        );
        assert!(app.linked && !app.categories.is_empty(), "{}", app.slug);
        let look = app.look.expect(app.slug);
        assert!((1..=3).contains(&look.scenes.len()), "{}", app.slug);
        for version in app.versions {
            assert!(
                version.notes.iter().any(|(locale, _)| *locale == default.locale),
                "{} {}",
                app.slug,
                version.number
            );
        }
    }
}

#[test]
fn storefront_apps_have_one_published_version() {
    for app in apps() {
        let live = app.versions.iter().filter(|version| version.state == "PUBLISHED").count();
        match app.state {
            "LISTED" | "UNLISTED" | "SUSPENDED" => assert_eq!(live, 1, "{}", app.slug),
            "DRAFT" => assert_eq!(live, 0, "{}", app.slug),
            _ => assert!(live <= 1, "{}", app.slug),
        }
        assert_eq!(app.reason.is_empty(), matches!(app.state, "DRAFT" | "LISTED"), "{}", app.slug);
    }
}

#[test]
fn customer_reviews_are_unique_and_of_published_apps() {
    let mut bodies = HashSet::new();
    for of in REVIEWS.iter().flat_map(|reviews| reviews.iter()) {
        let app = apps().into_iter().find(|app| app.slug == of.app).expect(of.app);
        assert!(app.versions.iter().any(|version| version.state == "PUBLISHED"), "{}", of.app);
        assert!(of.stars.chars().all(|star| ('1'..='5').contains(&star)), "{}", of.app);
        for said in of.words {
            assert!((1..=5).contains(&said.rating) && bodies.insert(said.body), "{}", said.body);
            assert!(said.reply.is_empty() || said.fate == Fate::Published, "{}", said.body);
        }
    }
    for app in apps().into_iter().filter(|app| app.state == "LISTED") {
        let reviewed = REVIEWS.iter().flat_map(|reviews| reviews.iter()).filter(|of| of.app == app.slug).count();
        assert_eq!(reviewed, 1, "{}", app.slug);
    }
}

#[test]
fn sample_images_can_be_drawn_and_described() {
    let mut colours = HashSet::new();
    for app in apps() {
        let Some(look) = app.look else { continue };
        assert!(look.words.iter().all(|word| is_drawable(word)), "{} {:?}", app.slug, look.words);
        assert!(colours.insert(look.colours), "{} has another one's colours", app.slug);
        for scene in look.scenes.iter().map(|(scene, _)| Some(*scene)).chain([None]) {
            let text = alternative(app, scene);
            assert!((10..=250).contains(&text.chars().count()), "{text}");
        }
        assert!(look.scenes.iter().all(|(_, caption)| (5..=250).contains(&caption.chars().count())), "{}", app.slug);
    }
}

#[test]
fn each_partner_has_a_publishable_or_draft_profile() {
    for partner in &PARTNERS {
        let pages: Vec<_> = PAGES.iter().filter(|page| page.partner == partner.slug).collect();
        let [page] = pages[..] else { panic!("{} has {} pages", partner.slug, pages.len()) };
        for [locale, tagline, description] in page.texts {
            assert!((10..=120).contains(&tagline.chars().count()), "{} {locale}", page.partner);
            assert!(page.look.is_none() || (100..=5000).contains(&description.chars().count()), "{}", page.partner);
            assert!(alternatives(locale).iter().all(|text| text.len() <= 250));
        }
        let [first, last] = page.days;
        assert!(last <= first && first < partner.days, "{} was published before it came", page.partner);
        assert!(page.look.is_none_or(|look| look.words.iter().all(|word| is_drawable(word))), "{}", page.partner);
    }
    assert!(PAGES.iter().filter(|page| page.look.is_some()).count() >= 3);
}

#[test]
fn machine_client_scopes_exist() {
    for client in &CLIENTS {
        assert!(client.scopes.iter().all(|scope| Scope::parse(scope).is_some()), "{}", client.client_id);
        assert!(client.partner.is_empty() || PARTNERS.iter().any(|partner| partner.slug == client.partner));
    }
}

#[tokio::test]
async fn sample_publication_items_are_readable() {
    let renderer = TextRenderer::default();
    for resource in &RESOURCES {
        assert!(resource.title.len() <= 150 && resource.summary.len() <= 300, "{}", resource.slug);
        assert_eq!(renderer.show(resource.body, PUBLICATION).await.unwrap().error, None, "{}", resource.slug);
    }
    for item in &ITEMS {
        assert!(item.title.len() <= 150 && item.summary.len() <= 300, "{}", item.slug);
        for text in [item.body, item.migration.unwrap_or_default()] {
            assert_eq!(renderer.show(text, PUBLICATION).await.unwrap().error, None, "{}", item.slug);
        }
    }
    let of_state = |state: &str| ITEMS.iter().filter(|item| item.state == state).count();
    assert_eq!((of_state("RELEASED"), of_state("DRAFT"), of_state("WITHDRAWN")), (6, 1, 1));
}
