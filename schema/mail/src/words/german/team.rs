//! German texts about a team and its support tickets.

use super::{greet, role};
use crate::message::{Membership, MembershipChange, Ticket, TicketEvent};
use crate::words::{Draft, MailLinks, sanitize};

pub(super) fn render_membership(membership: &Membership, platform: &str) -> Draft {
    let (name, company) = (&membership.name, sanitize(&membership.company));
    match &membership.change {
        MembershipChange::Role { role: code } => greet(format!("Ihre Rolle bei {company} ist geändert"), name)
            .push_paragraph(format!(
                "Ihre Rolle im Team von {company} bei {platform} ist jetzt: {}. Sie gilt bereits.",
                role(code)
            )),
        MembershipChange::Suspended => greet(format!("{company} hat Ihr Konto gesperrt"), name)
            .push_paragraph(format!(
                "jemand aus dem Team von {company} hat Ihr Konto bei {platform} gesperrt. Ihre Sitzungen wurden \
                 beendet, und Sie können sich erst wieder anmelden, wenn Ihr Team das Konto entsperrt."
            ))
            .push_paragraph("Die Administratoren Ihres Teams können Ihnen den Grund nennen."),
        MembershipChange::Reinstated => {
            greet(format!("{company} hat Ihr Konto entsperrt"), name).push_paragraph(format!(
                "Ihr Konto im Team von {company} bei {platform} ist wieder aktiv. Sie können sich wie zuvor anmelden."
            ))
        }
        MembershipChange::Removed => greet(format!("Sie gehören nicht mehr zum Team von {company}"), name)
            .push_paragraph(format!(
                "Sie wurden aus dem Team von {company} bei {platform} entfernt. Ihre Sitzungen wurden beendet, und \
                 Ihr Konto dort wurde gelöscht. Sie können diese Adresse für ein anderes Konto verwenden."
            ))
            .push_paragraph(format!(
                "Wenn Sie das für ein Versehen halten, fragen Sie die Administration von {company}."
            )),
        MembershipChange::Left => greet(format!("Sie haben das Team von {company} verlassen"), name)
            .push_paragraph(format!(
                "Sie haben das Team von {company} bei {platform} verlassen. Ihre Sitzungen wurden beendet, und Ihr \
                 Konto dort wurde gelöscht. Sie können diese Adresse für ein anderes Konto verwenden."
            ))
            .push_paragraph(format!(
                "Wenn Sie das nicht waren, schreiben Sie sofort der Administration von {company}."
            )),
    }
}

pub(super) fn render_ticket(ticket: &Ticket, places: &MailLinks<'_>) -> Draft {
    let (company, subject, platform) = (sanitize(&ticket.company), sanitize(&ticket.subject), places.platform);
    let (title, what) = match ticket.event {
        TicketEvent::Received => (
            "eingegangen",
            format!(
                "Ihre Anfrage „{subject}“ ist beim Support von {platform} eingegangen. Wir benachrichtigen Sie per \
                 E-Mail, sobald es eine Antwort gibt."
            ),
        ),
        TicketEvent::Answered => (
            "beantwortet",
            format!(
                "der Support von {platform} hat Ihre Anfrage „{subject}“ beantwortet und wartet auf Ihre Rückmeldung."
            ),
        ),
        TicketEvent::Resolved => (
            "gelöst",
            format!(
                "der Support von {platform} betrachtet Ihre Anfrage „{subject}“ als gelöst. Wenn sie es nicht ist, \
                 antworten Sie darauf, um sie wieder zu öffnen. Andernfalls schließen Sie sie bitte."
            ),
        ),
        TicketEvent::Closed => (
            "geschlossen",
            format!(
                "der Support von {platform} hat Ihre Anfrage „{subject}“ geschlossen. Öffnen Sie eine neue für alles Weitere."
            ),
        ),
        TicketEvent::Opened => ("neue Anfrage", format!("{company} hat die Anfrage „{subject}“ gestellt.")),
        TicketEvent::Replied => ("neue Rückmeldung", format!("{company} hat auf die Anfrage „{subject}“ geantwortet.")),
        TicketEvent::Withdrawn => {
            ("vom Partner geschlossen", format!("{company} hat die Anfrage „{subject}“ geschlossen."))
        }
        TicketEvent::Assigned => {
            ("Ihnen zugewiesen", format!("die Anfrage „{subject}“ von {company} ist jetzt Ihnen zugewiesen."))
        }
    };
    greet(format!("{subject}: {title}"), &ticket.name)
        .push_paragraph(what)
        .push_paragraph("Sie finden sie unter:")
        .push_paragraph(format!("    GET {}{}", places.base_url, ticket.path))
}
