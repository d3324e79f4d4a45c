//! Resolvers of an app's texts by locale.

use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::list::{OF_AN_APP, OwnTexts, TranslationRow};
use super::{rules, store};
use crate::apps::{self, Texts};

/// Texts of an app's draft in one locale.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct Translation {
    /// Locale of the texts.
    locale: String,
    /// Name of the app in this locale.
    name: String,
    /// One line below the name. Empty until written.
    tagline: String,
    /// Purpose and audience of the app, in plain text. An empty line separates paragraphs. Empty until written.
    description: String,
    /// Whether readers see these texts when no other locale matches. Exactly one locale of an app is the default.
    default: bool,
    /// Whether no field is empty.
    complete: bool,
    /// Fields that are still empty, for example `tagline`.
    missing: Vec<&'static str>,
    /// Time when these texts last changed.
    updated_at: Time,
    /// Hash of the editable fields, compared by conditional writes.
    revision: String,
}

/// The complete texts of one locale. Omitted fields become empty.
#[derive(Deserialize, InputType)]
pub(crate) struct TranslationPut {
    /// Name of the app in this locale.
    name: String,
    /// One line below the name.
    tagline: Option<String>,
    /// Plain text. An empty line separates paragraphs.
    description: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_translations_list, marketplace_translations_put, marketplace_translations_delete];

/// List an app's translations.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_translations_list(
    cx: &RequestContext,
    app_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<Translation>, Fault> {
    let own = OwnTexts { partner_uuid: cx.owner()?.uuid(), app_uuid };
    let found = OF_AN_APP.page(cx, &own, &PageRequest::new(None, limit, cursor)).await?;
    if found.rows.is_empty() {
        apps::load_app(cx, app_uuid).await?;
    }
    Ok(found.map(|row| Ok(Translation::from(row)))?.list())
}

/// Set an app's translation.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_translations_put(
    cx: &RequestContext,
    app_uuid: Uuid,
    locale: String,
    body: TranslationPut,
) -> Result<Created<Translation>, Fault> {
    let present = apps::lock_app(cx, app_uuid, Some(&locale)).await?;
    ensure_read(cx, app_uuid, &locale).await?;
    let texts = apps::whole_texts(body.into())?;
    rules::ensure_room(&present.locales, &locale)?;
    let is_default = present.draft.default_locale == locale;
    let before = Some(present).filter(|present| present.locale == locale).map(|present| present.draft.into());
    let fields = rules::changed_fields(&locale, is_default, before.as_ref(), &texts);
    if !fields.is_empty() {
        store::put(&cx.db, app_uuid, &locale, &texts).await?;
        apps::insert_event(&cx.db, app_uuid, "UPDATED", json!({ "fields": fields }), apps::event(cx)?).await?;
    }
    let now = load(cx, app_uuid, &locale).await?;
    Ok(if before.is_some() { Created::existing(now) } else { Created::new(locale.as_str(), now) })
}

/// Delete an app's translation.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_translations_delete(cx: &RequestContext, app_uuid: Uuid, locale: String) -> Result<bool, Fault> {
    let present = apps::lock_app(cx, app_uuid, Some(&locale)).await?;
    ensure_read(cx, app_uuid, &locale).await?;
    if present.locale != locale {
        return Err(missing());
    }
    rules::ensure_not_default(&present.locales, &locale, &present.draft.default_locale)?;
    store::delete(&cx.db, app_uuid, &locale).await?;
    let detail = json!({ "fields": [rules::place(&locale)] });
    apps::insert_event(&cx.db, app_uuid, "UPDATED", detail, apps::event(cx)?).await?;
    Ok(true)
}

/// Compares the revision of the locked texts with the caller's precondition, if the request has one. If there are no
/// texts, the caller cannot have read any revision.
async fn ensure_read(cx: &RequestContext, app_uuid: Uuid, locale: &str) -> Result<(), Fault> {
    if !cx.expects_revision() {
        return Ok(());
    }
    let present = store::get(&cx.db, cx.owner()?, app_uuid, locale).await?;
    cx.ensure_revision(present.map(|row| row.revision).as_deref())
}

async fn load(cx: &RequestContext, app_uuid: Uuid, locale: &str) -> Result<Translation, Fault> {
    let row = store::get(&cx.db, cx.owner()?, app_uuid, locale).await?;
    Ok(row.ok_or_else(missing)?.into())
}

fn missing() -> Fault {
    Fault::not_found("locale of this app")
}

impl From<TranslationPut> for Texts {
    fn from(body: TranslationPut) -> Self {
        Self {
            name: body.name,
            tagline: body.tagline.unwrap_or_default(),
            description: body.description.unwrap_or_default(),
        }
    }
}

impl From<TranslationRow> for Translation {
    fn from(row: TranslationRow) -> Self {
        let missing = rules::missing_fields(&row.name, &row.tagline, &row.description);
        Self {
            locale: row.locale,
            name: row.name,
            tagline: row.tagline,
            description: row.description,
            default: row.rank == 0,
            complete: missing.is_empty(),
            missing,
            updated_at: row.updated_at,
            revision: row.revision,
        }
    }
}
