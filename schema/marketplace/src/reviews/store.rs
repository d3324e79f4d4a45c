//! SQL statements of one customer review, and of the users who may reply to it. Each change locks the customer review
//! first.

mod face;
mod hand_in;
mod marks;
mod reply;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::services::Services;
use uuid::Uuid;

use super::rules::{CustomerReviewState, ReviewTexts};

pub(super) use face::{erase, note_decision, set_faces};
pub(super) use hand_in::{NewReview, get_texts, insert, insert_text, lock_of_customer, version_exists};
pub(super) use marks::{NewFlag, NewReport, decide_marks, insert_flag, last_flag, move_marks, report};
pub(super) use reply::{NewReply, end_reply, insert_reply, present_reply};

/// Purpose of the customer hash.
const CUSTOMER: &str = "customer-of-review";

/// Returns the stored hash of a customer. The key is outside the database and the hash differs for each app. So a
/// reader of the tables cannot identify an author, or see that two customer reviews are from the same customer.
pub(super) fn customer_hash(services: &Services, app_uuid: Uuid, reference: &str) -> [u8; 32] {
    let mut named = app_uuid.as_bytes().to_vec();
    named.extend_from_slice(reference.as_bytes());
    services.key.mac(CUSTOMER, &named)
}

/// Customer review locked until the transaction ends.
pub(super) struct LockedReview {
    pub(super) review_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) texts: ReviewTexts,
    /// Rating that the listing includes.
    pub(super) rating: Option<i32>,
    pub(super) reply_uuid: Option<Uuid>,
}

/// Locks a customer review of any app.
pub(super) async fn lock(db: &Db, review_uuid: Uuid) -> Result<Option<LockedReview>, Fault> {
    let row = sqlx::query!(
        "select r.review_uuid, r.app_uuid, a.partner_uuid, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid,
                r.rating, r.reply_uuid
           from customer_review as r join app as a using (app_uuid)
          where r.review_uuid = $1 for update of r",
        review_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| LockedReview {
        review_uuid: row.review_uuid,
        app_uuid: row.app_uuid,
        partner_uuid: row.partner_uuid,
        texts: ReviewTexts {
            shown: row.shown_text_uuid,
            waiting: row.waiting_text_uuid,
            rejected: row.rejected_text_uuid,
        },
        rating: row.rating,
        reply_uuid: row.reply_uuid,
    }))
}

/// Locks a published customer review of the owner's app, and returns it with the published text.
pub(super) async fn lock_shown(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    review_uuid: Uuid,
) -> Result<Option<(LockedReview, Uuid)>, Fault> {
    let locked = lock(db, review_uuid).await?;
    let own = locked.filter(|locked| locked.app_uuid == app_uuid && locked.partner_uuid == owner.uuid());
    Ok(own.and_then(|locked| locked.texts.shown.map(|shown| (locked, shown))))
}

/// Locks a customer review that a visible listing shows, and returns it with the published text.
pub(super) async fn lock_public(db: &Db, review_uuid: Uuid) -> Result<Option<(LockedReview, Uuid)>, Fault> {
    let Some(locked) = lock(db, review_uuid).await? else { return Ok(None) };
    let is_visible = sqlx::query_scalar!(
        r#"select exists (select from listing where app_uuid = $1 and visible) as "visible!""#,
        locked.app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(locked.texts.shown.filter(|_| is_visible).map(|shown| (locked, shown)))
}

/// Returns whether the owner has this app.
pub(super) async fn app_exists(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $1 and partner_uuid = $2) as "exists!""#,
        app_uuid,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the app of a visible listing.
pub(super) async fn visible_app(db: &Db, listing_slug: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select app_uuid from listing where slug = $1 and visible", listing_slug)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Returns the name of an app in its default locale, and the first twenty users who may reply to its customer reviews.
pub(super) async fn answerers(db: &Db, app_uuid: Uuid) -> Result<(String, Vec<Uuid>), Fault> {
    let row = sqlx::query!(
        r#"select coalesce((select w.name from app_translation as w
                             where w.app_uuid = a.app_uuid and w.locale = a.default_locale), a.slug) as "name!",
                  array(select p.person_uuid from person as p
                         where p.partner_uuid = a.partner_uuid and p.state = 'ACTIVE'
                           and p.role in ('ADMINISTRATOR', 'EDITOR')
                         order by p.created_at, p.person_uuid limit 20) as "people!"
             from app as a where a.app_uuid = $1"#,
        app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok((row.name, row.people))
}

/// Returns the numbers of published customer reviews by stars, from 5 down to 1.
pub(super) async fn get_spread(db: &Db, app_uuid: Uuid) -> Result<Vec<i32>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select rating_counts(rating, number) as "counts!" from customer_rating where app_uuid = $1"#,
        app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether at least two percent of the newest texts of customer reviews contain the longest word of a search. True for
/// a search without words, which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where folded(concat_ws(E'\n', newest.title, newest.body))
                                         ~ (select coalesce((sought_patterns($1))[1], ''))) * 50 >= count(*) as "is_common!"
             from (select t.title, t.body from customer_review_text as t order by t.text_uuid desc limit 400) as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Name of a state, as a statement's parameter.
fn word(state: CustomerReviewState) -> &'static str {
    state.name()
}
