//! The history of a partner's account. The code that changes an account writes the entry in the same transaction.

mod store;

use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::words::words;
use serde_json::{Value, json};
use uuid::Uuid;

pub use store::insert;

words! {
    /// Kind of account event. The history returns kinds as text, because an entry may outlive the kinds of this
    /// version.
    pub enum PartnerEventKind {
        /// The account was closed.
        Closed = "CLOSED",
        /// The closure was cancelled.
        ClosureCancelled = "CLOSURE_CANCELLED",
        /// The closure was requested.
        ClosureRequested = "CLOSURE_REQUESTED",
        /// The company data was changed.
        CompanyUpdated = "COMPANY_UPDATED",
        /// A contact was added.
        ContactAdded = "CONTACT_ADDED",
        /// A contact was changed.
        ContactChanged = "CONTACT_CHANGED",
        /// A contact was removed.
        ContactRemoved = "CONTACT_REMOVED",
        /// Staff created the account.
        Created = "CREATED",
        /// A data export was downloaded.
        DataExportDownloaded = "DATA_EXPORT_DOWNLOADED",
        /// A data export was requested.
        DataExportRequested = "DATA_EXPORT_REQUESTED",
        /// The account was erased.
        Erased = "ERASED",
        /// An image of the profile was deleted.
        ImageDeleted = "IMAGE_DELETED",
        /// An image of the profile was uploaded.
        ImageUploaded = "IMAGE_UPLOADED",
        /// An invitation was mailed again.
        InvitationResent = "INVITATION_RESENT",
        /// An invitation was revoked.
        InvitationRevoked = "INVITATION_REVOKED",
        /// A user was invited.
        InvitationSent = "INVITATION_SENT",
        /// A user joined the team.
        MemberJoined = "MEMBER_JOINED",
        /// A user left the team.
        MemberLeft = "MEMBER_LEFT",
        /// A suspended member was reinstated.
        MemberReinstated = "MEMBER_REINSTATED",
        /// A member was removed from the team.
        MemberRemoved = "MEMBER_REMOVED",
        /// The role of a member was changed.
        MemberRoleChanged = "MEMBER_ROLE_CHANGED",
        /// A member was suspended.
        MemberSuspended = "MEMBER_SUSPENDED",
        /// Staff confirmed the new name of the company.
        NameConfirmed = "NAME_CONFIRMED",
        /// Staff rejected the new name of the company.
        NameRejected = "NAME_REJECTED",
        /// The profile was published.
        ProfilePublished = "PROFILE_PUBLISHED",
        /// Staff took the profile down.
        ProfileTakenDown = "PROFILE_TAKEN_DOWN",
        /// The profile was unpublished.
        ProfileUnpublished = "PROFILE_UNPUBLISHED",
        /// The profile was changed.
        ProfileUpdated = "PROFILE_UPDATED",
        /// The account was registered.
        Registered = "REGISTERED",
        /// Staff reinstated the suspended partner.
        Reinstated = "REINSTATED",
        /// Staff reopened the closed account.
        Reopened = "REOPENED",
        /// Staff suspended the partner.
        Suspended = "SUSPENDED",
        /// Staff answered a support ticket.
        TicketAnswered = "TICKET_ANSWERED",
        /// A support ticket was closed.
        TicketClosed = "TICKET_CLOSED",
        /// A support ticket was opened.
        TicketOpened = "TICKET_OPENED",
        /// The team replied to a support ticket.
        TicketReplied = "TICKET_REPLIED",
        /// Staff resolved a support ticket.
        TicketResolved = "TICKET_RESOLVED",
        /// Staff withdrew the verification of the company.
        VerificationEnded = "VERIFICATION_ENDED",
        /// Staff verified the identity of the company.
        Verified = "VERIFIED",
    }
}

/// An event of an account, with its actor.
#[derive(Clone, Debug)]
pub struct PartnerEvent<'a> {
    partner_uuid: Uuid,
    kind: PartnerEventKind,
    actor: Actor,
    subject_uuid: Option<Uuid>,
    reason: Option<&'a str>,
    detail: Value,
}

impl<'a> PartnerEvent<'a> {
    /// Creates an event of an account.
    pub fn new(partner_uuid: Uuid, kind: PartnerEventKind, actor: Actor) -> Self {
        Self { partner_uuid, kind, actor, subject_uuid: None, reason: None, detail: json!({}) }
    }

    /// Creates an event with the caller as its actor.
    ///
    /// # Errors
    /// [`labs_core::Code::Unauthenticated`] for an anonymous caller.
    pub fn by_caller(cx: &RequestContext, partner_uuid: Uuid, kind: PartnerEventKind) -> Result<Self, Fault> {
        Ok(Self::new(partner_uuid, kind, Actor::of(cx.principal()?)))
    }

    /// Sets the UUID of the affected object, if it is not the account itself.
    pub fn with_subject(self, subject_uuid: impl Into<Option<Uuid>>) -> Self {
        Self { subject_uuid: subject_uuid.into(), ..self }
    }

    /// Sets the reason of staff, which the partner can read.
    pub fn with_reason(self, reason: Option<&'a str>) -> Self {
        Self { reason, ..self }
    }

    /// Sets further data for the reader: an object without personal data, because the history is kept after an erasure.
    pub fn with_detail(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}
