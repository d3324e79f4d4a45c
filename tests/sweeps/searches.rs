//! Search sweep: every list with a search by words (`q`) finds a row whose words the caller remembers only roughly.

use std::collections::BTreeSet;

use labs_rest::contract::{Operation, ParameterIn};

use super::operations;
use super::stock::Stock;

/// Each list, and the statement that writes the text into one of its rows. `{}` is the text.
const LISTS: &[(&str, &str)] = &[
    ("admin_apps_list", APP_NAMES),
    ("admin_apps_list_of_partner", APP_NAMES),
    ("admin_invitations_list", "update invitation set email = '{address}'"),
    ("admin_machine_clients_list", "update machine_client set name = '{}'"),
    ("admin_notes_list", "update partner_note set body = '{}'"),
    ("admin_partners_list", COMPANY),
    ("admin_sign_in_blocks_list", BLOCKED),
    ("admin_staff_list", "update person set name = '{}' where kind = 'STAFF_USER'"),
    ("admin_staff_roles_list", "update staff_role set description = '{}' where role_code = 'SUPPORT'"),
    ("admin_subscriptions_list", COMPANY),
    ("admin_team_members_list", "update person set name = '{}' where kind = 'PARTNER_USER'"),
    ("admin_users_list", "update person set name = '{}' where kind = 'PARTNER_USER'"),
    ("engagement_moderation_list_comments", "update feature_comment set body = '{}'"),
    ("engagement_moderation_list_feature_requests", "update feature_request set title = '{}'"),
    ("marketplace_apps_list", APP_NAMES),
    ("marketplace_categories_list", "update category set names = jsonb_build_object('en', '{}')"),
    ("marketplace_collections_list", "update collection set titles = jsonb_build_object('en', '{}')"),
    ("marketplace_moderation_list_reviews", REVIEW),
    ("marketplace_reviews_list", REVIEW),
    ("partner_invitations_list", "update invitation set email = '{address}'"),
    ("partner_support_desk_list", "update support_ticket set subject = '{}'"),
    ("partner_support_tickets_list", "update support_ticket set subject = '{}'"),
    ("partner_team_members_list", "update person set name = '{}' where kind = 'PARTNER_USER'"),
    ("publication_developer_resources_list", "update publication_item set title = '{}'"),
    ("publication_items_list", "update publication_item set title = '{}'"),
    ("publication_public_blog_posts_list", "update publication_item set title = '{}'"),
    ("publication_public_changelog_list", "update publication_item set title = '{}'"),
    ("publication_public_developer_resources_list", "update publication_item set title = '{}'"),
    ("subscription_features_list", "update feature set description = '{}'"),
    ("subscription_tiers_list", "update tier set name = '{}'"),
];
const APP_NAMES: &str = "update app_translation set name = '{}'";
const BLOCKED: &str = "update person set name = '{}' where kind = 'PARTNER_USER';
    insert into sign_in_failure (subject, failures, held_until)
    select 'account:' || email_normalised || '@192.0.2.1/32', 9, labs_now() + interval '1 hour' from person
     where kind = 'PARTNER_USER' limit 1";
const COMPANY: &str = "update partner set company_name = '{}'";
const REVIEW: &str = "update customer_review_text set body = '{}'";

/// Operations whose `q` is another search, and the reason.
const APART: &[(&str, &str)] = &[
    ("admin_overview_search", "one search over several kinds; `admin::overview` tests it"),
    ("admin_partners_export", "a file with the rows of `admin_partners_list`, by the same condition"),
    ("admin_scopes_list", "names of scopes are identifiers"),
    ("engagement_feature_requests_list", "the board's search by stems; `engagement::search` tests it"),
    ("marketplace_listings_search", "the storefront's search; `marketplace::search` tests it"),
    ("marketplace_listings_suggest", "the same"),
    ("statistics_apps_list", "nothing is imported here; the condition is that of `marketplace_apps_list`"),
];

const TEXT: &str = "Crêmerie Zitrone Quartier";
const ADDRESS: &str = "cremerie.zitrone@quartier.example";

/// Searches that find the text: a word in the middle, two words in another order, without an accent, with another
/// accent, and each kind of typing error.
const FINDING: [&str; 9] = [
    "zitrone",
    "Quartier crêmerie",
    "cremerie",
    "ZITRÓNE",
    "zitone",
    "zitronne",
    "zitrine",
    "ztirone quartierr",
    "e z",
];
/// Searches that do not find it: another word, one word of two, two typing errors, an error in a short word.
const MISSING: [&str; 4] = ["holunder", "zitrone holunder", "zitrnoee", "crxm"];

fn searched_by_words() -> impl Iterator<Item = &'static Operation> {
    let has_search = |operation: &&Operation| operation.parameters_in(ParameterIn::Query).any(|one| one.name == "q");
    operations().filter(has_search)
}

#[test]
fn every_list_with_search_is_in_search_sweep_or_exception_list() {
    let known: BTreeSet<&str> = LISTS.iter().chain(APART).map(|(id, _)| *id).collect();
    assert_eq!(searched_by_words().map(|operation| operation.id.as_str()).collect::<BTreeSet<_>>(), known);
}

#[tokio::test]
async fn lists_find_words_in_any_order_without_accents_and_with_one_typing_error() {
    let stock = Stock::new().await;
    let mut wrong = Vec::new();
    for (id, statement) in LISTS {
        stock.cast.harness.sql(&statement.replace("{address}", ADDRESS).replace("{}", TEXT)).await;
        for (searches, is_found) in [(&FINDING[..], true), (&MISSING[..], false)] {
            for q in searches {
                let found = stock.call(id).query("q", q).expect(200).await;
                if found.json["data"].as_array().unwrap().is_empty() == is_found {
                    wrong.push(format!("{id} {q}: {}", if is_found { "not found" } else { "found" }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
