//! Statements that anonymize a partner.
//!
//! If other data depends on a row, the row stays and loses its identifying data. All other rows are deleted.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Anonymizes the personal data of an erased partner. Switches off the capture of differences, because the audit log
/// would otherwise keep the erased data forever. Mail messages are erased last: a transaction that locks an object of
/// the partner may be writing one, and the earlier steps wait for that transaction.
pub(in super::super) async fn run(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    end_capture(db).await?;
    subscription_hold(db, partner_uuid).await?;
    erase_sign_ins(db, partner_uuid).await?;
    sqlx::query!("select security_event_anonymised($1)", partner_uuid).execute(&mut *db.conn().await?).await?;
    sqlx::query!("select support_anonymised($1)", partner_uuid).execute(&mut *db.conn().await?).await?;
    sqlx::query!("select history_anonymised($1)", partner_uuid).execute(&mut *db.conn().await?).await?;
    erase_invitations(db, partner_uuid).await?;
    erase_people(db, partner_uuid).await?;
    erase_apps(db, partner_uuid).await?;
    erase_messages(db, partner_uuid).await?;
    erase_board(db, partner_uuid).await?;
    erase_clients(db, partner_uuid).await?;
    erase_company(db, partner_uuid).await?;
    erase_mails(db, partner_uuid).await
}

async fn end_capture(db: &Db) -> Result<(), Fault> {
    sqlx::query_scalar!("select set_config('labs.audit_record', '', true)").fetch_one(&mut *db.conn().await?).await?;
    Ok(())
}

/// Waits for transactions that are about to write about the subscription. Their data is erased with the rest. Later
/// transactions find the partner erased.
async fn subscription_hold(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("select from subscription where partner_uuid = $1 for no key update", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Erases mail messages to the company, to its users, and to others about the company. Only their kind and time remain.
/// Unsent messages are not sent.
async fn erase_mails(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with meant as (
             select message_uuid from mail_message where partner_uuid = $1
             union
             select message_uuid from mail_message where about_partner_uuid = $1
             union
             select m.message_uuid from person as h join mail_message as m on m.person_uuid = h.person_uuid
             where h.partner_uuid = $1
         )
         update mail_message as m
         set recipient = 'erased@erased.invalid', subject = '', content_sealed = null, last_error = null, asked_from = null,
             state = case m.state when 'QUEUED' then 'FAILED' else m.state end
         from meant
         where m.message_uuid = meant.message_uuid",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Erases the credentials of the users and the places of their sign-ins.
async fn erase_sign_ins(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with people as (select person_uuid, email_normalised from person where partner_uuid = $1),
         sessions as (
             update session as s
             set address = null, user_agent = null, ended_at = coalesce(s.ended_at, labs_now())
             from people where s.person_uuid = people.person_uuid
         ), factors as (
             delete from totp_factor as f using people where f.person_uuid = people.person_uuid
         ), codes as (
             delete from recovery_code as c using people where c.person_uuid = people.person_uuid
         ), tokens as (
             delete from one_time_token as t using people where t.person_uuid = people.person_uuid
         ), changes as (
             delete from email_change as e using people where e.person_uuid = people.person_uuid
         ), accounts as (
             delete from sign_in_failure as f using people where f.account = people.email_normalised
         )
         delete from sign_in_failure as f using people where f.person_uuid = people.person_uuid",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

async fn erase_invitations(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with tokens as (
             delete from one_time_token as t using invitation as i
             where i.partner_uuid = $1 and t.subject_uuid = i.invitation_uuid and t.purpose = 'INVITATION'
         )
         update invitation
         set email = 'erased@erased.invalid', email_normalised = invitation_uuid || '@erased.invalid',
             state = case state when 'PENDING' then 'REVOKED' else state end
         where partner_uuid = $1",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Anonymizes the users and keeps their rows, so that their texts and votes still count.
async fn erase_people(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update person
         set name = 'Erased person', email = 'erased@erased.invalid', email_normalised = person_uuid || '@erased.invalid',
             locale = 'en', time_zone = 'UTC', state = 'REMOVED', password_hash = null, show_name = false,
             board_mail = false, quota_mail = false, updated_at = labs_now()
         where partner_uuid = $1",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Keeps apps and their listings, because customer reviews depend on them. Erases the e-mail addresses of support
/// contacts, the links to the company, including those in manifests, and the recorded reasons.
async fn erase_apps(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        r#"with apps as (
             update app
             set support_url = null, support_email = null, privacy_url = null, website_url = null, terms_url = null,
                 state_reason = null
             where partner_uuid = $1
         ), listings as (
             update listing
             set support_url = null, support_email = null, privacy_url = null, website_url = null, terms_url = null
             where partner_uuid = $1
         ), versions as (
             update app_version as v set manifest = jsonb_set(v.manifest, '{redirect_uris}', '[]', false)
             from app as a where a.partner_uuid = $1 and v.app_uuid = a.app_uuid
         )
         update submission
         set appeal_text = case when appeal then 'Erased' end, decision_note = null,
             snapshot = jsonb_set(jsonb_set(snapshot - 'note', '{links}', '{"support_url": null, "support_email": null,
                 "privacy_url": null, "website_url": null, "terms_url": null}', false),
                 '{version,manifest,redirect_uris}', '[]', false)
         where partner_uuid = $1"#,
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Erases the messages between the team and reviewers, the findings, the notes on flags, and the team's replies to
/// customers, also for apps that now belong to another partner. The records themselves stay.
async fn erase_messages(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with messages as (
             update review_message as m set body = 'Erased'
             from app_tenure as own cross join lateral (
                 select mine.submission_uuid from submission as mine where mine.app_uuid = own.app_uuid offset 0) as s
             where own.partner_uuid = $1 and m.submission_uuid = s.submission_uuid
                 and m.created_at >= own.since and m.created_at < own.until
         ), findings as (
             update submission_finding as f
             set text = 'Erased', observed = case when f.observed is not null then 'Erased' end, why_now = null
             from submission as s
             where s.partner_uuid = $1 and f.submission_uuid = s.submission_uuid
         ), reading as (
             delete from review_thread_read as read using person as p
             where p.partner_uuid = $1 and read.person_uuid = p.person_uuid
         ), flags as (
             update customer_review_flag as f set note = null
             from app_tenure as own cross join lateral (
                 select mine.review_uuid from customer_review as mine where mine.app_uuid = own.app_uuid offset 0) as r
             where own.partner_uuid = $1 and f.review_uuid = r.review_uuid
                 and f.flagged_at >= own.since and f.flagged_at < own.until
         )
         update customer_review_reply as y set body = 'Erased'
         from app_tenure as own cross join lateral (
             select mine.review_uuid from customer_review as mine where mine.app_uuid = own.app_uuid offset 0) as r
         where own.partner_uuid = $1 and y.review_uuid = r.review_uuid
             and y.created_at >= own.since and y.created_at < own.until",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Erases the users' comments on feature requests, earlier versions of feature requests and comments, the reasons for
/// removals from the board, and the notes on reports. Each row keeps its place. The feature requests stay, because
/// others voted for them. The lock order is feature requests, comments, reports, as in all writes to them.
async fn erase_board(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with texts as (
             delete from board_earlier_text as t using feature_request as d
             where d.partner_uuid = $1 and t.request_uuid = d.request_uuid
         )
         update feature_request set suspension_reason = 'Erased'
         where partner_uuid = $1 and suspension_reason is not null",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    sqlx::query!(
        "with texts as (
             delete from board_earlier_text as t using feature_comment as c
             where c.partner_uuid = $1 and t.comment_uuid = c.comment_uuid
         )
         update feature_comment
         set body = 'Erased', suspension_reason = case when suspension_reason is not null then 'Erased' end
         where partner_uuid = $1",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    sqlx::query!("update board_report set note = null where partner_uuid = $1 and note is not null", partner_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Erases the names and contacts of machine clients, their allowed networks, and the addresses of their token requests.
/// Disables the clients.
async fn erase_clients(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with programs as (
             update machine_client
             set name = 'Erased program', contact_email = null, allowed_networks = '{}', state = 'DISABLED',
                 updated_at = labs_now()
             where partner_uuid = $1
             returning client_uuid
         )
         update token_grant as g set address = null
         from machine_client as c
         where c.partner_uuid = $1 and g.client_uuid = c.client_uuid",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Erases the company data, the profile with its contacts, and the notes about the company.
async fn erase_company(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with contacts as (delete from partner_contact where partner_uuid = $1),
         notes as (delete from partner_note where partner_uuid = $1),
         archives as (update data_export set reason = null, error = null where partner_uuid = $1),
         requests as (update tier_change_request set message = '', decision_reason = null,
                             state = case state when 'PENDING' then 'WITHDRAWN' else state end,
                             decided_at = coalesce(decided_at, labs_now())
                       where partner_uuid = $1),
         granted as (update entitlement_override set reason = 'Erased' where partner_uuid = $1),
         budgets as (update rate_limit_override set reason = 'Erased' where partner_uuid = $1),
         profile as (delete from partner_profile where partner_uuid = $1),
         images as (delete from partner_image where partner_uuid = $1)
         update partner
         set company_name = 'Erased partner', slug = 'erased-' || partner_uuid, legal_form = null,
             registration_number = null, vat_id = null, country = null, address = '{}', billing_address = '{}',
             billing_email = null, website = null, pending_company_name = null, pending_name_since = null, labels = '{}',
             state_reason = null, updated_at = labs_now()
         where partner_uuid = $1",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
