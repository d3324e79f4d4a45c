//! SQL statements for the submission of a customer's text.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::LockedReview;
use crate::reviews::rules::{ReviewTexts, Text};

/// Locks a customer's review of an app until the transaction ends.
pub(in crate::reviews) async fn lock_of_customer(
    db: &Db,
    app_uuid: Uuid,
    customer_sha256: &[u8],
) -> Result<Option<LockedReview>, Fault> {
    let row = sqlx::query!(
        "select r.review_uuid, a.partner_uuid, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid, r.rating,
                r.reply_uuid
           from customer_review as r join app as a using (app_uuid)
          where r.app_uuid = $1 and r.customer_sha256 = $2 for update of r",
        app_uuid,
        customer_sha256
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| LockedReview {
        review_uuid: row.review_uuid,
        app_uuid,
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

/// Values of a new customer review.
pub(in crate::reviews) struct NewReview<'a> {
    pub(in crate::reviews) review_uuid: Uuid,
    pub(in crate::reviews) text_uuid: Uuid,
    pub(in crate::reviews) app_uuid: Uuid,
    pub(in crate::reviews) customer_sha256: &'a [u8],
    pub(in crate::reviews) words: &'a Text,
}

/// Inserts a customer review with a pending text. Returns false if the customer already has one.
pub(in crate::reviews) async fn insert(db: &Db, new: &NewReview<'_>) -> Result<bool, Fault> {
    let made = sqlx::query!(
        "with made as (
             insert into customer_review (review_uuid, app_uuid, customer_sha256, waiting_text_uuid, waiting_since)
             values ($1, $2, $3, $4, labs_now())
             on conflict (app_uuid, customer_sha256) do nothing
             returning review_uuid
         )
         insert into customer_review_text (text_uuid, review_uuid, rating, title, body, locale, version_number)
         select $4, review_uuid, $5, $6, $7, $8, $9 from made",
        new.review_uuid,
        new.app_uuid,
        new.customer_sha256,
        new.text_uuid,
        new.words.rating,
        new.words.title,
        new.words.body,
        new.words.locale,
        new.words.version_number
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(made.rows_affected() > 0)
}

/// Adds a text to a locked customer review.
pub(in crate::reviews) async fn insert_text(
    db: &Db,
    review_uuid: Uuid,
    text_uuid: Uuid,
    words: &Text,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into customer_review_text (text_uuid, review_uuid, rating, title, body, locale, version_number)
         values ($1, $2, $3, $4, $5, $6, $7)",
        text_uuid,
        review_uuid,
        words.rating,
        words.title,
        words.body,
        words.locale,
        words.version_number
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the published text of a customer review, and the customer's last text: the pending, the published or the
/// last rejected one.
pub(in crate::reviews) async fn get_texts(db: &Db, locked: &LockedReview) -> Result<[Option<Text>; 2], Fault> {
    let rows = sqlx::query!(
        r#"select t.rating, t.title, t.body, t.locale, t.version_number,
                  (t.text_uuid = $2) is true as "is_shown!",
                  row_number() over (order by (t.text_uuid = $3) is true desc, t.created_at desc, t.text_uuid desc) = 1
                      as "is_last!"
             from customer_review_text as t
            where t.review_uuid = $1
              and (t.text_uuid in ($2, $3) or t.rejected_because is not null)"#,
        locked.review_uuid,
        locked.texts.shown,
        locked.texts.waiting
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let (mut shown, mut last) = (None, None);
    for row in rows {
        let words = Text {
            rating: row.rating,
            title: row.title,
            body: row.body,
            locale: row.locale,
            version_number: row.version_number,
        };
        if row.is_last {
            last = Some(words.clone());
        }
        if row.is_shown {
            shown = Some(words);
        }
    }
    Ok([shown, last])
}

/// Returns whether a version with this number was ever published.
pub(in crate::reviews) async fn version_exists(db: &Db, app_uuid: Uuid, number: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from app_version
                           where app_uuid = $1 and number = $2 and published_at is not null) as "exists!""#,
        app_uuid,
        number
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
