//! English text about a daily budget that is nearly spent.

use super::greet;
use crate::message::QuotaNotice;
use crate::words::{Draft, moment, sanitize};

pub(super) fn render_email(notice: &QuotaNotice, platform: &str) -> Draft {
    let QuotaNotice { name, company, used, limit, resets_at } = notice;
    greet(format!("{} % of today's requests at {platform} are used", used * 100 / limit.max(&1)), name)
        .push_paragraph(format!(
            "{} has used {used} of the {limit} requests that its tier allows for one day at {platform}. When all are used, \
             the service rejects further requests until {}.",
            sanitize(company),
            moment(*resets_at)
        ))
        .push_paragraph("A larger tier has a larger budget. You can switch these e-mails off in your account (quota_mail).")
}
