//! English: a team, and its support tickets.

use super::{greet, role};
use crate::core::mail::message::{Membership, MembershipChange, Ticket, TicketEvent};
use crate::core::mail::words::{Draft, Places, tame};

pub(super) fn membership(membership: &Membership, platform: &str) -> Draft {
    let (name, company) = (&membership.name, tame(&membership.company));
    match &membership.change {
        MembershipChange::Role { role: code } => greet(format!("Your role at {company} changed"), name).say(format!(
            "your role in the team of {company} at {platform} is now: {}. It is in force already.",
            role(code)
        )),
        MembershipChange::Suspended => greet(format!("{company} suspended your account"), name)
            .say(format!(
                "somebody in the team of {company} suspended your account at {platform}. Your sessions were ended, and \
                 you cannot sign in until your team lets you in again."
            ))
            .say("Your team's administrators can tell you why."),
        MembershipChange::Reinstated => greet(format!("{company} lets you in again"), name).say(format!(
            "your account in the team of {company} at {platform} is active again. You can sign in as before."
        )),
        MembershipChange::Removed => greet(format!("You are no longer in the team of {company}"), name)
            .say(format!(
                "you were taken out of the team of {company} at {platform}. Your sessions were ended and your account \
                 there is gone; this address is free for another one."
            ))
            .say(format!("If you think that this is a mistake, ask an administrator of {company}.")),
        MembershipChange::Left => greet(format!("You have left the team of {company}"), name)
            .say(format!(
                "you left the team of {company} at {platform}. Your sessions were ended and your account there is gone; \
                 this address is free for another one."
            ))
            .say(format!("If it was not you, write to an administrator of {company} at once.")),
    }
}

pub(super) fn ticket(ticket: &Ticket, places: &Places<'_>) -> Draft {
    let (company, subject, platform) = (tame(&ticket.company), tame(&ticket.subject), places.platform);
    let (title, what) = match ticket.event {
        TicketEvent::Received => (
            "received",
            format!(
                "your ticket \"{subject}\" is with the support of {platform}. A mail tells you when there is an answer."
            ),
        ),
        TicketEvent::Answered => (
            "answered",
            format!("the support of {platform} answered your ticket \"{subject}\" and waits for your reply."),
        ),
        TicketEvent::Resolved => (
            "resolved",
            format!(
                "the support of {platform} takes your ticket \"{subject}\" for resolved. If it is not, reply to it and it \
                 is open again; if it is, close it."
            ),
        ),
        TicketEvent::Closed => (
            "closed",
            format!(
                "the support of {platform} closed your ticket \"{subject}\". Open another one for whatever is left."
            ),
        ),
        TicketEvent::Opened => ("new ticket", format!("{company} opened the ticket \"{subject}\".")),
        TicketEvent::Replied => ("new reply", format!("{company} replied to the ticket \"{subject}\".")),
        TicketEvent::Withdrawn => ("closed by the partner", format!("{company} closed the ticket \"{subject}\".")),
        TicketEvent::Assigned => ("assigned to you", format!("the ticket \"{subject}\" of {company} is yours now.")),
    };
    greet(format!("{subject}: {title}"), &ticket.name)
        .say(what)
        .say("It can be read at:")
        .say(format!("    GET {}{}", places.base_url, ticket.path))
}
