//! The history of a partner's account: written by whoever changes it, in the transaction of the change.

use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::words::words;

words! {
    /// What happened to an account. Readers of the history read text: an entry outlives the kinds that are known.
    pub(crate) enum PartnerEventKind {
        /// The account is closed.
        Closed = "CLOSED",
        /// The closing was called off.
        ClosureCancelled = "CLOSURE_CANCELLED",
        /// The account is to be closed.
        ClosureRequested = "CLOSURE_REQUESTED",
        /// What is known of the company changed.
        CompanyUpdated = "COMPANY_UPDATED",
        /// A contact was added.
        ContactAdded = "CONTACT_ADDED",
        /// A contact was changed.
        ContactChanged = "CONTACT_CHANGED",
        /// A contact was removed.
        ContactRemoved = "CONTACT_REMOVED",
        /// Staff made the account.
        Created = "CREATED",
        /// An archive was downloaded.
        DataExportDownloaded = "DATA_EXPORT_DOWNLOADED",
        /// An archive was asked for.
        DataExportRequested = "DATA_EXPORT_REQUESTED",
        /// The account was erased.
        Erased = "ERASED",
        /// A picture of the profile was deleted.
        ImageDeleted = "IMAGE_DELETED",
        /// A picture of the profile was uploaded.
        ImageUploaded = "IMAGE_UPLOADED",
        /// An invitation was mailed again.
        InvitationResent = "INVITATION_RESENT",
        /// An invitation was taken back.
        InvitationRevoked = "INVITATION_REVOKED",
        /// Somebody was invited.
        InvitationSent = "INVITATION_SENT",
        /// Somebody joined the team.
        MemberJoined = "MEMBER_JOINED",
        /// Somebody left the team.
        MemberLeft = "MEMBER_LEFT",
        /// Somebody held back may sign in again.
        MemberReinstated = "MEMBER_REINSTATED",
        /// Somebody was taken out of the team.
        MemberRemoved = "MEMBER_REMOVED",
        /// Somebody of the team has another role.
        MemberRoleChanged = "MEMBER_ROLE_CHANGED",
        /// Somebody of the team is held back.
        MemberSuspended = "MEMBER_SUSPENDED",
        /// Staff confirmed the new name of the company.
        NameConfirmed = "NAME_CONFIRMED",
        /// Staff rejected the new name of the company.
        NameRejected = "NAME_REJECTED",
        /// The profile is public.
        ProfilePublished = "PROFILE_PUBLISHED",
        /// Staff took the profile down.
        ProfileTakenDown = "PROFILE_TAKEN_DOWN",
        /// The profile is public no more.
        ProfileUnpublished = "PROFILE_UNPUBLISHED",
        /// The profile was changed.
        ProfileUpdated = "PROFILE_UPDATED",
        /// The account was registered.
        Registered = "REGISTERED",
        /// Staff let a suspended partner go on.
        Reinstated = "REINSTATED",
        /// Staff opened a closed account again.
        Reopened = "REOPENED",
        /// Staff suspended the partner.
        Suspended = "SUSPENDED",
        /// Staff answered a ticket.
        TicketAnswered = "TICKET_ANSWERED",
        /// A ticket was closed.
        TicketClosed = "TICKET_CLOSED",
        /// A ticket was opened.
        TicketOpened = "TICKET_OPENED",
        /// The team wrote to a ticket.
        TicketReplied = "TICKET_REPLIED",
        /// Staff resolved a ticket.
        TicketResolved = "TICKET_RESOLVED",
        /// Staff do not vouch for the company any more.
        VerificationEnded = "VERIFICATION_ENDED",
        /// Staff have made sure that it is the company it says.
        Verified = "VERIFIED",
    }
}

/// Something that happened to an account, and who did it.
#[derive(Clone, Debug)]
pub(crate) struct PartnerEvent<'a> {
    partner_uuid: Uuid,
    kind: PartnerEventKind,
    actor: Actor,
    subject_uuid: Option<Uuid>,
    reason: Option<&'a str>,
    detail: Value,
}

impl<'a> PartnerEvent<'a> {
    /// Something that somebody did to an account.
    pub(crate) fn new(partner_uuid: Uuid, kind: PartnerEventKind, actor: Actor) -> Self {
        Self { partner_uuid, kind, actor, subject_uuid: None, reason: None, detail: json!({}) }
    }

    /// The same of whoever asks.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] when nobody is known to ask.
    pub(crate) fn by_caller(cx: &RequestContext, partner_uuid: Uuid, kind: PartnerEventKind) -> Result<Self, Fault> {
        Ok(Self::new(partner_uuid, kind, Actor::of(cx.principal()?)))
    }

    /// Uuid of the affected object, if it is not the account itself.
    pub(crate) fn about(self, subject_uuid: impl Into<Option<Uuid>>) -> Self {
        Self { subject_uuid: subject_uuid.into(), ..self }
    }

    /// What staff gave as their reason; the partner reads it.
    pub(crate) fn because(self, reason: Option<&'a str>) -> Self {
        Self { reason, ..self }
    }

    /// What a reader needs besides: an object without personal data, because the history outlives an erasure.
    pub(crate) fn telling(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}

/// Writes down what happened.
pub(crate) async fn insert(db: &Db, event: &PartnerEvent<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_event
             (event_uuid, partner_uuid, kind, actor_kind, actor_uuid, subject_uuid, reason, detail)
         values (labs_uuid(), $1, $2, $3, $4, $5, $6, $7)",
        event.partner_uuid,
        event.kind.name(),
        event.actor.kind,
        event.actor.uuid,
        event.subject_uuid,
        event.reason,
        Json(&event.detail) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
