//! German text about a daily budget that is nearly spent.

use super::greet;
use crate::message::QuotaNotice;
use crate::words::{Draft, moment, sanitize};

pub(super) fn render_email(notice: &QuotaNotice, platform: &str) -> Draft {
    let QuotaNotice { name, company, used, limit, resets_at } = notice;
    greet(format!("{} % der heutigen Anfragen an {platform} sind verbraucht", used * 100 / limit.max(&1)), name)
        .push_paragraph(format!(
            "{} hat {used} der {limit} Anfragen verbraucht, die der Tarif für einen Tag an {platform} erlaubt. Sind alle \
             verbraucht, weist der Dienst weitere Anfragen bis {} ab.",
            sanitize(company),
            moment(*resets_at)
        ))
        .push_paragraph(
            "Ein größerer Tarif hat ein größeres Kontingent. Sie können diese E-Mails in Ihrem Konto abschalten (quota_mail).",
        )
}
