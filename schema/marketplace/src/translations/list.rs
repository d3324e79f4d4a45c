//! Queries for the texts of an app's draft: lookup of a locale, and the list of all locales.

use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, Statements};
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// Texts of an app in one locale.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct TranslationRow {
    pub(super) locale: String,
    pub(super) name: String,
    pub(super) tagline: String,
    pub(super) description: String,
    pub(super) updated_at: Time,
    /// 0 for the default locale, which comes first, and 1 for the others.
    pub(super) rank: i32,
    /// Hash of the texts.
    pub(super) revision: String,
}

/// Texts of apps.
static TEXTS: Select<TranslationRow> = Select::new(
    "words.locale, words.name, words.tagline, words.description, words.updated_at,
     case when words.locale = app.default_locale then 0 else 1 end as rank,
     left(encode(sha256(convert_to(jsonb_build_array(words.name, words.tagline, words.description)::text, 'UTF8')), 'hex'), 32)
         as revision",
    "app join app_translation as words on words.app_uuid = app.app_uuid",
);

/// Looks up the texts of a partner's app in one locale.
pub(super) static OWN: Lookup<TranslationRow> =
    Lookup::new(&TEXTS, &["app.partner_uuid = {}", "app.app_uuid = {}", "words.locale = {}"]);

/// Parameters of the texts of a partner's app.
#[derive(Debug, Serialize)]
pub(super) struct OwnTexts {
    /// Owner of the app.
    pub(super) partner_uuid: Uuid,
    /// UUID of the app.
    pub(super) app_uuid: Uuid,
}

/// List of an app's texts: the default locale first, then the others alphabetically.
pub(super) static OF_AN_APP: ListQuery<OwnTexts, TranslationRow, FixedOrder> = ListQuery {
    operation: "marketplace_translations_list",
    select: &TEXTS,
    within: &[
        Condition { sql: "app.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) },
        Condition { sql: "words.app_uuid = {}", value: |of| Some(of.app_uuid.into()) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[RANK, LOCALE] },
};

const RANK: Key<TranslationRow> =
    Key::whole("case when words.locale = app.default_locale then 0 else 1 end", |row| json!(row.rank));
const LOCALE: Key<TranslationRow> = Key::text("words.locale", |row| json!(row.locale));

/// SQL statements of texts that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&OF_AN_APP, &OWN];
