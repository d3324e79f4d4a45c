//! The parts that outlive requests, made once at start-up and shared.

use std::sync::Arc;

use crate::keep::cursor::CursorSeal;
use crate::keep::password::PasswordHasher;
use crate::keep::refresh::RefreshSeal;
use crate::keep::sealed::MasterKey;
use crate::media::image::ImageWorkshop;
use crate::media::store::MediaStore;
use crate::time::Clock;

/// What resolvers may use beside the database.
pub struct Services {
    /// Seals and authenticates what leaves the service.
    pub key: MasterKey,
    /// Binds page cursors to their list.
    pub cursors: CursorSeal,
    /// Writes and reads refresh tokens.
    pub refresh: RefreshSeal,
    /// Hashes passwords, bounded.
    pub passwords: PasswordHasher,
    /// The files.
    pub media: MediaStore,
    /// Makes pictures of uploads, bounded.
    pub pictures: ImageWorkshop,
    /// What was worked out of the whole shop window.
    pub(crate) showcase: crate::marketplace::showcase::Showcase,
    /// The one clock.
    pub clock: Clock,
    /// The budgets of accounts.
    pub budgets: crate::budget::Budgets,
    /// How often sessions are renewed.
    pub(crate) renewals: crate::auth::sessions::Pace,
    /// What is used of the service, counted.
    pub usage: crate::usage::Usage,
    /// What the operator configured.
    pub settings: Settings,
    /// Signing keys and what is known of principals.
    pub authority: Arc<crate::authority::Authority>,
}

/// What the operator configured, as far as the inside needs it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The public base address without a trailing slash; also the tokens' issuer.
    pub base_url: String,
    /// Who may read tokens (`aud`).
    pub audience: String,
    /// Sender of mails.
    pub mail_from: String,
    /// Requests a second of a staff member, or of a program that belongs to no partner.
    pub own_per_second: u32,
}
