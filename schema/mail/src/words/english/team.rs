//! English texts about a team and its support tickets.

use super::{greet, role};
use crate::message::{Membership, MembershipChange, Ticket, TicketEvent};
use crate::words::{Draft, MailLinks, sanitize};

pub(super) fn render_membership(membership: &Membership, platform: &str) -> Draft {
    let (name, company) = (&membership.name, sanitize(&membership.company));
    match &membership.change {
        MembershipChange::Role { role: code } => {
            greet(format!("Your role at {company} changed"), name).push_paragraph(format!(
                "your role in the team of {company} at {platform} is now: {}. It is already effective.",
                role(code)
            ))
        }
        MembershipChange::Suspended => greet(format!("{company} suspended your account"), name)
            .push_paragraph(format!(
                "a member of the team of {company} suspended your account at {platform}. Your sessions were ended, \
                 and you cannot sign in until your team reinstates you."
            ))
            .push_paragraph("Your team's administrators can explain the reason."),
        MembershipChange::Reinstated => greet(format!("{company} reinstated your account"), name).push_paragraph(
            format!("your account in the team of {company} at {platform} is active again. You can sign in as before."),
        ),
        MembershipChange::Removed => greet(format!("You are not in the team of {company} any more"), name)
            .push_paragraph(format!(
                "you were removed from the team of {company} at {platform}. Your sessions were ended and your \
                 account there was deleted. You can use this address for another account."
            ))
            .push_paragraph(format!("If you think that this is a mistake, ask an administrator of {company}.")),
        MembershipChange::Left => greet(format!("You have left the team of {company}"), name)
            .push_paragraph(format!(
                "you left the team of {company} at {platform}. Your sessions were ended and your account there was \
                 deleted. You can use this address for another account."
            ))
            .push_paragraph(format!("If it was not you, contact an administrator of {company} at once.")),
    }
}

pub(super) fn render_ticket(ticket: &Ticket, places: &MailLinks<'_>) -> Draft {
    let (company, subject, platform) = (sanitize(&ticket.company), sanitize(&ticket.subject), places.platform);
    let (title, what) = match ticket.event {
        TicketEvent::Received => (
            "received",
            format!(
                "the support of {platform} received your support ticket \"{subject}\". We notify you by e-mail when \
                 there is an answer."
            ),
        ),
        TicketEvent::Answered => (
            "answered",
            format!("the support of {platform} answered your support ticket \"{subject}\" and waits for your reply."),
        ),
        TicketEvent::Resolved => (
            "resolved",
            format!(
                "the support of {platform} considers your support ticket \"{subject}\" resolved. If it is not \
                 resolved, reply to reopen it. Otherwise, close it."
            ),
        ),
        TicketEvent::Closed => (
            "closed",
            format!(
                "the support of {platform} closed your support ticket \"{subject}\". Open another one for further \
                 questions."
            ),
        ),
        TicketEvent::Opened => ("new ticket", format!("{company} opened the support ticket \"{subject}\".")),
        TicketEvent::Replied => ("new reply", format!("{company} replied to the support ticket \"{subject}\".")),
        TicketEvent::Withdrawn => {
            ("closed by the partner", format!("{company} closed the support ticket \"{subject}\"."))
        }
        TicketEvent::Assigned => {
            ("assigned to you", format!("the support ticket \"{subject}\" of {company} is now assigned to you."))
        }
    };
    greet(format!("{subject}: {title}"), &ticket.name)
        .push_paragraph(what)
        .push_paragraph("You can read it at:")
        .push_paragraph(format!("    GET {}{}", places.base_url, ticket.path))
}
