//! The parts that outlive requests, made once at start-up and shared.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::core::crypto::cursor::CursorSeal;
use crate::core::crypto::password::PasswordHasher;
use crate::core::crypto::refresh::RefreshSeal;
use crate::core::crypto::sealed::MasterKey;
use crate::core::day::Day;
use crate::core::deprecation::Deprecations;
use crate::core::media::image::ImageWorkshop;
use crate::core::media::store::MediaStore;
use crate::core::surface::ServedContract;
use crate::core::time::Clock;
use crate::core::type_map::TypeMap;

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
    /// The one clock.
    pub clock: Clock,
    /// The budgets of accounts.
    pub budgets: crate::core::budget::Budgets,
    /// The connections that are told of changes.
    pub(crate) listeners: sqlx::PgPool,
    /// The read replicas of the database, where there are any.
    pub read_replicas: Option<Arc<crate::core::read_replicas::ReadReplicas>>,
    /// What is used of the service, counted.
    pub usage: crate::core::usage::Usage,
    /// What of the contract is deprecated, and which entries of the changelog tell of which operations.
    pub deprecations: Arc<Deprecations>,
    /// What the operator configured.
    pub settings: Settings,
    /// Signing keys and what is known of principals.
    pub authority: Arc<crate::core::authority::Authority>,
    /// What groups keep between requests.
    pub(crate) of_groups: TypeMap,
}

impl Services {
    /// What a group keeps between requests under a type of its own, made when it is first asked for.
    pub(crate) fn state<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.of_groups.get_or_make(T::default)
    }
}

/// What the operator configured, as far as the inside needs it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The public base address without a trailing slash; also the tokens' issuer.
    pub base_url: String,
    /// Where pictures of what is on show are fetched, without a trailing slash.
    pub pictures_url: String,
    /// Who may read tokens (`aud`).
    pub audience: String,
    /// Sender of mails.
    pub mail_from: String,
    /// Requests a second of a staff member, or of a program that belongs to no partner.
    pub own_per_second: u32,
    /// The ids of all operations that the contract promises, for texts that link to them.
    pub operations: Arc<BTreeSet<String>>,
    /// The contract that is served.
    pub contract: ServedContract,
    /// Where statistics come from; none where nothing is imported and nothing shown.
    pub statistics: Option<StatisticsSettings>,
    /// How long ledgers are kept.
    pub retention: Retention,
}

/// How many days ledgers are kept; none: for good. What lies in a partition that is not over yet stays with it.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// The audit log, of which the rest is archived in the store of files.
    pub audit: Option<u16>,
    /// Security events.
    pub security_events: Option<u16>,
    /// Mails.
    pub mails: Option<u16>,
    /// What was counted of requests.
    pub request_usage: Option<u16>,
}

impl Retention {
    /// Nothing is ever taken away.
    pub const NONE: Self = Self { audit: None, security_events: None, mails: None, request_usage: None };
}

/// Where statistics come from.
#[derive(Clone, Debug)]
pub struct StatisticsSettings {
    /// The host of the platform's API.
    pub host: String,
    /// The first day to import; 92 days before the first import where none is named.
    pub first_day: Option<Day>,
}
