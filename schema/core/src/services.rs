//! Services that outlive requests, created once at startup and shared.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use labs_crypto::cursor::CursorSeal;
use labs_crypto::password::PasswordHasher;
use labs_crypto::refresh::RefreshSeal;
use labs_crypto::sealed::MasterKey;
use labs_media::image::ImageWorkshop;
use labs_media::store::MediaStore;

use crate::audit_chain::transparency::CheckpointSigner;
use crate::day::Day;
use crate::deprecation::Deprecations;
use crate::surface::ServedContract;
use crate::time::Clock;
use crate::type_map::TypeMap;

/// Services for resolvers, in addition to the database.
pub struct Services {
    /// Seals and authenticates data that leaves the service.
    pub key: MasterKey,
    /// Binds page cursors to their list.
    pub cursors: CursorSeal,
    /// Writes and reads refresh tokens.
    pub refresh: RefreshSeal,
    /// Hashes passwords in a bounded pool.
    pub passwords: PasswordHasher,
    /// Object storage of files.
    pub media: MediaStore,
    /// Processes uploaded images in a bounded pool.
    pub pictures: ImageWorkshop,
    /// Clock of the service.
    pub clock: Clock,
    /// Daily budgets of the accounts.
    pub budgets: crate::budget::Budgets,
    /// Connections that receive notifications of changes.
    pub listeners: sqlx::PgPool,
    /// Read replicas of the database, if configured.
    pub read_replicas: Option<Arc<crate::read_replicas::ReadReplicas>>,
    /// Usage counts.
    pub usage: crate::usage::Usage,
    /// Deprecations of the contract, and the changelog entries per operation.
    pub deprecations: Arc<Deprecations>,
    /// Settings of the operator.
    pub settings: Settings,
    /// Signing keys and cached principals.
    pub authority: Arc<crate::authority::Authority>,
    /// Issuers whose identities machine clients may trust.
    pub issuers: crate::identity_issuers::IdentityIssuers,
    /// State that groups keep between requests.
    pub of_groups: TypeMap,
}

impl Services {
    /// Returns a group's state, identified by its type and created on first use.
    pub fn state<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.of_groups.get_or_make(T::default)
    }
}

/// Settings of the operator that the core needs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The public base URL without a trailing slash; also the issuer of tokens.
    pub base_url: String,
    /// Base URL of public images, without a trailing slash.
    pub pictures_url: String,
    /// Audience of tokens (`aud`).
    pub audience: String,
    /// Sender of mail messages.
    pub mail_from: String,
    /// Requests per second of a staff member, or of a machine client without a partner.
    pub own_per_second: u32,
    /// Ids of all operations in the contract, for texts that link to them.
    pub operations: Arc<BTreeSet<String>>,
    /// The served contract.
    pub contract: ServedContract,
    /// Source of statistics; without one, statistics are neither imported nor shown.
    pub statistics: Option<StatisticsSettings>,
    /// Issuers whose identities machine clients may trust, exactly as in `iss`.
    pub trusted_issuers: Vec<String>,
    /// Retention periods.
    pub retention: Retention,
    /// Name and keys of the audit log's transparency log; without them, no checkpoints are signed or served.
    pub checkpoints: Option<CheckpointSigner>,
}

/// Retention periods in days; `None` means unlimited. A partition is removed only when its whole period has expired.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// The audit log; older records are archived in the object storage.
    pub audit: Option<u16>,
    /// Security events.
    pub security_events: Option<u16>,
    /// Mail messages.
    pub mails: Option<u16>,
    /// Request counts.
    pub request_usage: Option<u16>,
}

impl Retention {
    /// Nothing is ever removed.
    pub const NONE: Self = Self { audit: None, security_events: None, mails: None, request_usage: None };
}

/// Source of statistics.
#[derive(Clone, Debug)]
pub struct StatisticsSettings {
    /// Host of the platform's API.
    pub host: String,
    /// The first day to import; by default, 92 days before the first import.
    pub first_day: Option<Day>,
}
