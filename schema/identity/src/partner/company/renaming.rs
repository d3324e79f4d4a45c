//! New name of a company with published listings: pending until staff confirm or reject it.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::imitation;
use labs_core::services::Services;
use labs_core::words::words;
use labs_mail::message::{MailContent, Notice};
use labs_mail::outbox;
use serde_json::json;
use uuid::Uuid;

use super::{NamedBy, find_imitation, rules, store};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};

words! {
    /// Decision of staff about a pending name.
    pub enum NameDecision {
        /// The pending name becomes the name of the company.
        Confirm = "CONFIRM",
        /// The company keeps its name. Requires `reason`.
        Reject = "REJECT",
    }
}

/// Decision about one pending name of a company.
#[derive(serde::Deserialize, InputType)]
pub struct PendingNameDecision {
    /// Whether the name is confirmed or rejected.
    decision: NameDecision,
    /// Pending name that the decision is about, as in `pending_company_name`.
    company_name: String,
}

/// Decision about a pending name, with its actor and reason.
pub struct NameReview<'a> {
    /// Decision of staff.
    pub decided: &'a PendingNameDecision,
    /// Who decided.
    pub actor: Actor,
    /// Whether the name may look like another.
    pub allows_imitation: bool,
    /// Reason of the decision.
    pub reason: Option<&'a str>,
}

/// Decides about the pending name of a partner and notifies its administrators. `None` if the partner does not exist.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another name or none is pending. [`labs_core::Code::ValidationFailed`] if the name
/// now looks like another name, or if a rejection has no reason.
pub async fn decide(
    db: &Db,
    services: &Services,
    partner_uuid: Uuid,
    review: &NameReview<'_>,
) -> Result<Option<()>, Fault> {
    let Some(present) = store::lock(db, partner_uuid).await? else { return Ok(None) };
    let Some(wanted) = present.pending_name.clone() else {
        return Err(Fault::conflict("No name of this partner is pending. Read the partner again."));
    };
    if wanted != review.decided.company_name.trim() {
        return Err(Fault::conflict(
            "Another name of this partner is pending. Read the partner again and decide about it.",
        ));
    }
    let is_confirmed = review.decided.decision == NameDecision::Confirm;
    if !is_confirmed && review.reason.is_none() {
        return Err(Fault::field("/reason", "REQUIRED", "Say why the name is rejected; the partner reads it."));
    }
    let mut after = present.clone();
    after.pending_name = None;
    if is_confirmed {
        let by = NamedBy::Staff { allows_imitation: review.allows_imitation };
        if find_imitation(db, Some(partner_uuid), &wanted, by).await?.is_some() {
            return Err(Fault::invalid(vec![imitation::err_company_name("/pending_name/company_name")]));
        }
        after.company_name.clone_from(&wanted);
    }
    store::update(db, partner_uuid, &after).await?;
    let kind = if is_confirmed { PartnerEventKind::NameConfirmed } else { PartnerEventKind::NameRejected };
    let event = PartnerEvent::new(partner_uuid, kind, review.actor).with_reason(review.reason);
    // The fields without their values, so that erasure leaves no name behind.
    let fields = rules::changed_fields(&present, &after);
    events::insert(db, &event.with_detail(json!({ "fields": fields }))).await?;
    outbox::queue_to_administrators(db, services, partner_uuid, |name| {
        let (company, wanted) = (present.company_name.clone(), wanted.clone());
        let reason = review.reason.filter(|_| !is_confirmed).map(str::to_owned);
        MailContent::Telling(Notice::NameDecided { name, company, wanted, reason })
    })
    .await?;
    Ok(Some(()))
}
