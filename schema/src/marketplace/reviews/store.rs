//! Every statement about one review, and about who may answer it. Each change holds the review first.

mod face;
mod hand_in;
mod marks;
mod reply;

use uuid::Uuid;

use super::rules::{CustomerReviewState, Faces};
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::Owner;
use crate::core::services::Services;

pub(super) use face::{erase, note_decision, set_faces};
pub(super) use hand_in::{NewReview, hold_of_customer, insert, said, text_insert, version_exists};
pub(super) use marks::{NewFlag, NewReport, decide_marks, flag_insert, last_flag, move_marks, report};
pub(super) use reply::{NewReply, present_reply, reply_end, reply_insert};

/// What the hash of a customer is for.
const CUSTOMER: &str = "customer-of-review";

/// Who a customer is, as it is kept: under a key outside the database, and another one at each app, so that nobody who
/// reads the tables learns who wrote what, or that two reviews are of the same customer.
pub(super) fn customer_hash(services: &Services, app_uuid: Uuid, reference: &str) -> [u8; 32] {
    let mut named = app_uuid.as_bytes().to_vec();
    named.extend_from_slice(reference.as_bytes());
    services.key.mac(CUSTOMER, &named)
}

/// A review that is held until the transaction ends.
pub(super) struct Held {
    pub(super) review_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) faces: Faces,
    /// The rating that the listing counts.
    pub(super) rating: Option<i32>,
    pub(super) reply_uuid: Option<Uuid>,
}

/// A review, whoever's.
pub(super) async fn hold(db: &Db, review_uuid: Uuid) -> Result<Option<Held>, Fault> {
    let row = sqlx::query!(
        "select r.review_uuid, r.app_uuid, a.partner_uuid, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid,
                r.rating, r.reply_uuid
           from customer_review as r join app as a using (app_uuid)
          where r.review_uuid = $1 for update of r",
        review_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| Held {
        review_uuid: row.review_uuid,
        app_uuid: row.app_uuid,
        partner_uuid: row.partner_uuid,
        faces: Faces { shown: row.shown_text_uuid, waiting: row.waiting_text_uuid, rejected: row.rejected_text_uuid },
        rating: row.rating,
        reply_uuid: row.reply_uuid,
    }))
}

/// A review that is shown, of an app of this owner's; with the text that is shown.
pub(super) async fn hold_shown(
    db: &Db,
    owner: Owner,
    app_uuid: Uuid,
    review_uuid: Uuid,
) -> Result<Option<(Held, Uuid)>, Fault> {
    let held = hold(db, review_uuid).await?;
    let own = held.filter(|held| held.app_uuid == app_uuid && held.partner_uuid == owner.uuid());
    Ok(own.and_then(|held| held.faces.shown.map(|shown| (held, shown))))
}

/// A review that a visible listing shows; with the text that is shown.
pub(super) async fn hold_public(db: &Db, review_uuid: Uuid) -> Result<Option<(Held, Uuid)>, Fault> {
    let Some(held) = hold(db, review_uuid).await? else { return Ok(None) };
    let is_visible = sqlx::query_scalar!(
        r#"select exists (select from listing where app_uuid = $1 and visible) as "visible!""#,
        held.app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    Ok(held.faces.shown.filter(|_| is_visible).map(|shown| (held, shown)))
}

/// Whether the app is the owner's.
pub(super) async fn app_exists(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app where app_uuid = $1 and partner_uuid = $2) as "exists!""#,
        app_uuid,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// The app of a listing that readers see.
pub(super) async fn visible_app(db: &Db, listing_slug: &str) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!("select app_uuid from listing where slug = $1 and visible", listing_slug)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// What an app is called in its own language, and who may answer its reviews: the first twenty.
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

/// How many reviews that are shown give so many stars, from 5 down to 1.
pub(super) async fn spread_get(db: &Db, app_uuid: Uuid) -> Result<Vec<i32>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select array[count(*) filter (where rating = 5), count(*) filter (where rating = 4),
                        count(*) filter (where rating = 3), count(*) filter (where rating = 2),
                        count(*) filter (where rating = 1)]::integer[] as "counts!"
             from customer_review where app_uuid = $1 and state = 'PUBLISHED'"#,
        app_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// The word of a state, for a statement's parameter.
fn word(state: CustomerReviewState) -> &'static str {
    state.name()
}
