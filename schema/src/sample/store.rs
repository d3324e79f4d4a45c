//! SQL statements that insert the sample data.
//!
//! Each inserts all rows of a table at once, from a JSON array that `jsonb_populate_recordset` reads by the names and
//! types of the columns.

mod board;
mod desk;

use labs_core::fault::Fault;
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::types::Json;

use super::rows::Rows;

/// Whether a partner exists.
pub(super) async fn partner_exists(pool: &PgPool) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(r#"select exists (select from partner) as "exists!""#).fetch_one(pool).await?)
}

/// Inserts all rows. Must run in a transaction.
pub(super) async fn insert(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    // The lock prevents registrations between this check and the commit.
    sqlx::query!("lock table partner in share row exclusive mode").execute(&mut *connection).await?;
    let taken =
        sqlx::query_scalar!(r#"select exists (select from partner) as "exists!""#).fetch_one(&mut *connection).await?;
    if taken {
        return Err(Fault::conflict("There are partners already. Sample data goes into an empty database only."));
    }
    insert_people(connection, rows).await?;
    insert_pages(connection, rows).await?;
    insert_subscriptions(connection, rows).await?;
    insert_clients(connection, rows).await?;
    insert_categories(connection, rows).await?;
    insert_apps(connection, rows).await?;
    insert_versions(connection, rows).await?;
    insert_media(connection, rows).await?;
    insert_listings(connection, rows).await?;
    insert_reviews(connection, rows).await?;
    insert_collections(connection, rows).await?;
    insert_items(connection, rows).await?;
    board::insert(connection, &rows.board).await?;
    desk::insert(connection, &rows.desk).await
}

/// Runs a statement with a list of rows as its only parameter.
macro_rules! put {
    ($connection:expr, $rows:expr, $statement:literal) => {
        sqlx::query!($statement, Json(&$rows) as _).execute(&mut *$connection).await?
    };
}
use put;

async fn insert_people(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.partners,
        "insert into partner (partner_uuid, slug, company_name, legal_form, registration_number, vat_id, country, address,
             billing_email, website, labels, state_changed_at, created_at, updated_at)
         select partner_uuid, slug, company_name, legal_form, registration_number, vat_id, country, address,
             billing_email, website, labels, created_at, created_at, created_at
         from jsonb_populate_recordset(null::partner, $1)"
    );
    put!(
        connection,
        rows.people,
        "insert into person (person_uuid, kind, partner_uuid, email, email_normalised, name, locale, time_zone, role,
             state, password_hash, password_changed_at, email_verified_at, created_at, updated_at)
         select person_uuid, kind, partner_uuid, email, email_normalised, name, locale, time_zone, role,
             state, password_hash, created_at, email_verified_at, created_at, created_at
         from jsonb_populate_recordset(null::person, $1)"
    );
    put!(
        connection,
        rows.factors,
        "insert into totp_factor (person_uuid, secret_sealed, confirmed_at, created_at)
         select person_uuid, secret_sealed, confirmed_at, confirmed_at
         from jsonb_populate_recordset(null::totp_factor, $1)"
    );
    put!(
        connection,
        rows.role_grants,
        "insert into staff_role_grant (person_uuid, role_code, granted_by, granted_at)
         select person_uuid, role_code, granted_by, granted_at
         from jsonb_populate_recordset(null::staff_role_grant, $1)"
    );
    Ok(())
}

async fn insert_pages(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.pages,
        "insert into partner_profile (partner_uuid, default_locale, texts, website_url, languages, regions, state,
             state_changed_at, snapshot, first_published_at, published_at, created_at, updated_at)
         select partner_uuid, default_locale, texts, website_url, languages, regions, state, state_changed_at, snapshot,
             first_published_at, published_at, created_at, state_changed_at
         from jsonb_populate_recordset(null::partner_profile, $1)"
    );
    put!(
        connection,
        rows.page_images,
        "insert into partner_image (image_uuid, partner_uuid, kind, alt_text, media_type, width, height, size_bytes,
             sha256, object_key, variants, renditions, renditions_due, created_at)
         select image_uuid, partner_uuid, kind, alt_text, media_type, width, height, size_bytes, sha256, object_key,
             variants, renditions, true, created_at
         from jsonb_populate_recordset(null::partner_image, $1)"
    );
    Ok(())
}

async fn insert_subscriptions(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.subscriptions,
        "with chosen as (
             select t.tier_uuid, s.*
             from jsonb_to_recordset($1) as s (partner_uuid uuid, tier text, started_at timestamptz,
                 period_start timestamptz, period_end timestamptz, event_uuid uuid, actor_uuid uuid)
             join tier as t on t.code = s.tier
         ), started as (
             insert into subscription (partner_uuid, tier_uuid, started_at, period_start, period_end, updated_at)
             select partner_uuid, tier_uuid, started_at, period_start, period_end, period_start
             from chosen
         )
         insert into subscription_event (event_uuid, partner_uuid, occurred_at, kind, to_tier_uuid, actor_kind, actor_uuid)
         select event_uuid, partner_uuid, started_at, 'STARTED', tier_uuid, 'PARTNER_USER', actor_uuid
         from chosen"
    );
    Ok(())
}

async fn insert_clients(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.clients,
        "insert into machine_client (client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes,
             created_at, updated_at)
         select client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes, created_at, created_at
         from jsonb_populate_recordset(null::machine_client, $1)"
    );
    put!(
        connection,
        rows.secrets,
        "insert into machine_client_secret (secret_uuid, client_uuid, prefix, secret_sha256, created_at)
         select secret_uuid, client_uuid, prefix, secret_sha256, created_at
         from jsonb_populate_recordset(null::machine_client_secret, $1)"
    );
    Ok(())
}

async fn insert_categories(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.categories,
        "insert into category (category_uuid, parent_uuid, slug, icon, position, state, names, descriptions,
             also_called, created_at, updated_at)
         select category_uuid, parent_uuid, slug, icon, position, state, names, descriptions, also_called,
             created_at, created_at
         from jsonb_populate_recordset(null::category, $1)"
    );
    Ok(())
}

async fn insert_apps(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.apps,
        "insert into app (app_uuid, partner_uuid, slug, default_locale, state, support_url, support_email, privacy_url,
             website_url, terms_url, state_reason, state_changed_at, created_at, updated_at, former_state)
         select app_uuid, partner_uuid, slug, default_locale, state, support_url, support_email, privacy_url,
             website_url, terms_url, state_reason, state_changed_at, created_at, updated_at,
             case state when 'SUSPENDED' then 'LISTED' end
         from jsonb_populate_recordset(null::app, $1)"
    );
    put!(
        connection,
        rows.app_texts,
        "insert into app_translation (app_uuid, locale, name, tagline, description, updated_at)
         select app_uuid, locale, name, tagline, description, updated_at
         from jsonb_populate_recordset(null::app_translation, $1)"
    );
    put!(
        connection,
        rows.app_categories,
        "insert into app_category (app_uuid, category_uuid, position)
         select app_uuid, category_uuid, position
         from jsonb_populate_recordset(null::app_category, $1)"
    );
    Ok(())
}

async fn insert_versions(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.versions,
        "insert into app_version (version_uuid, app_uuid, number, major, minor, patch, prerelease, release_notes,
             manifest, state, state_changed_at, publish_at, published_at, created_by, created_at, updated_at)
         select version_uuid, app_uuid, number, major, minor, patch, prerelease, release_notes, manifest, state,
             state_changed_at, publish_at, published_at, created_by, created_at, state_changed_at
         from jsonb_populate_recordset(null::app_version, $1)"
    );
    put!(
        connection,
        rows.submissions,
        "insert into submission (submission_uuid, version_uuid, app_uuid, partner_uuid, state, submitted_by, submitted_at,
             reviewer_uuid, claimed_at, decided_at, decision_note, appeal, appeal_text, snapshot, updated_at, queued_at,
             waiting_on, waiting_since, due_at, due_left_seconds)
         select submission_uuid, version_uuid, app_uuid, partner_uuid, state, submitted_by, submitted_at,
             reviewer_uuid, claimed_at, decided_at, decision_note, appeal, appeal_text, snapshot, updated_at, submitted_at,
             waiting_on, updated_at, due_at, case waiting_on when 'PARTNER' then 86400 end
         from jsonb_populate_recordset(null::submission, $1)"
    );
    put!(
        connection,
        rows.findings,
        "insert into submission_finding (finding_uuid, submission_uuid, requirement_code, text, position, resolved,
             created_at, place)
         select finding_uuid, submission_uuid, requirement_code, text, position, resolved, created_at, place
         from jsonb_populate_recordset(null::submission_finding, $1)"
    );
    insert_messages(connection).await?;
    put!(
        connection,
        rows.events,
        "insert into app_event (event_uuid, app_uuid, occurred_at, kind, actor_kind, actor_uuid, detail)
         select event_uuid, app_uuid, occurred_at, kind, actor_kind, actor_uuid, detail
         from jsonb_populate_recordset(null::app_event, $1)"
    );
    Ok(())
}

/// Inserts the messages of each submission and each decision.
async fn insert_messages(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query!(
        "insert into review_message (message_uuid, submission_uuid, version_uuid, kind, author_kind, author_uuid, body,
             decision, created_at)
         select labs_uuid(), submission_uuid, version_uuid, 'SUBMISSION', 'PARTNER_USER', submitted_by,
             coalesce(appeal_text, snapshot ->> 'note'), null, submitted_at
         from submission
         union all
         select labs_uuid(), submission_uuid, version_uuid, 'DECISION', 'STAFF_USER', reviewer_uuid, decision_note, state,
             decided_at
         from submission
         where state in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED')"
    )
    .execute(&mut *connection)
    .await?;
    Ok(())
}

async fn insert_media(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.media,
        "insert into media (media_uuid, app_uuid, kind, position, alt_text, caption, media_type, width, height,
             size_bytes, sha256, object_key, variants, renditions, renditions_due, created_at,
             updated_at)
         select media_uuid, app_uuid, kind, position, alt_text, caption, media_type, width, height,
             size_bytes, sha256, object_key, variants, renditions, true, created_at, created_at
         from jsonb_populate_recordset(null::media, $1)"
    );
    Ok(())
}

async fn insert_listings(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.listings,
        "insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_url,
             support_email, privacy_url, website_url, terms_url, published_at, first_published_at, visible,
             rating_count, rating_sum, updated_at)
         select app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_url,
             support_email, privacy_url, website_url, terms_url, published_at, first_published_at, visible,
             rating_count, rating_sum, published_at
         from jsonb_populate_recordset(null::listing, $1)"
    );
    put!(
        connection,
        rows.listing_texts,
        "insert into listing_translation (app_uuid, locale, name, tagline, description)
         select app_uuid, locale, name, tagline, description
         from jsonb_populate_recordset(null::listing_translation, $1)"
    );
    put!(
        connection,
        rows.listing_categories,
        "insert into listing_category (app_uuid, category_uuid, position)
         select app_uuid, category_uuid, position
         from jsonb_populate_recordset(null::listing_category, $1)"
    );
    put!(
        connection,
        rows.listing_media,
        "insert into listing_media (app_uuid, media_uuid, kind, position, alt_text, caption)
         select app_uuid, media_uuid, kind, position, alt_text, caption
         from jsonb_populate_recordset(null::listing_media, $1)"
    );
    put!(
        connection,
        rows.changes,
        "insert into listing_change (app_uuid, slug, change, changed_at)
         select app_uuid, slug, change, changed_at
         from jsonb_populate_recordset(null::listing_change, $1)
         order by changed_at"
    );
    Ok(())
}

async fn insert_reviews(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.reviews,
        "with said as (
             select * from jsonb_to_recordset($1) as said (
                 review_uuid uuid, app_uuid uuid, text_uuid uuid, customer text, rating integer, title text, body text,
                 locale text, version_number text, state text, moderated_at timestamptz, moderated_by uuid,
                 rejected_note text, flag_uuid uuid, flagged_at timestamptz, flag_note text, reply_uuid uuid,
                 reply_body text, reply_by uuid, replied_at timestamptz, created_at timestamptz, updated_at timestamptz)
         ), texts as (
             insert into customer_review_text (text_uuid, review_uuid, rating, title, body, locale, version_number,
                 rejected_because, decision_note, decided_at, created_at)
             select text_uuid, review_uuid, rating, title, body, locale, version_number,
                 case when state = 'REJECTED' then 'OTHER' end, rejected_note, moderated_at, created_at from said
         ), replies as (
             insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind, author_uuid,
                 created_at)
             select reply_uuid, review_uuid, text_uuid, reply_body, 'PARTNER_USER', reply_by, replied_at
             from said where reply_body is not null
         ), flags as (
             insert into customer_review_flag (flag_uuid, review_uuid, text_uuid, reason, note, author_kind, flagged_at)
             select flag_uuid, review_uuid, text_uuid, 'OTHER', flag_note, 'PARTNER_USER', flagged_at
             from said where flagged_at is not null
         )
         insert into customer_review (review_uuid, app_uuid, customer_sha256, state, shown_text_uuid, waiting_text_uuid,
             rejected_text_uuid, reply_uuid, rating, locale, version_number, written_at, has_text, waiting_since, flagged_at,
             moderated_at, moderated_by, created_at, updated_at)
         select review_uuid, app_uuid, sha256(convert_to(customer, 'UTF8')), state,
             case when state = 'PUBLISHED' then text_uuid end, case when state = 'PENDING' then text_uuid end,
             case when state = 'REJECTED' then text_uuid end, case when reply_body is not null then reply_uuid end,
             case when state = 'PUBLISHED' then rating end, case when state = 'PUBLISHED' then locale end,
             case when state = 'PUBLISHED' then version_number end, case when state = 'PUBLISHED' then created_at end,
             case when state = 'PUBLISHED' then coalesce(title, body) is not null end,
             case when state = 'PENDING' then created_at end, flagged_at, moderated_at, moderated_by, created_at,
             updated_at
         from said"
    );
    Ok(())
}

async fn insert_collections(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.collections,
        "insert into collection (collection_uuid, slug, titles, descriptions, position, shown_from, shown_until,
             created_at, updated_at)
         select collection_uuid, slug, titles, descriptions, position, shown_from, shown_until, created_at, created_at
         from jsonb_populate_recordset(null::collection, $1)"
    );
    put!(
        connection,
        rows.collection_listings,
        "insert into collection_listing (collection_uuid, app_uuid, position)
         select collection_uuid, app_uuid, position
         from jsonb_populate_recordset(null::collection_listing, $1)"
    );
    Ok(())
}

async fn insert_items(connection: &mut PgConnection, rows: &Rows) -> Result<(), Fault> {
    put!(
        connection,
        rows.items,
        "insert into publication_item (item_uuid, kind, state, slug, title, summary, body, tags, version, change, operations,
             effective_at, action_required, migration, generated, author_uuid, show_author, release_key, created_by_kind,
             created_by_uuid, first_released_at, released_at, withdrawn_at, created_at, updated_at)
         select item_uuid, kind, state, slug, title, summary, body, tags, version, change, operations,
             case when kind = 'CHANGELOG_ENTRY' then released_at end, action_required, migration, generated,
             author_uuid, show_author, release_key, created_by_kind, created_by_uuid, released_at, released_at, withdrawn_at, created_at, updated_at
         from jsonb_populate_recordset(null::publication_item, $1)"
    );
    put!(
        connection,
        rows.steps,
        "insert into publication_transition (transition_uuid, item_uuid, actor_kind, actor_uuid, from_state, to_state,
             occurred_at)
         select transition_uuid, item_uuid, 'STAFF_USER', actor_uuid, from_state, to_state, occurred_at
         from jsonb_populate_recordset(null::publication_transition, $1)"
    );
    Ok(())
}
