//! Sample data: a marketplace in full swing, for whoever starts the service for the first time.
//!
//! Four companies with their teams and vendor pages, forty apps in every state with their versions, texts, pictures and reviews, the
//! category tree, the board with forty feature requests, the platform's own people and three programs. What is said is the same everywhere; passwords,
//! second factors and client secrets are random and known only to whoever made them. All of it stands in the tables
//! of `data`; the other files tell how it would have come about.
//!
//! It goes into an empty database, whole or not at all. Pictures lie in the store before their rows are written.

mod board;
mod collections;
mod data;
mod history;
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
use sqlx::PgPool;

pub use sheet::{Key, SignIn, sheet};

use crate::core::fault::Fault;
use crate::core::services::Services;
use crate::core::time::Time;
use past::Past;
use rows::Rows;

/// Sample data made and not yet in the database: secrets are hashed and pictures are in the store.
pub struct Sample {
    rows: Rows,
    sign_ins: Vec<SignIn>,
}

impl Sample {
    /// Makes everything that takes long, as it would have come about before `now`.
    ///
    /// # Errors
    /// When a picture cannot be kept, or too many passwords are being hashed.
    pub fn make(services: &Services, now: Time) -> LocalBoxFuture<'_, Result<Self, Fault>> {
        async move {
            let past = Past::before(now);
            let ((mut rows, sign_ins), media, pages) = tokio::try_join!(
                teams::all(services, past),
                pictures::all(&services.media, past),
                pages::all(&services.media, past)
            )?;
            (rows.pages, rows.page_images) = pages;
            works::all(past, media, &mut rows)?;
            collections::add(past, &mut rows);
            publication::add(past, &mut rows);
            board::add(past, &mut rows);
            Ok(Self { rows, sign_ins })
        }
        .boxed_local()
    }

    /// What its people and programs sign in with. Write it down before [`Sample::insert`]: the database keeps no
    /// secret in clear.
    #[must_use]
    pub fn sign_ins(&self) -> &[SignIn] {
        &self.sign_ins
    }

    /// Puts it into a database without partners, in one transaction; the pool may be the service's own or the owner's.
    ///
    /// # Errors
    /// [`crate::Code::Conflict`] when there is a partner, [`crate::Code::Unavailable`] when the database is away.
    /// Nothing is in the database then.
    pub fn insert<'a>(&'a self, pool: &'a PgPool) -> LocalBoxFuture<'a, Result<(), Fault>> {
        async move { store::insert(pool, &self.rows).await }.boxed_local()
    }
}

/// Whether a database has no partner yet, so that sample data may go in.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away.
pub fn is_wanted(pool: &PgPool) -> BoxFuture<'_, Result<bool, Fault>> {
    async move { Ok(!store::partner_exists(pool).await?) }.boxed()
}

/// Fills an empty database, and answers what to sign in with.
///
/// # Errors
/// Those of [`Sample::make`] and [`Sample::insert`].
pub async fn fill(pool: &PgPool, services: &Services, now: Time) -> Result<Vec<SignIn>, Fault> {
    let sample = Sample::make(services, now).await?;
    sample.insert(pool).await?;
    Ok(sample.sign_ins)
}
