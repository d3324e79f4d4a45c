//! The one context value of a request: who asks, over which connection, at what time.

mod answer;
mod document;
mod revision;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::ContextBase;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use ipnet::{IpNet, Ipv6Net};
use uuid::Uuid;

use crate::core::audit_target::AuditTargetKind;
use crate::core::blocking::fair::WorkOwner;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::{Owner, Principal};
use crate::core::scope::Scope;
use crate::core::services::Services;
use crate::core::time::Time;
use crate::core::type_map::TypeMap;

pub use answer::{Created, Written};
pub use document::{Document, DocumentContent, OpenPart};
pub use revision::NamesRevision;

tokio::task_local! {
    /// Under which name the answer of the root field leaves that is being resolved, where a query may have several.
    pub(crate) static ROOT_KEY: String;
}

/// One loader of each type. Requests that read in one transaction share them, and so each other's statements.
pub(crate) type Loaders = Arc<TypeMap>;

/// What a resolver may know of its request.
pub struct RequestContext {
    /// Who asks.
    pub caller: Arc<Caller>,
    /// Where statements run.
    pub db: Db,
    /// The request's time; one value for all it does.
    pub now: Time,
    /// The parts that outlive requests.
    pub services: Arc<Services>,
    /// The file that came with the request.
    pub attachment: Option<Attachment>,
    expected: revision::ExpectedRevision,
    extras: Mutex<AnswerExtras>,
    /// What a fixed document was answered.
    written: Mutex<Option<Written>>,
    loaders: Loaders,
    /// The operations that stand for the edges which are asked.
    edges: BTreeSet<String>,
}

/// Who asks, and from where.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The verified principal, when a token came.
    pub principal: Option<Arc<Principal>>,
    /// The network address the request came from.
    pub address: IpAddr,
    /// The user agent as sent, shortened.
    pub user_agent: Option<String>,
    /// The request's id.
    pub request_id: String,
    /// By REST or by a query of staff's own.
    pub channel: Channel,
    /// What came instead of a token.
    pub credentials: Credentials,
    /// Whether the answer is wanted as CSV, where it may be had so beside JSON.
    pub takes_csv: bool,
}

/// Bits of an IPv6 address that name a network: whoever has one has all the rest.
const IPV6_PREFIX: u8 = 64;

/// The network of an address: itself, or its /64.
pub(crate) fn network_of(address: IpAddr) -> IpNet {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Net::new(address, IPV6_PREFIX).map_or(IpAddr::V6(address).into(), |net| net.trunc().into())
        }
        address => address.into(),
    }
}

impl Caller {
    /// The network that the request came from: budgets of strangers belong to it.
    pub(crate) fn network(&self) -> IpNet {
        network_of(self.address)
    }
}

/// How a request came: by REST, or by a query of staff's own (column `audit_log.channel`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The public interface.
    Rest,
    /// A staff member's own query.
    Playground,
}

impl Channel {
    /// The column's value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rest => "REST",
            Self::Playground => "PLAYGROUND",
        }
    }
}

/// What came instead of a token. Never printed.
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

/// A file that came with the request.
#[derive(Clone)]
pub struct Attachment {
    /// Its bytes.
    pub bytes: Bytes,
}

/// What leaves beside the answer's JSON.
#[derive(Default)]
pub struct AnswerExtras {
    /// The refresh cookie to set or to clear.
    pub cookie: Option<RefreshCookie>,
    /// Bytes that are the answer.
    pub download: Option<Download>,
    /// The same where they are known by a tag, so that a part of them can be asked for.
    pub document: Option<Document>,
    /// The locales of the texts that were chosen for the caller, each once.
    pub languages: Vec<String>,
    /// What the audit record should say.
    pub noted: AuditNotes,
    /// The same for each root field of a staff member's own query, by the name that its answer leaves under.
    pub noted_at: HashMap<String, AuditNotes>,
    /// What edges led to, by the operations that read the same.
    pub followed: Followed,
}

/// By operation: the argument that names what was read, and which.
pub type Followed = BTreeMap<&'static str, (&'static str, BTreeSet<Uuid>)>;

/// What a resolver says for its audit record.
#[derive(Clone, Debug, Default)]
pub struct AuditNotes {
    /// The thing concerned, where the arguments do not say it.
    pub target: Option<Target>,
    /// The reason given.
    pub reason: Option<String>,
}

/// The refresh cookie's new content.
#[derive(Clone)]
pub enum RefreshCookie {
    /// Set to this token for so many seconds.
    Set {
        /// The token.
        token: String,
        /// Seconds until it is void.
        max_age: i64,
    },
    /// Cleared.
    Clear,
}

/// Bytes that are the answer: a file, or rows as they come.
pub struct Download {
    /// Media type.
    pub media_type: String,
    /// Length in bytes, when known.
    pub length: Option<u64>,
    /// Strong validator without quotes, when the bytes never change and the caller may keep them.
    pub etag: Option<String>,
    /// SHA-256 of the bytes, where they are worth comparing and nobody is to keep them.
    pub sha256: Option<Vec<u8>>,
    /// File name to save under.
    pub file_name: String,
    /// Where the audit chain ended when the bytes were begun, where they are of it.
    pub chain_head: Option<ChainHead>,
    /// The bytes.
    pub stream: BoxStream<'static, std::io::Result<Bytes>>,
}

/// The end of the audit chain: a place and the hash that covers everything up to it.
pub struct ChainHead {
    /// The last place, counted from 1.
    pub position: i64,
    /// Its hash, hexadecimal.
    pub hash: String,
}

/// The thing that an audit record is about.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Its kind.
    pub kind: Option<AuditTargetKind>,
    /// UUID of the object.
    pub uuid: Option<Uuid>,
    /// Its name.
    pub label: Option<String>,
    /// The partner concerned.
    pub partner_uuid: Option<Uuid>,
}

impl RequestContext {
    /// A fresh context.
    pub(crate) fn new(
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
            written: Mutex::default(),
            loaders: Loaders::default(),
            edges: BTreeSet::new(),
        }
    }

    /// The same where edges may be followed that stand for these operations, each of which was guarded.
    pub(crate) fn with_edges(self, edges: BTreeSet<String>) -> Self {
        Self { edges, ..self }
    }

    /// The same with loaders of several requests over the same transaction. What a loader answers never depends on who asks.
    pub(crate) fn sharing(self, loaders: &Loaders) -> Self {
        Self { loaders: Arc::clone(loaders), ..self }
    }

    /// The verified caller.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] when there is none.
    pub fn principal(&self) -> Result<&Principal, Fault> {
        self.caller.principal.as_deref().ok_or_else(Fault::without_token)
    }

    /// Whether the caller reaches what needs this scope. For what an answer offers; what is done is guarded by `@access`.
    pub(crate) fn may(&self, scope: &str) -> bool {
        let reaches = |principal: &Principal| Scope::parse(scope).is_some_and(|scope| principal.scopes.reaches(scope));
        self.caller.principal.as_deref().is_some_and(reaches)
    }

    /// The partner whose things may be touched.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] without a token, [`crate::Code::NotFound`] with one that is bound to no partner.
    pub fn owner(&self) -> Result<Owner, Fault> {
        self.principal()?.owner()
    }

    /// Whose turn it is to be, where callers take turns.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] without a token.
    pub(crate) fn party(&self) -> Result<WorkOwner, Fault> {
        let account = self.principal()?.budget.account.clone();
        Ok(WorkOwner { network: self.caller.network().addr(), account })
    }

    /// The file that came with the request.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] when none came.
    pub fn attachment(&self) -> Result<&Attachment, Fault> {
        self.attachment
            .as_ref()
            .ok_or_else(|| Fault::field("/file", "REQUIRED", "Send the file as the multipart field `file`."))
    }

    /// A fresh identifier (UUID version 7).
    #[must_use]
    pub fn new_uuid(&self) -> Uuid {
        crate::core::crypto::uuid_at(self.now.0)
    }

    /// Says what the audit record is about, where the variables do not.
    pub fn note_target(&self, target: Target) {
        self.with_noted(|noted| noted.target = Some(target));
    }

    /// Says which reason was given.
    pub fn note_reason(&self, reason: impl Into<String>) {
        let reason = reason.into();
        self.with_noted(|noted| noted.reason = Some(reason));
    }

    /// Sets or clears the refresh cookie.
    pub fn set_cookie(&self, cookie: RefreshCookie) {
        self.with_extras(|extras| extras.cookie = Some(cookie));
    }

    /// Makes these bytes the answer.
    pub fn deliver(&self, download: Download) {
        self.with_extras(|extras| extras.download = Some(download));
    }

    /// Makes this document the answer.
    pub fn deliver_document(&self, document: Document) {
        self.with_extras(|extras| extras.document = Some(document));
    }

    /// Says in which locale the answer's texts are that were chosen for the caller.
    pub(crate) fn note_language(&self, locale: &str) {
        self.note_languages(std::iter::once(locale));
    }

    /// The same, of texts in several. Each is said once, in the order in which they come.
    pub(crate) fn note_languages<L: AsRef<str>>(&self, locales: impl IntoIterator<Item = L>) {
        self.with_extras(|extras| {
            for locale in locales {
                let locale = locale.as_ref();
                if !extras.languages.iter().any(|known| known == locale) {
                    extras.languages.push(locale.to_owned());
                }
            }
        });
    }

    /// Follows an edge, which is noted for the record of the operation that reads the same; whether that operation was
    /// asked and guarded. Nobody else follows one.
    pub(crate) fn follow(&self, operation: &'static str, argument: &'static str, uuid: Uuid) -> bool {
        let may = self.edges.contains(operation);
        if may {
            self.with_extras(|extras| {
                extras.followed.entry(operation).or_insert((argument, BTreeSet::new())).1.insert(uuid);
            });
        }
        may
    }

    /// What leaves beside the JSON.
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

    /// The request's one loader of this type, made at first use. What it answers must not depend on who asks.
    pub fn loader<L: Any + Send + Sync>(&self, make: impl Fn(Db) -> L) -> Arc<L> {
        self.loaders.get_or_make(|| make(self.db.clone()))
    }
}

/// Reaches the [`RequestContext`] from a resolver.
pub trait RequestContextExt {
    /// The request's context.
    fn cx(&self) -> &RequestContext;
}

impl<T> RequestContextExt for ContextBase<'_, T> {
    fn cx(&self) -> &RequestContext {
        self.data_unchecked::<Arc<RequestContext>>()
    }
}
