//! Tests that the content is consistent and satisfies the rules of the contract.

use std::collections::HashSet;

use labs_core::markdown::{PUBLICATION, TextRenderer};
use labs_core::scope::Scope;
use labs_media::image::{PictureKind, process_sizes};
use labs_pictures::draw::is_drawable;

use super::data::{AppData, Data, Fate, Translations};
use super::icons;
use super::words::{alternative, profile_alternatives};

fn data() -> &'static Data {
    Data::load().unwrap()
}

/// Whether an app was ever submitted.
fn is_submitted(app: &AppData) -> bool {
    app.versions.iter().any(|version| version.state != "DRAFT")
}

#[test]
fn sample_has_documented_counts() {
    assert_eq!((data().partners.len(), data().categories.len(), data().apps.len()), (4, 30, 40));
    let reviews = data().reviews.iter();
    assert!(reviews.map(|of| of.reviews.len() + of.stars.len()).sum::<usize>() >= 150);
    let tiers: Vec<&String> = data().partners.iter().map(|partner| &partner.tier).collect();
    assert_eq!(tiers.iter().collect::<HashSet<_>>().len(), 3, "{tiers:?}");
}

#[test]
fn sample_covers_every_state_and_role() {
    let states: HashSet<&str> = data().apps.iter().map(|app| app.state.as_str()).collect();
    for state in ["DRAFT", "LISTED", "UNLISTED", "SUSPENDED", "ARCHIVED"] {
        assert!(states.contains(state), "no app is {state}");
    }
    let versions = data().apps.iter().flat_map(|app| &app.versions);
    let states: HashSet<&str> = versions.map(|version| version.state.as_str()).collect();
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
    let states: HashSet<&str> = data().tickets.iter().map(|ticket| ticket.state.as_str()).collect();
    assert_eq!(states, HashSet::from(["OPEN", "WAITING_ON_PARTNER", "RESOLVED", "CLOSED"]));
    let team = data().partners.iter().flat_map(|partner| &partner.team);
    let roles: HashSet<&str> = team.map(|person| person.role.as_str()).collect();
    assert_eq!(roles.len(), 5, "{roles:?}");
    for role in ["ADMINISTRATOR", "REVIEWER", "CATALOGUE", "AUDITOR", "OPERATOR", "SUPPORT", "COMMUNITY"] {
        assert!(data().staff.iter().any(|person| person.role == role && person.factor), "{role}");
    }
}

#[test]
fn sample_partners_stay_within_tier_limits() {
    for partner in &data().partners {
        let apps = data().apps.iter().filter(|app| app.partner == partner.slug && app.state != "ARCHIVED").count();
        let (most_apps, most_people) = match partner.tier.as_str() {
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
        data().apps.iter().map(|app| &app.slug).collect::<Vec<_>>(),
        data().categories.iter().map(|category| &category.slug).collect(),
        data().collections.iter().map(|collection| &collection.slug).collect(),
    ] {
        assert!(slugs.iter().all(|slug| is_slug(slug)), "{slugs:?}");
        assert_eq!(slugs.iter().collect::<HashSet<_>>().len(), slugs.len());
    }
}

#[test]
fn category_tree_has_four_levels_and_parents_come_first() {
    let mut depths: Vec<(&str, usize)> = Vec::new();
    for category in &data().categories {
        let parent = depths.iter().find(|(slug, _)| *slug == category.parent);
        let depth = if category.parent.is_empty() { 0 } else { parent.expect(&category.slug).1 + 1 };
        depths.push((&category.slug, depth));
        let Translations { en, de, fr } = &category.names;
        assert!([en, de, fr].iter().all(|name| (2..=60).contains(&name.chars().count())), "{}", category.slug);
    }
    assert_eq!(depths.iter().map(|(_, depth)| *depth).max(), Some(3));
}

#[test]
fn collections_contain_only_listed_apps() {
    for collection in &data().collections {
        for slug in &collection.apps {
            let is_published =
                |app: &AppData| app.slug == *slug && app.versions.iter().any(|version| version.state == "PUBLISHED");
            assert!(data().apps.iter().any(is_published), "{} holds {slug}", collection.slug);
        }
        assert_eq!(collection.apps.iter().collect::<HashSet<_>>().len(), collection.apps.len(), "{}", collection.slug);
        assert!(collection.until_days.is_none_or(|until| until > collection.from_days), "{}", collection.slug);
    }
}

#[test]
fn sample_apps_choose_leaf_categories() {
    let categories = &data().categories;
    for app in &data().apps {
        assert!(app.categories.len() <= 3, "{}", app.slug);
        for slug in &app.categories {
            let category = categories.iter().find(|category| category.slug == *slug);
            let category = category.unwrap_or_else(|| panic!("{} chose {slug}", app.slug));
            assert!(categories.iter().all(|category| category.parent != *slug), "{} chose {slug}", app.slug);
            assert!(!category.deactivated || app.state == "ARCHIVED", "{}", app.slug);
        }
    }
}

#[test]
fn sample_texts_satisfy_contract_limits() {
    for app in &data().apps {
        for text in &app.texts {
            assert!((3..=50).contains(&text.name.chars().count()), "{} {}", app.slug, text.name);
            assert!(text.tagline.chars().count() <= 100, "{} {}", app.slug, text.tagline);
        }
        let locales: HashSet<&str> = app.texts.iter().map(|text| text.locale.as_str()).collect();
        assert_eq!(locales.len(), app.texts.len(), "{}", app.slug);
        let mut permissions = app.permissions.iter();
        assert!(permissions.all(|permission| (10..=300).contains(&permission.reason.len())), "{}", app.slug);
        for version in &app.versions {
            assert!(version.notes.values().all(|note| !note.is_empty()), "{}", app.slug);
            assert!(version.appeal.is_empty() || version.appeal.len() >= 20, "{}", app.slug);
        }
    }
}

#[test]
fn submitted_sample_apps_meet_requirements() {
    for app in data().apps.iter().filter(|app| is_submitted(app)) {
        let default = app.texts.first().expect(&app.slug);
        assert!(default.description.chars().count() >= 200, "{} {}", app.slug, default.description.chars().count());
        assert!(
            app.texts.iter().all(|text| text.tagline.chars().count() >= 10 && !text.description.is_empty()),
            "{}",
            app.slug
        );
        assert!(!app.lacks_links && !app.categories.is_empty(), "{}", app.slug);
        let look = app.look.as_ref().expect(&app.slug);
        assert!((1..=3).contains(&look.scenes.len()), "{}", app.slug);
        for version in &app.versions {
            assert!(version.notes.contains_key(&default.locale), "{} {}", app.slug, version.number);
        }
    }
}

#[test]
fn storefront_apps_have_one_published_version() {
    for app in &data().apps {
        let live = app.versions.iter().filter(|version| version.state == "PUBLISHED").count();
        match app.state.as_str() {
            "LISTED" | "UNLISTED" | "SUSPENDED" => assert_eq!(live, 1, "{}", app.slug),
            "DRAFT" => assert_eq!(live, 0, "{}", app.slug),
            _ => assert!(live <= 1, "{}", app.slug),
        }
        assert_eq!(app.reason.is_empty(), matches!(app.state.as_str(), "DRAFT" | "LISTED"), "{}", app.slug);
    }
}

#[test]
fn customer_reviews_are_unique_and_of_published_apps() {
    let mut bodies = HashSet::new();
    for of in &data().reviews {
        let app = data().apps.iter().find(|app| app.slug == of.app).expect(&of.app);
        assert!(app.versions.iter().any(|version| version.state == "PUBLISHED"), "{}", of.app);
        assert!(of.stars.chars().all(|star| ('1'..='5').contains(&star)), "{}", of.app);
        for said in &of.reviews {
            assert!((1..=5).contains(&said.rating) && bodies.insert(&said.body), "{}", said.body);
            assert!(said.reply.is_empty() || said.fate == Fate::Published, "{}", said.body);
        }
    }
    for app in data().apps.iter().filter(|app| app.state == "LISTED") {
        let reviewed = data().reviews.iter().filter(|of| of.app == app.slug).count();
        assert_eq!(reviewed, 1, "{}", app.slug);
    }
}

#[test]
fn sample_images_can_be_drawn_and_described() {
    let mut colours = HashSet::new();
    for app in &data().apps {
        let Some(look) = &app.look else { continue };
        assert!(look.words.iter().all(|word| is_drawable(word)), "{} {:?}", app.slug, look.words);
        assert!(colours.insert(look.colours), "{} has another one's colours", app.slug);
        for scene in look.scenes.iter().map(|scene| Some(scene.scene)).chain([None]) {
            let text = alternative(app, scene);
            assert!((10..=250).contains(&text.chars().count()), "{text}");
        }
        let mut captions = look.scenes.iter().map(|scene| scene.caption.chars().count());
        assert!(captions.all(|length| (5..=250).contains(&length)), "{}", app.slug);
    }
}

#[test]
fn drawn_icons_are_valid_and_described() {
    for (slug, png) in icons::DRAWN {
        let app = data().apps.iter().find(|app| app.slug == *slug).expect(slug);
        assert!(app.look.as_ref().is_some_and(|look| !look.icon.is_empty()), "{slug} has no text for its icon");
        let icon = process_sizes(png, PictureKind::Icon).expect(slug);
        assert_eq!((icon.width, icon.height), (512, 512), "{slug}");
    }
    for app in &data().apps {
        let is_described = app.look.as_ref().is_some_and(|look| !look.icon.is_empty());
        assert_eq!(is_described, icons::find(&app.slug).is_some(), "{}", app.slug);
        assert!(app.state != "LISTED" || is_described, "{} shows only a letter", app.slug);
    }
}

#[test]
fn each_partner_has_a_publishable_or_draft_profile() {
    let profiles = &data().profiles;
    for partner in &data().partners {
        let pages: Vec<_> = profiles.iter().filter(|page| page.partner == partner.slug).collect();
        let [page] = pages[..] else { panic!("{} has {} pages", partner.slug, pages.len()) };
        for text in &page.texts {
            let (tagline, description) = (text.tagline.chars().count(), text.description.chars().count());
            assert!((10..=120).contains(&tagline), "{} {}", page.partner, text.locale);
            assert!(page.look.is_none() || (100..=5000).contains(&description), "{}", page.partner);
            assert!(profile_alternatives(&text.locale).iter().all(|text| text.len() <= 250));
        }
        let [first, last] = page.days;
        assert!(last <= first && first < partner.days, "{} was published before it came", page.partner);
        let mut words = page.look.iter().flat_map(|look| &look.words);
        assert!(words.all(|word| is_drawable(word)), "{}", page.partner);
    }
    assert!(profiles.iter().filter(|page| page.look.is_some()).count() >= 3);
}

#[test]
fn machine_client_scopes_exist() {
    for client in &data().clients {
        assert!(client.scopes.iter().all(|scope| Scope::parse(scope).is_some()), "{}", client.client_id);
        assert!(client.partner.is_empty() || data().partner(&client.partner).is_some());
    }
}

#[tokio::test]
async fn sample_publication_items_are_readable() {
    let renderer = TextRenderer::default();
    for resource in &data().resources {
        assert!(resource.title.len() <= 150 && resource.summary.len() <= 300, "{}", resource.slug);
        assert_eq!(renderer.show(&resource.body, PUBLICATION).await.unwrap().error, None, "{}", resource.slug);
    }
    for item in &data().items {
        assert!(item.title.len() <= 150 && item.summary.len() <= 300, "{}", item.slug);
        for text in [Some(&item.body), item.migration.as_ref()].into_iter().flatten() {
            assert_eq!(renderer.show(text, PUBLICATION).await.unwrap().error, None, "{}", item.slug);
        }
    }
    let of_state = |state: &str| data().items.iter().filter(|item| item.state == state).count();
    assert_eq!((of_state("RELEASED"), of_state("DRAFT"), of_state("WITHDRAWN")), (6, 1, 1));
}
