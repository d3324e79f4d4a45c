//! German texts about a partner's apps and listings.

use super::greet;
use crate::message::{Decision, ListingEvent, ListingNotice, VersionReview, VersionReviewEvent};
use crate::words::{Draft, MailLinks, sanitize, sanitize_reason};

pub(super) fn render_decision(name: &str, app: &str, version: &str, decision: Decision) -> Draft {
    let (subject, what) = match decision {
        Decision::Approved => (
            "freigegeben",
            "ist freigegeben. Sie ist noch nicht öffentlich. Veröffentlichen Sie sie, wann Sie möchten; der \
             Marktplatz zeigt dann den geprüften Stand.",
        ),
        Decision::ChangesRequested => (
            "Änderungen nötig",
            "braucht Änderungen, bevor sie freigegeben werden kann. Die Befunde der Einreichung nennen sie; beheben \
             Sie sie und reichen Sie erneut ein.",
        ),
        Decision::Rejected => (
            "abgelehnt",
            "ist abgelehnt. Die Befunde der Einreichung nennen die Gründe. Sie können einmal Einspruch erheben: \
             Reichen Sie sie mit einem Einspruch erneut ein.",
        ),
        Decision::AppealUpheld => (
            "Einspruch stattgegeben",
            "ist freigegeben: Eine andere Person hat Ihrem Einspruch stattgegeben, und die Befunde sind \
             zurückgenommen. Sie ist noch nicht öffentlich; veröffentlichen Sie sie, wann Sie möchten.",
        ),
        Decision::AppealDenied => (
            "Einspruch abgelehnt",
            "bleibt abgelehnt: Eine andere Person hat Ihren Einspruch geprüft und die Befunde bestätigt. Für diese \
             Version ist das endgültig. Beginnen Sie eine neue, sobald die Befunde behoben sind.",
        ),
    };
    greet(format!("{app} {version}: {subject}"), name).push_paragraph(format!("Version {version} von {app} {what}"))
}

pub(super) fn render_version_review(review: &VersionReview, places: &MailLinks<'_>) -> Draft {
    let (app, version) = (sanitize(&review.app), sanitize(&review.version));
    let (title, what) = match review.event {
        VersionReviewEvent::Written => {
            ("Nachricht des Prüfteams", format!("das Prüfteam von {app} {version} hat Ihnen geschrieben."))
        }
        VersionReviewEvent::Asked => (
            "Frage des Prüfteams",
            format!(
                "das Prüfteam von {app} {version} hat eine Frage und wartet auf Ihre Antwort. Bis dahin ruht die \
                 Prüfung; der Platz in der Warteschlange bleibt erhalten."
            ),
        ),
        VersionReviewEvent::Answered => {
            ("Nachricht des Partners", format!("der Partner hat zu {app} {version} geschrieben, die Sie prüfen."))
        }
        VersionReviewEvent::Reminded => (
            "das Prüfteam wartet auf Sie",
            format!(
                "{app} {version} wartet auf Ihre Antwort oder auf die Änderungen, um die gebeten wurde. Nach 90 \
                 Tagen ohne Antwort wird die Version zurückgezogen."
            ),
        ),
        VersionReviewEvent::Lapsed => (
            "zurückgezogen",
            format!(
                "{app} {version} hat 90 Tage auf Sie gewartet und ist nun zurückgezogen. Das ist keine Entscheidung \
                 über die App; Sie können jederzeit eine neue Version beginnen."
            ),
        ),
    };
    greet(format!("{app} {version}: {title}"), &review.name)
        .push_paragraph(what)
        .push_paragraph("Sie finden sie unter:")
        .push_paragraph(format!("    GET {}{}", places.base_url, review.path))
}

pub(super) fn render_listing(notice: &ListingNotice, platform: &str) -> Draft {
    let app = sanitize(&notice.app);
    let (title, what) = match notice.event {
        ListingEvent::Suspended => (
            format!("{app} ist bei {platform} gesperrt"),
            format!("{app} ist bis auf Weiteres nicht im Marktplatz von {platform}."),
        ),
        ListingEvent::Reinstated => (
            format!("{app} ist bei {platform} nicht mehr gesperrt"),
            format!(
                "die Sperre von {app} bei {platform} ist beendet. Die App ist wieder gelistet oder nicht gelistet \
                 wie vor der Sperre."
            ),
        ),
        ListingEvent::GivenAway => (
            format!("{app} wurde bei {platform} an einen anderen Partner übertragen"),
            format!(
                "{app} wurde bei {platform} mit Versionen, Bewertungen und Verlauf an einen anderen Partner \
                 übertragen. Ihr Team und Ihre Programme haben keinen Zugriff mehr auf die App."
            ),
        ),
        ListingEvent::Received => (
            format!("{app} wurde bei {platform} an Sie übertragen"),
            format!(
                "{app} wurde bei {platform} mit Versionen, Bewertungen und Verlauf an Sie übertragen. Prüfen Sie \
                 zuerst die Links."
            ),
        ),
    };
    let draft = greet(title, &notice.name).push_paragraph(what);
    let draft = match &notice.reason {
        Some(reason) => draft
            .push_paragraph("Als Grund wurde angegeben:")
            .push_paragraph(format!("    {}", sanitize_reason(reason))),
        None => draft,
    };
    draft.push_paragraph(format!("Der Support von {platform} hilft weiter."))
}
