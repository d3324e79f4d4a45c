//! SQL statements of the checklist.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::{AccountFact, Facts, PictureFact, TextFact, VersionFact};

/// Requirement, with the open findings of the version's last review.
#[derive(Clone, Debug)]
pub(super) struct RequirementRow {
    pub(super) code: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) finding: Option<String>,
}

/// Redirect URIs of a manifest.
#[derive(Debug, Deserialize)]
struct Manifest {
    #[serde(default)]
    redirect_uris: Vec<String>,
}

/// Returns whether the partner owns the app.
pub(super) async fn is_owned(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $1 and partner_uuid = $2) as "is_owned!""#,
        app_uuid,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Loads the facts for the checks: an app's draft and this version, or its newest unpublished version.
pub(super) async fn get_facts(db: &Db, app_uuid: Uuid, version_uuid: Option<Uuid>) -> Result<Option<Facts>, Fault> {
    let row = sqlx::query!(
        r#"select app.default_locale, app.support_email, app.support_url, app.privacy_url, app.partner_uuid,
                  (select json_agg(words) from app_translation as words where words.app_uuid = app.app_uuid)
                      as "texts!: Json<Vec<TextFact>>",
                  (select place.shown from app_category as choice join category_place as place using (category_uuid)
                    where choice.app_uuid = app.app_uuid and choice.position = 0) as primary_category_shown,
                  (select json_agg(json_build_object('kind', kind, 'alt_text', alt_text)) from media
                    where media.app_uuid = app.app_uuid and removed_at is null) as "pictures: Json<Vec<PictureFact>>",
                  version.version_uuid as "version_uuid?", version.release_notes ->> app.default_locale as release_notes,
                  version.manifest as "manifest?: Json<Manifest>"
             from app
             left join lateral (
                  select version_uuid, release_notes, manifest from app_version
                   where app_version.app_uuid = app.app_uuid and ($2::uuid is null or version_uuid = $2)
                     and ($2 is not null or state not in ('PUBLISHED', 'SUPERSEDED', 'WITHDRAWN'))
                   order by created_at desc, version_uuid desc limit 1) as version on true
            where app.app_uuid = $1"#,
        app_uuid,
        version_uuid,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let redirect_uris = row.manifest.map(|manifest| manifest.0.redirect_uris).unwrap_or_default();
    let release_notes = row.release_notes;
    Ok(Some(Facts {
        default_locale: row.default_locale,
        texts: row.texts.0,
        support_email: row.support_email,
        support_url: row.support_url,
        privacy_url: row.privacy_url,
        primary_category_shown: row.primary_category_shown,
        pictures: row.pictures.map(|pictures| pictures.0).unwrap_or_default(),
        version: row.version_uuid.map(|version_uuid| VersionFact { version_uuid, release_notes, redirect_uris }),
        account: get_account(db, row.partner_uuid).await?,
    }))
}

/// Loads the state of a partner's account.
pub(super) async fn get_account(db: &Db, partner_uuid: Uuid) -> Result<AccountFact, Fault> {
    Ok(sqlx::query_as!(
        AccountFact,
        r#"select state as partner_state, exists (
                  select from person where person.partner_uuid = partner.partner_uuid and role = 'ADMINISTRATOR'
                     and person.state = 'ACTIVE' and email_verified_at is not null) as "is_verified!"
             from partner where partner_uuid = $1"#,
        partner_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns whether a category is visible.
pub(super) async fn category_is_shown(db: &Db, category_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from category_place where category_uuid = $1 and shown) as "is_shown!""#,
        category_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the active requirements, ordered by number. A finding is open if the last decided review of the version
/// contains it; findings with the same number are joined.
pub(super) async fn requirement_get_all(db: &Db, version_uuid: Option<Uuid>) -> Result<Vec<RequirementRow>, Fault> {
    Ok(sqlx::query_as!(
        RequirementRow,
        r#"with review as (
             select submission_uuid from submission
              where version_uuid = $1 and state in ('CHANGES_REQUESTED', 'REJECTED', 'APPROVED')
              order by decided_at desc, submission_uuid desc limit 1)
           select code, title, description, (
                  select string_agg(text, E'\n\n' order by finding.position, finding_uuid)
                    from submission_finding as finding join review using (submission_uuid)
                   where finding.requirement_code = code and not resolved) as finding
             from listing_requirement
            where active
            order by listing_requirement.position, code"#,
        version_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
