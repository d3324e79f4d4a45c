//! Sample data: a busy marketplace for a first start of the service.
//!
//! Four partners with their teams and profiles, forty apps in every state with versions, texts, pictures and customer
//! reviews, the category tree, the board with forty feature requests, the staff members, and three machine clients. The
//! tables of the daily work of staff have rows too (`desk.rs`), and the figures of apps are invented and marked as sample
//! data. The content is always the same. Passwords, second factors and client secrets are random, and only the caller who creates
//! the data gets them. The folder `data` contains all content as JSON, and the folder `icons` the drawn icons; the other
//! modules derive the history.
//!
//! The data is inserted into an empty database, in one transaction. Pictures are in the object storage before their
//! rows are written.

mod board;
mod collections;
mod data;
mod desk;
mod history;
mod icons;
mod listings;
mod pages;
mod past;
mod pictures;
mod publication;
mod rows;
mod sheet;
mod store;
mod teams;
mod words;
mod works;

#[cfg(test)]
mod tests;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, LocalBoxFuture};
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::time::Time;
use sqlx::PgPool;

use data::Data;
use past::Past;
use rows::Rows;
pub use sheet::{Key, SignIn, sheet};

/// Prepared sample data that is not yet in the database: secrets are hashed, and pictures are in the object storage.
pub struct Sample {
    rows: Rows,
    sign_ins: Vec<SignIn>,
}

impl Sample {
    /// Prepares all slow parts of the data, with a history that ends at `now`.
    ///
    /// # Errors
    /// If a picture cannot be stored, or too many passwords are being hashed.
    pub fn make(services: &Services, now: Time) -> LocalBoxFuture<'_, Result<Self, Fault>> {
        async move {
            let (data, past) = (Data::load()?, Past::before(now));
            let ((mut rows, sign_ins), media, pages) = tokio::try_join!(
                teams::all(services, data, past),
                pictures::all(&services.media, data, past),
                pages::all(&services.media, data, past)
            )?;
            (rows.pages, rows.page_images) = pages;
            works::all(data, past, media, &mut rows)?;
            collections::add(data, past, &mut rows);
            publication::add(data, past, &mut rows);
            board::add(data, past, &mut rows);
            desk::add(data, past, &mut rows);
            Ok(Self { rows, sign_ins })
        }
        .boxed_local()
    }

    /// Returns the credentials of the users and machine clients. Save them before [`Sample::insert`]: the database
    /// stores no secret in clear.
    #[must_use]
    pub fn sign_ins(&self) -> &[SignIn] {
        &self.sign_ins
    }

    /// Inserts the data into a database without partners, in one transaction. The pool may belong to the service or to
    /// the owner role.
    ///
    /// # Errors
    /// [`labs_core::Code::Conflict`] if a partner exists, [`labs_core::Code::Unavailable`] if the database does not
    /// answer. In both cases, nothing is inserted.
    pub fn insert<'a>(&'a self, pool: &'a PgPool) -> LocalBoxFuture<'a, Result<(), Fault>> {
        async move {
            let db = Db::own_transaction(pool.clone());
            store::insert(&mut *db.conn().await?, &self.rows).await?;
            db.commit().await
        }
        .boxed_local()
    }
}

/// Whether the database has no partner, so that sample data may be inserted.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn is_wanted(pool: &PgPool) -> BoxFuture<'_, Result<bool, Fault>> {
    async move { Ok(!store::partner_exists(pool).await?) }.boxed()
}

/// Fills an empty database and returns the credentials.
///
/// # Errors
/// The errors of [`Sample::make`] and [`Sample::insert`].
pub async fn fill(pool: &PgPool, services: &Services, now: Time) -> Result<Vec<SignIn>, Fault> {
    let sample = Sample::make(services, now).await?;
    sample.insert(pool).await?;
    Ok(sample.sign_ins)
}
