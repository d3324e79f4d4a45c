//! German texts about a subscription.

use super::super::{Draft, moment, sanitize, sanitize_reason};
use super::greet;
use crate::subscription::{SubscriptionNews, SubscriptionNotice};

pub(super) fn render_email(notice: &SubscriptionNotice, platform: &str) -> Draft {
    let (company, tier) = (sanitize(&notice.company), sanitize(&notice.tier));
    let when = notice.at.map(moment).unwrap_or_default();
    let (subject, what) = match notice.news {
        SubscriptionNews::Changed => (
            format!("Ihr Tarif bei {platform} ist jetzt {tier}"),
            format!(
                "das Abonnement von {company} bei {platform} hat jetzt den Tarif {tier}. Die Funktionen und Grenzen \
                 für Ihr Team und Ihre Programme ändern sich sofort."
            ),
        ),
        SubscriptionNews::WillChange => (
            format!("Ihr Tarif bei {platform} wechselt zu {tier}"),
            format!("das Abonnement von {company} bei {platform} wechselt am {when} zum Tarif {tier}."),
        ),
        SubscriptionNews::WillEnd => (
            format!("Ihr Abonnement bei {platform} ist gekündigt"),
            format!(
                "das Abonnement von {company} bei {platform} ist gekündigt. Bis {when} bleibt es unverändert, dann \
                 fällt es auf den Tarif {tier} zurück. Bis dahin können Sie die Kündigung zurücknehmen."
            ),
        ),
        SubscriptionNews::Resumed => (
            format!("Ihr Abonnement bei {platform} läuft weiter"),
            format!(
                "das Abonnement von {company} bei {platform} läuft mit dem Tarif {tier} weiter: Die geplante \
                 Änderung wurde zurückgenommen."
            ),
        ),
        SubscriptionNews::Ended => (
            format!("Ihr Abonnement bei {platform} ist beendet"),
            format!(
                "das Abonnement von {company} bei {platform} ist auf den Tarif {tier} zurückgefallen. Ihre Daten \
                 bleiben erhalten. Wenn Sie eine Grenze von {tier} überschreiten, müssen Sie erst etwas entfernen, \
                 bevor Sie Neues hinzufügen können."
            ),
        ),
        SubscriptionNews::Extended => (
            format!("Ihr Abrechnungszeitraum bei {platform} wurde verlängert"),
            format!(
                "der laufende Zeitraum des Abonnements von {company} bei {platform} ({tier}) dauert jetzt bis {when}."
            ),
        ),
        SubscriptionNews::RequestRejected => (
            format!("Tarif {tier} bei {platform} nicht genehmigt"),
            format!(
                "Sie haben für {company} bei {platform} den Tarif {tier} beantragt. Unser Team hat den Antrag nicht \
                 genehmigt, daher ändert sich nichts."
            ),
        ),
    };
    let draft = greet(subject, &notice.name).push_paragraph(what);
    match &notice.reason {
        Some(reason) => draft.push_paragraph(format!("Als Grund wurde angegeben: {}", sanitize_reason(reason))),
        None => draft,
    }
}
