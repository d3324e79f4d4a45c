//! Request context: the caller, the database handle and the time of one request.

mod answer;
mod document;
mod revision;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use ipnet::{IpNet, Ipv6Net};
use labs_blocking::fair::WorkOwner;
use uuid::Uuid;

use crate::audit_target::AuditTargetKind;
use crate::db::Db;
use crate::fault::Fault;
use crate::principal::{Owner, Principal};
use crate::scope::Scope;
use crate::services::Services;
use crate::time::Time;
use crate::type_map::TypeMap;
pub use answer::{CreatedId, WrittenAnswer};
pub use document::{Document, DocumentContent, OpenPart};
pub use revision::NamesRevision;

tokio::task_local! {
    /// Response name of the root field that is being resolved; a query can have several root fields.
    pub(crate) static ROOT_KEY: String;
}

/// One loader per type. Requests that read in the same transaction share the loaders and therefore their statements.
pub(crate) type Loaders = Arc<TypeMap>;

/// Context of one request, as resolvers see it.
pub struct RequestContext {
    /// The caller.
    pub caller: Arc<Caller>,
    /// Database handle for all statements.
    pub db: Db,
    /// Time of the request; one value for everything it does.
    pub now: Time,
    /// Services that outlive requests.
    pub services: Arc<Services>,
    /// File in the request.
    pub attachment: Option<Attachment>,
    expected: revision::ExpectedRevision,
    extras: Mutex<AnswerExtras>,
    loaders: Loaders,
    /// Operations of the edges that the query may follow.
    edges: BTreeSet<String>,
}

/// Caller of a request: principal and origin.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The verified principal, if the request has a token.
    pub principal: Option<Arc<Principal>>,
    /// Network address of the request.
    pub address: IpAddr,
    /// User agent as sent, truncated.
    pub user_agent: Option<String>,
    /// Id of the request.
    pub request_id: String,
    /// Channel of the request: REST or a staff member's own query.
    pub channel: Channel,
    /// Credentials sent instead of a token.
    pub credentials: Credentials,
    /// Whether the caller wants the answer as CSV, if the operation offers it in addition to JSON.
    pub takes_csv: bool,
}

/// Bits of an IPv6 address that identify its network. The holder of one address usually has the whole prefix.
const IPV6_PREFIX: u8 = 64;

/// Returns the network of an address: the address itself, or its /64.
pub fn network_of(address: IpAddr) -> IpNet {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Net::new(address, IPV6_PREFIX).map_or(IpAddr::V6(address).into(), |net| net.trunc().into())
        }
        address => address.into(),
    }
}

impl Caller {
    /// Returns the network of the request. Budgets of anonymous clients belong to it.
    pub fn network(&self) -> IpNet {
        network_of(self.address)
    }
}

/// Channel of a request: REST or a staff member's own query (column `audit_log.channel`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The public REST API.
    Rest,
    /// A staff member's own query.
    Playground,
}

impl Channel {
    /// Returns the value of the column.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rest => "REST",
            Self::Playground => "PLAYGROUND",
        }
    }
}

/// Credentials sent instead of a token. Never printed.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The refresh cookie.
    pub refresh: Option<String>,
    /// Client id and secret.
    pub client: Option<(String, String)>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Credentials(withheld)")
    }
}

/// File in a request.
#[derive(Clone)]
pub struct Attachment {
    /// Bytes of the file.
    pub bytes: Bytes,
}

/// Parts of the answer in addition to its JSON.
#[derive(Default)]
pub struct AnswerExtras {
    /// The refresh cookie to set or to clear.
    pub cookie: Option<RefreshCookie>,
    /// Bytes to send as the answer.
    pub download: Option<Download>,
    /// Document to send as the answer. It has an entity tag, so that clients can request a part of it.
    pub document: Option<Document>,
    /// Locales of the texts that were chosen for the caller, without duplicates.
    pub languages: Vec<String>,
    /// Notes for the audit record.
    pub noted: AuditNotes,
    /// Notes for the audit record of each root field of a staff member's own query, by response name.
    pub noted_at: HashMap<String, AuditNotes>,
    /// Objects that edges read, by the operations that read the same objects.
    pub followed: FollowedEdges,
}

/// By operation: the argument that identifies the objects, and their UUIDs.
pub type FollowedEdges = BTreeMap<&'static str, (&'static str, BTreeSet<Uuid>)>;

/// Notes of a resolver for its audit record.
#[derive(Clone, Debug, Default)]
pub struct AuditNotes {
    /// Target, if the arguments do not identify it.
    pub target: Option<Target>,
    /// Reason that the caller gave.
    pub reason: Option<String>,
    /// UUID of the object that a staff member's own query created.
    pub created: Option<Uuid>,
}

/// New content of the refresh cookie.
#[derive(Clone)]
pub enum RefreshCookie {
    /// Set to this token for this many seconds.
    Set {
        /// The token.
        token: String,
        /// Seconds until the cookie expires.
        max_age: i64,
    },
    /// Cleared.
    Clear,
}

/// Bytes to send as the answer: a file, or rows as they arrive.
pub struct Download {
    /// Media type.
    pub media_type: String,
    /// Length in bytes, when known.
    pub length: Option<u64>,
    /// Strong validator without quotes, if the bytes never change and the caller may cache them.
    pub etag: Option<String>,
    /// SHA-256 of the bytes, if clients should compare it and no cache may keep the bytes.
    pub sha256: Option<Vec<u8>>,
    /// File name for saving.
    pub file_name: String,
    /// End of the audit chain when the stream began, if the bytes contain audit records.
    pub chain_head: Option<ChainHead>,
    /// The bytes.
    pub stream: BoxStream<'static, std::io::Result<Bytes>>,
}

/// End of the audit chain: a position and the hash that covers everything up to it.
pub struct ChainHead {
    /// The last position, counted from 1.
    pub position: i64,
    /// Its hash, hexadecimal.
    pub hash: String,
}

/// Target of an audit record.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Kind of the object.
    pub kind: Option<AuditTargetKind>,
    /// UUID of the object.
    pub uuid: Option<Uuid>,
    /// Name of the object.
    pub label: Option<String>,
    /// The partner concerned.
    pub partner_uuid: Option<Uuid>,
}

impl RequestContext {
    /// Creates the context of a request.
    pub fn new(
        caller: Arc<Caller>,
        db: Db,
        now: Time,
        services: Arc<Services>,
        attachment: Option<Attachment>,
    ) -> Self {
        Self {
            caller,
            db,
            now,
            services,
            attachment,
            expected: revision::ExpectedRevision::default(),
            extras: Mutex::default(),
            loaders: Loaders::default(),
            edges: BTreeSet::new(),
        }
    }

    /// Allows the query to follow the edges of these operations; each operation was guarded.
    pub(crate) fn with_edges(self, edges: BTreeSet<String>) -> Self {
        Self { edges, ..self }
    }

    /// Shares the loaders of other requests in the same transaction. The result of a loader never depends on the
    /// caller.
    pub(crate) fn with_shared_loaders(self, loaders: &Loaders) -> Self {
        Self { loaders: Arc::clone(loaders), ..self }
    }

    /// Returns the verified principal.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] if the request has none.
    pub fn principal(&self) -> Result<&Principal, Fault> {
        self.caller.principal.as_deref().ok_or_else(Fault::without_token)
    }

    /// Whether the caller has this scope. Only for the content of answers; actions are guarded by `@access`.
    pub fn may(&self, scope: &str) -> bool {
        let reaches = |principal: &Principal| Scope::parse(scope).is_some_and(|scope| principal.scopes.reaches(scope));
        self.caller.principal.as_deref().is_some_and(reaches)
    }

    /// Returns the partner whose objects the caller may access.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] without a token, [`crate::Code::NotFound`] if the principal has no partner.
    pub fn owner(&self) -> Result<Owner, Fault> {
        self.principal()?.owner()
    }

    /// Returns the owner of the request's CPU-bound work, for pools in which callers take turns.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] without a token.
    pub fn party(&self) -> Result<WorkOwner, Fault> {
        let account = self.principal()?.budget.account.clone();
        Ok(WorkOwner { network: self.caller.network().addr(), account })
    }

    /// Returns the file in the request.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] if the request has none.
    pub fn attachment(&self) -> Result<&Attachment, Fault> {
        self.attachment
            .as_ref()
            .ok_or_else(|| Fault::field("/file", "REQUIRED", "Send the file as the multipart field `file`."))
    }

    /// Creates an identifier (UUID version 7).
    #[must_use]
    pub fn new_uuid(&self) -> Uuid {
        labs_crypto::uuid_at(self.now.0)
    }

    /// Sets the target of the audit record, if the variables do not identify it.
    pub fn note_target(&self, target: Target) {
        self.with_noted(|noted| noted.target = Some(target));
    }

    /// Sets the reason in the audit record.
    pub fn note_reason(&self, reason: impl Into<String>) {
        let reason = reason.into();
        self.with_noted(|noted| noted.reason = Some(reason));
    }

    /// Sets the created object in the audit record of a staff member's own query.
    pub(crate) fn note_created(&self, id: &CreatedId) {
        if let CreatedId::Uuid(uuid) = id {
            self.with_noted(|noted| noted.created = Some(*uuid));
        }
    }

    /// Sets or clears the refresh cookie.
    pub fn set_cookie(&self, cookie: RefreshCookie) {
        self.with_extras(|extras| extras.cookie = Some(cookie));
    }

    /// Sends these bytes as the answer.
    pub fn deliver(&self, download: Download) {
        self.with_extras(|extras| extras.download = Some(download));
    }

    /// Sends this document as the answer.
    pub fn deliver_document(&self, document: Document) {
        self.with_extras(|extras| extras.document = Some(document));
    }

    /// Records the locale of texts that were chosen for the caller.
    pub fn note_language(&self, locale: &str) {
        self.note_languages(std::iter::once(locale));
    }

    /// Records the locales of texts that were chosen for the caller. Each is listed once, in order of first use.
    pub fn note_languages<L: AsRef<str>>(&self, locales: impl IntoIterator<Item = L>) {
        self.with_extras(|extras| {
            for locale in locales {
                let locale = locale.as_ref();
                if !extras.languages.iter().any(|known| known == locale) {
                    extras.languages.push(locale.to_owned());
                }
            }
        });
    }

    /// Returns whether the query may follow an edge, which requires that its operation was requested and guarded. If
    /// so, the object is noted for that operation's audit record. Only a staff member's own query follows edges.
    pub fn follow(&self, operation: &'static str, argument: &'static str, uuid: Uuid) -> bool {
        let may = self.edges.contains(operation);
        if may {
            self.with_extras(|extras| {
                extras.followed.entry(operation).or_insert((argument, BTreeSet::new())).1.insert(uuid);
            });
        }
        may
    }

    /// Takes the parts of the answer in addition to its JSON.
    pub(crate) fn take_extras(&self) -> AnswerExtras {
        std::mem::take(&mut *self.extras.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_noted(&self, change: impl FnOnce(&mut AuditNotes)) {
        let key = ROOT_KEY.try_with(Clone::clone).ok();
        self.with_extras(|extras| match key {
            Some(key) => change(extras.noted_at.entry(key).or_default()),
            None => change(&mut extras.noted),
        });
    }

    fn with_extras(&self, change: impl FnOnce(&mut AnswerExtras)) {
        change(&mut self.extras.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the request's loader of this type and creates it on first use. Its result must not depend on the caller.
    pub fn loader<L: Any + Send + Sync>(&self, make: impl Fn(Db) -> L) -> Arc<L> {
        self.loaders.get_or_make(|| make(self.db.clone()))
    }
}
