//! SQL that brings the object of a case into its state. It writes only rows that satisfy the constraints of the tables.

use super::World;
use crate::model::case::{Case, Side, side};
use crate::model::machines::action_of;
use crate::model::roster::{Profile, Standing};

/// A time after every case.
const LATER: &str = "labs_now() + interval '10 days'";

/// Returns the statements before a case; empty if the object already has its state.
pub(super) fn statements(world: &World, case: &Case, profile: &Profile) -> String {
    let id = case.operation.id.as_str();
    let own = |name: &str| world.place(case, profile, name);
    if side(case.operation) == Side::Account && id == "auth_sessions_delete" {
        return extra_session(world, case);
    }
    if id == "admin_apps_transfer" {
        return of_version("DRAFT", &own("app_uuid"), world);
    }
    if id == "admin_jobs_run" {
        // An earlier run of the job may still be in progress.
        return format!("delete from job_run where job = '{}' and ended_at is null", own("job_code"));
    }
    let (Some((machine, _)), Some(state)) = (action_of(id), case.state) else { return String::new() };
    match machine {
        // A caller's own suspended partner stays suspended.
        "Partner" if profile.standing == Standing::PartnerInactive => String::new(),
        "Partner" => of_partner(state, &own("partner_uuid")),
        "Partner user" => set("person", "person_uuid", &own("user_uuid"), state, ""),
        "Invitation" => set("invitation", "invitation_uuid", &own("invitation_uuid"), state, ""),
        "Mail message" => of_mail(state, &own("message_uuid")),
        "App" => of_app(state, world, case, profile),
        "App version" => of_version(state, &world.owned(case.owner(profile), "app_uuid"), world),
        "Category" => set("category", "category_uuid", &own("category_uuid"), state, ""),
        "Customer review" => of_review(state, &own("review_uuid")),
        "Support ticket" => {
            let waiting = if state == "OPEN" { "labs_now()" } else { "null" };
            set("support_ticket", "ticket_uuid", &own("ticket_uuid"), state, &format!(", waiting_since = {waiting}"))
        }
        "Profile" => of_profile(state, &own("partner_uuid")),
        "Data export" => of_run("data_export", "export_uuid", state, &own("export_uuid")),
        "Statistics import" => of_run("statistic_import", "import_uuid", state, &own("import_uuid")),
        "Feature request" => {
            format!("update feature_request set status = '{state}' where request_uuid = '{}'", own("request_uuid"))
        }
        "Publication item" => of_item(state, &own("item_uuid")),
        "Tier" => set("tier", "tier_uuid", &own("tier_uuid"), state, ""),
        "Subscription" => of_subscription(state, &world.owned(case.owner(profile), "partner_uuid")),
        "Tier change request" => {
            let decided = if state == "PENDING" { "null" } else { "labs_now()" };
            let more = format!(", decided_at = {decided}");
            set("tier_change_request", "request_uuid", &own("request_uuid"), state, &more)
        }
        _ => of_mark(machine, state, &|name| own(name), world),
    }
}

fn set(table: &str, key: &str, uuid: &str, state: &str, more: &str) -> String {
    format!("update {table} set state = '{state}'{more} where {key} = '{uuid}'")
}

/// Opens another session of the caller, under a fixed id.
fn extra_session(world: &World, case: &Case) -> String {
    let Some(person) = world.person(case.principal) else { return String::new() };
    format!(
        "insert into session (session_uuid, person_uuid, idle_expires_at, expires_at)
         values ('{}', '{person}', {LATER}, {LATER})",
        super::EXTRA_SESSION
    )
}

fn of_partner(state: &str, partner: &str) -> String {
    let closes = if matches!(state, "CLOSING" | "CLOSED") { LATER } else { "null" };
    set("partner", "partner_uuid", partner, state, &format!(", former_state = null, closes_at = {closes}"))
}

fn of_mail(state: &str, message: &str) -> String {
    let (content, sent) = if state == "SENT" { ("null", "labs_now()") } else { ("content_sealed", "null") };
    let more =
        format!(", content_sealed = {content}, sent_at = {sent}, next_attempt_at = {LATER}, claimed_until = null");
    set("mail_message", "message_uuid", message, state, &more)
}

/// An app that was published, without a version with the reviewers. A draft is another app.
fn of_app(state: &str, world: &World, case: &Case, profile: &Profile) -> String {
    if state == "DRAFT" {
        return String::new();
    }
    let app = world.owned(case.owner(profile), "app_uuid");
    format!(
        "{}; update app set state = '{state}', former_state = 'LISTED' where app_uuid = '{app}';
         update listing set visible = ('{state}' = 'LISTED') where app_uuid = '{app}'",
        of_version("DRAFT", &app, world)
    )
}

/// The second version of an app and its submission; the first version is published.
fn of_version(state: &str, app: &str, world: &World) -> String {
    let submission = match state {
        "DRAFT" | "WITHDRAWN" => "WITHDRAWN",
        "SUBMITTED" | "IN_REVIEW" | "CHANGES_REQUESTED" | "REJECTED" => state,
        _ => "APPROVED",
    };
    let decided =
        if matches!(submission, "APPROVED" | "CHANGES_REQUESTED" | "REJECTED") { "labs_now()" } else { "null" };
    let chief = world.chief();
    let (reviewer, claimed) =
        if submission == "SUBMITTED" { ("null".to_owned(), "null") } else { (format!("'{chief}'"), "labs_now()") };
    let waiting = match submission {
        "SUBMITTED" | "IN_REVIEW" => "'REVIEWERS'",
        "CHANGES_REQUESTED" => "'PARTNER'",
        _ => "null",
    };
    let publish_at = if state == "SCHEDULED" { LATER } else { "null" };
    let published = if matches!(state, "PUBLISHED" | "SUPERSEDED") { "labs_now()" } else { "null" };
    let first = if state == "PUBLISHED" { "SUPERSEDED" } else { "PUBLISHED" };
    let second = format!("(select version_uuid from app_version where app_uuid = '{app}' and number = '1.1.0')");
    format!(
        "update app_version set state = '{first}' where app_uuid = '{app}' and number = '1.0.0';
         update app_version set state = '{state}', publish_at = {publish_at}, published_at = {published}
          where app_uuid = '{app}' and number = '1.1.0';
         update submission set state = '{submission}', reviewer_uuid = {reviewer}, claimed_at = {claimed},
                decided_at = {decided}, waiting_on = {waiting}
          where version_uuid = {second}"
    )
}

fn of_review(state: &str, review: &str) -> String {
    let text = "coalesce(waiting_text_uuid, shown_text_uuid, rejected_text_uuid)";
    let (shown, waiting, rejected) = match state {
        "PENDING" => ("null", text, "null"),
        "PUBLISHED" => (text, "null", "null"),
        _ => ("null", "null", text),
    };
    let since = if state == "PENDING" { "labs_now()" } else { "null" };
    let facts = match state {
        "PUBLISHED" => "rating = 4, locale = 'en', written_at = labs_now(), has_text = false",
        _ => "rating = null, locale = null, written_at = null, has_text = null",
    };
    let more = format!(
        ", shown_text_uuid = {shown}, waiting_text_uuid = {waiting}, rejected_text_uuid = {rejected},
         waiting_since = {since}, {facts}"
    );
    let count = i32::from(state == "PUBLISHED");
    let listing = format!(
        "; update listing set rating_count = {count}, rating_sum = {count} * 4
          where app_uuid = (select app_uuid from customer_review where review_uuid = '{review}')"
    );
    set("customer_review", "review_uuid", review, state, &more) + &listing
}

/// The profile has changed since it was published, as a profile that was taken down must.
fn of_profile(state: &str, partner: &str) -> String {
    set("partner_profile", "partner_uuid", partner, state, ", website_url = 'https://' || labs_uuid() || '.example'")
}

/// A run that no job takes up, because its lease is far ahead.
fn of_run(table: &str, key: &str, state: &str, uuid: &str) -> String {
    let ended = if matches!(state, "SUCCEEDED" | "FAILED") { "labs_now()" } else { "null" };
    set(table, key, uuid, state, &format!(", ended_at = {ended}, claimed_until = {LATER}"))
}

fn of_item(state: &str, item: &str) -> String {
    let (released, first, withdrawn) = match state {
        "RELEASED" => ("labs_now()", "labs_now()", "null"),
        "WITHDRAWN" => ("labs_now()", "labs_now()", "labs_now()"),
        _ => ("null", "null", "null"),
    };
    let scheduled = if state == "SCHEDULED" { LATER } else { "null" };
    let more = format!(
        ", released_at = {released}, first_released_at = {first}, withdrawn_at = {withdrawn}, scheduled_for = {scheduled}"
    );
    set("publication_item", "item_uuid", item, state, &more)
}

/// Only a subscription to a tier other than the free one has a period.
fn of_subscription(state: &str, partner: &str) -> String {
    format!(
        "update subscription set state = '{state}', period_start = labs_now(), period_end = {LATER},
                pending_tier_uuid = null, pending_at = null
          where partner_uuid = '{partner}' and tier_uuid <> (select tier_uuid from tier where code = 'FREE')"
    )
}

/// The marks that behave like states.
fn of_mark(machine: &str, state: &str, own: &dyn Fn(&str) -> String, world: &World) -> String {
    let is = |name: &str| state == name;
    match machine {
        "Job" => {
            let (at, because) = if is("PAUSED") { ("labs_now()", "'A test.'") } else { ("null", "null") };
            format!("update job set paused_at = {at}, paused_because = {because} where code = '{}'", own("job_code"))
        }
        "Machine client" => set("machine_client", "client_uuid", &own("client_uuid"), state, ""),
        "Staff member" => set("person", "person_uuid", &own("staff_uuid"), state, ""),
        "Comment" => {
            let (at, reason) = if is("REMOVED") { ("labs_now()", "'A test.'") } else { ("null", "null") };
            let comment = own("comment_uuid");
            format!(
                "update feature_comment set suspended_at = {at}, suspension_reason = {reason} where comment_uuid = '{comment}'"
            )
        }
        "Report" => {
            let (outcome, at) = if is("OPEN") { ("OPEN", "null") } else { ("UPHELD", "labs_now()") };
            let report = own("report_uuid");
            format!("update board_report set outcome = '{outcome}', resolved_at = {at} where report_uuid = '{report}'")
        }
        _ => {
            let when = |name: &str| if is(name) { "labs_now()" } else { "null" };
            let reason = if is("SUSPENDED") { "'A test.'" } else { "null" };
            let request = own("request_uuid");
            let other = world.shared("other_request");
            let (into, root) =
                if is("MERGED") { (format!("'{other}'"), other) } else { ("null".to_owned(), request.clone()) };
            format!(
                "update feature_request set pinned_at = {}, locked_at = {}, suspended_at = {},
                        suspension_reason = {reason}, merged_into_uuid = {into}, root_uuid = '{root}'
                  where request_uuid = '{request}'",
                when("PINNED"),
                when("LOCKED"),
                when("SUSPENDED")
            )
        }
    }
}
