//! The rules of the specification: which response a case must get. A pure function of the case and the roster.
//!
//! Sources: the contract, `docs/decisions/access.md`, `docs/decisions/api.md#order-of-checks`, `schema/states.md`.

use labs_rest::contract::{Access, Operation};

use super::case::{Case, Side, Target, needs_object, side};
use super::machines::{Company, action_of, allows};
use super::roster::{Kind, Profile, Standing};

/// A response of the model.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    /// Any success of the contract.
    Success,
    /// A refusal with this status and code.
    Refused(u16, &'static str),
}

use Outcome::{Refused, Success};

const NOT_FOUND: Outcome = Refused(404, "NOT_FOUND");
const CONFLICT: Outcome = Refused(409, "CONFLICT");
const ILLEGAL: Outcome = Refused(409, "ILLEGAL_TRANSITION");
const INVALID: Outcome = Refused(422, "VALIDATION_FAILED");
const SCOPE_MISSING: Outcome = Refused(403, "SCOPE_MISSING");

/// Operations whose well-formed call by an authorized caller still fails in the model's service, and why.
const REFUSED: &[(&str, Outcome, &str)] = &[
    ("auth_account_cancel_email_change", INVALID, "no token was mailed"),
    ("auth_account_confirm_email", INVALID, "no token was mailed"),
    ("auth_invitations_accept", INVALID, "the token is in a mail"),
    ("auth_invitations_decline", INVALID, "the token is in a mail"),
    ("auth_invitations_inspect", INVALID, "the token is in a mail"),
    ("auth_passwords_confirm_reset", INVALID, "no token was mailed"),
    ("auth_registrations_verify_email", INVALID, "the token is in a mail"),
    ("auth_sessions_verify_mfa", Refused(401, "INVALID_CREDENTIALS"), "no sign-in is in progress"),
    ("auth_mfa_confirm_totp", CONFLICT, "no enrolment is pending"),
    ("admin_statistics_imports_start", CONFLICT, "no source of statistics is configured"),
    ("admin_users_reset_mfa", CONFLICT, "the user has no second factor"),
];

/// Returns why an operation never succeeds in the model.
pub(super) fn never_succeeds(operation: &str) -> Option<&'static str> {
    let of_state = [
        ("admin_mail_messages_retry", "the content of its mail message is deleted"),
        ("auth_mfa_disable_totp", "users of partners have no second factor, and staff members keep theirs"),
    ];
    let refused = REFUSED.iter().map(|(id, _, why)| (*id, *why)).chain(of_state);
    refused.into_iter().find(|(id, _)| *id == operation).map(|(_, why)| why)
}

/// Returns the response that a case must get.
pub(super) fn expect(case: &Case, profile: &Profile) -> Outcome {
    match case.operation.access {
        Access::Cookie => of_cookie(case, profile),
        Access::Client => of_secret(profile),
        _ => refuse(case, profile).unwrap_or_else(|| decide(case, profile)),
    }
}

/// Whether a case gets as far as the state of its object.
pub(super) fn reaches_state(case: &Case, profile: &Profile) -> bool {
    refuse(case, profile).is_none()
}

/// Checks everything that does not depend on the state of the object: 401, 403 for the scope, 404 for a malformed id, 422 for
/// the form of the request, then 403 and 404 by rules that read the object.
fn refuse(case: &Case, profile: &Profile) -> Option<Outcome> {
    let refusal = match &case.operation.access {
        Access::Public | Access::Cookie | Access::Client => None,
        Access::Any => unauthenticated(profile),
        Access::Scope(scope) => unauthenticated(profile).or_else(|| without_scope(case, profile, scope)),
    };
    // The path of a job has one of the known codes.
    let is_unknown_job = case.target == Target::Absent && case.replaced.contains(&"job_code");
    let names_nothing = (case.target == Target::Malformed || is_unknown_job).then_some(NOT_FOUND);
    let refusal = refusal.or(names_nothing).or(case.is_flawed.then_some(INVALID));
    let of_object = || missing(case, profile).or_else(|| unreadable(case, profile));
    refusal.or_else(|| forbidden(case, profile)).or_else(of_object)
}

/// Checks the credential.
fn unauthenticated(profile: &Profile) -> Option<Outcome> {
    match profile.standing {
        Standing::Good => None,
        Standing::Missing | Standing::Garbled => Some(Refused(401, "UNAUTHENTICATED")),
        Standing::Expired => Some(Refused(401, "TOKEN_EXPIRED")),
        Standing::Revoked => Some(Refused(401, "TOKEN_REVOKED")),
        Standing::PartnerInactive => Some(Refused(403, "PARTNER_SUSPENDED")),
    }
}

/// The response to a refresh cookie: only users have one. The sessions of a suspended partner last, so that its users can
/// sign out.
fn of_cookie(case: &Case, profile: &Profile) -> Outcome {
    match (profile.is_person(), profile.standing) {
        (true, Standing::PartnerInactive) if case.operation.id == "auth_sessions_sign_out" => Success,
        (true, Standing::PartnerInactive) => Refused(403, "PARTNER_SUSPENDED"),
        (true, Standing::Good | Standing::Expired) => Success,
        (true, _) => Refused(401, "TOKEN_REVOKED"),
        (false, _) => Refused(401, "UNAUTHENTICATED"),
    }
}

/// The response to a client id and secret: only machine clients have them.
fn of_secret(profile: &Profile) -> Outcome {
    match (profile.kind, profile.standing) {
        (Kind::Client, Standing::Good) => Success,
        _ => Refused(401, "INVALID_CREDENTIALS"),
    }
}

/// Whether the contract lists a code for a status of the operation.
fn lists(operation: &Operation, status: u16, code: &str) -> bool {
    operation.responses.get(&status).is_some_and(|promised| promised.codes.iter().any(|known| known == code))
}

/// Checks scope and partner of the path.
fn without_scope(case: &Case, profile: &Profile, scope: &str) -> Option<Outcome> {
    if !profile.has(scope) {
        return Some(SCOPE_MISSING);
    }
    let names_partner = case.operation.path.starts_with("/v1/partner/");
    let names_another = profile.company.is_none() || case.replaced.contains(&"partner_uuid");
    (names_partner && names_another).then_some(Refused(403, "PARTNER_MISMATCH"))
}

/// Checks the caller: person, recent authentication.
fn forbidden(case: &Case, profile: &Profile) -> Option<Outcome> {
    if !matches!(case.operation.access, Access::Scope(_)) {
        return None;
    }
    let needs = |code: &str| lists(case.operation, 403, code);
    // A list needs a person only for the filter by the caller's own votes.
    if needs("PERSON_REQUIRED") && !profile.is_person() && case.operation.id != "engagement_feature_requests_list" {
        return Some(Refused(403, "PERSON_REQUIRED"));
    }
    if needs("REAUTHENTICATION_REQUIRED") && (profile.is_stale || !profile.is_person()) {
        return Some(Refused(403, "REAUTHENTICATION_REQUIRED"));
    }
    None
}

/// Checks the scopes of an existing archive, which has data of several scopes (description of the operation).
fn unreadable(case: &Case, profile: &Profile) -> Option<Outcome> {
    let of_archive =
        ["partner", "subscription", "marketplace.apps", "marketplace.reviews", "engagement.feature-requests"];
    let is_archive = case.operation.id == "partner_data_exports_download";
    (is_archive && !of_archive.iter().all(|scope| profile.has(scope))).then_some(SCOPE_MISSING)
}

/// Checks that the path names objects that exist for the caller.
fn missing(case: &Case, profile: &Profile) -> Option<Outcome> {
    let id = case.operation.id.as_str();
    if case.target == Target::Foreign && id.starts_with("admin_users_") && case.replaced == ["user_uuid"] {
        // Staff members exist here only for callers who reach `labs.admin.staff`, and nothing here changes them.
        return match (profile.has("labs.admin.staff"), case.is_read()) {
            (false, _) => Some(NOT_FOUND),
            (true, true) => None,
            (true, false) => (!case.is_flawed).then_some(CONFLICT),
        };
    }
    let lacks_objects = needs_object(case.operation) && !profile.company.is_some_and(Company::has_objects);
    (case.target != Target::Own || lacks_objects).then_some(NOT_FOUND)
}

/// The response to an authorized and valid call about an existing object.
fn decide(case: &Case, profile: &Profile) -> Outcome {
    let id = case.operation.id.as_str();
    if let Some((_, outcome, _)) = REFUSED.iter().find(|(known, ..)| *known == id) {
        return *outcome;
    }
    of_rank(id, profile)
        .or_else(|| of_account(id, profile))
        .or_else(|| of_company(case, profile))
        .or_else(|| of_state(case, profile))
        .unwrap_or(Success)
}

/// Rules about what a caller can give to others or take from them.
fn of_rank(id: &str, profile: &Profile) -> Option<Outcome> {
    match id {
        "partner_team_members_update" | "partner_invitations_create" if !profile.can_grant("EDITOR") => Some(INVALID),
        // The staff member and the role of the model have the scope `labs.admin.overview`.
        "admin_staff_disable"
        | "admin_staff_enable"
        | "admin_staff_update"
        | "admin_staff_put_roles"
        | "admin_staff_reset_mfa"
        | "admin_staff_roles_delete"
            if !profile.has("labs.admin.overview") =>
        {
            Some(SCOPE_MISSING)
        }
        "admin_staff_create" if !profile.has("labs.admin.overview") => Some(INVALID),
        "admin_staff_roles_create" | "admin_staff_roles_update"
            if !["labs.admin.security:write", "labs.admin.users:write"].iter().all(|scope| profile.has(scope)) =>
        {
            Some(INVALID)
        }
        // Another staff member wrote the note: only `labs.admin:write` is the author in the model.
        "admin_notes_update" | "admin_notes_delete" if !is_chief(profile) => Some(CONFLICT),
        _ => None,
    }
}

/// Whether the profile is the staff member who claimed the submission and wrote the note.
fn is_chief(profile: &Profile) -> bool {
    profile.kind == Kind::Staff && profile.given == ["labs.admin:write"]
}

/// Rules about the caller's own second factor: staff members have one, users do not.
fn of_account(id: &str, profile: &Profile) -> Option<Outcome> {
    let is_staff = profile.kind == Kind::Staff;
    match id {
        "auth_mfa_enrol_totp" if is_staff => Some(CONFLICT),
        // The request has a password, and a user with a second factor sends a code.
        "auth_sessions_reauthenticate" if is_staff => Some(INVALID),
        "auth_mfa_disable_totp" if is_staff => Some(CONFLICT),
        "auth_mfa_disable_totp" => Some(NOT_FOUND),
        "auth_mfa_regenerate_recovery_codes" if !is_staff => Some(CONFLICT),
        "auth_tokens_issue" if profile.kind != Kind::Client || profile.standing != Standing::Good => {
            Some(Refused(401, "INVALID_CREDENTIALS"))
        }
        _ => None,
    }
}

/// Rules about the caller's partner, team and author.
fn of_company(case: &Case, profile: &Profile) -> Option<Outcome> {
    let (id, company) = (case.operation.id.as_str(), profile.company);
    let is_author = company == Some(Company::Growth) && profile.kind == Kind::User("ADMINISTRATOR");
    match id {
        // Its only other tier, or a pending request, is in the way.
        "subscription_change_requests_create" if company != Some(Company::Closing) => Some(CONFLICT),
        // A single administrator cannot leave, and a machine client belongs to no team.
        "partner_team_members_leave" if !company.is_some_and(Company::has_objects) || !profile.is_person() => {
            Some(CONFLICT)
        }
        "partner_invitations_create" | "partner_profile_publish" if company == Some(Company::Closing) => Some(CONFLICT),
        // The author has voted for it.
        "engagement_votes_cast" if is_author => Some(Success),
        "engagement_feature_requests_edit" | "engagement_comments_edit" if !is_author => {
            Some(Refused(403, "AUTHOR_REQUIRED"))
        }
        "engagement_reports_report_comment" | "engagement_reports_report_feature_request" if is_author => {
            Some(CONFLICT)
        }
        // The categories are the same for every caller.
        "marketplace_apps_list_selectable_categories" => None,
        _ if side(case.operation) == Side::Partner && company.is_none() => Some(NOT_FOUND),
        _ => None,
    }
}

/// Rules about the state of the object.
fn of_state(case: &Case, profile: &Profile) -> Option<Outcome> {
    let ((machine, action), state) = (action_of(&case.operation.id)?, case.state?);
    if let Some(outcome) = exception(case, profile, machine, state) {
        return Some(outcome);
    }
    (!action.is_empty() && !allows(machine, state, action)).then_some(ILLEGAL)
}

/// What the contract says about single operations in addition to the diagrams.
fn exception(case: &Case, profile: &Profile, machine: &str, state: &str) -> Option<Outcome> {
    let id = case.operation.id.as_str();
    let is_free = profile.company.is_some_and(|company| company.tier() == "FREE");
    Some(match (id, state) {
        ("admin_mail_messages_retry", "QUEUED" | "FAILED") => CONFLICT,
        // A removed user exists for no caller.
        (_, "REMOVED") if machine == "Partner user" => NOT_FOUND,
        // Only staff can remove a member whom they locked.
        ("partner_team_members_remove", "LOCKED") => ILLEGAL,
        // A draft that was never published has no listing.
        ("marketplace_submissions_suspend_listing" | "marketplace_submissions_reinstate_listing", "DRAFT") => NOT_FOUND,
        // Another reviewer has claimed the submission.
        ("marketplace_submissions_claim", "IN_REVIEW") if !is_chief(profile) => CONFLICT,
        (
            "marketplace_submissions_approve"
            | "marketplace_submissions_reject"
            | "marketplace_submissions_request_changes",
            "IN_REVIEW",
        ) if !is_chief(profile) => CONFLICT,
        // Replies and flags are about published customer reviews.
        ("marketplace_reviews_put_reply" | "marketplace_reviews_flag", "PENDING" | "REJECTED") => NOT_FOUND,
        // A value that the ticket already has changes nothing.
        ("partner_support_desk_update", "RESOLVED") => Success,
        ("partner_data_exports_download", "SUCCEEDED") => Success,
        ("partner_data_exports_download", _) => CONFLICT,
        // The request asks for PLANNED.
        ("engagement_moderation_change_status", "PLANNED") => CONFLICT,
        ("engagement_feature_requests_edit", "OPEN") => Success,
        ("engagement_feature_requests_edit", _) => CONFLICT,
        ("engagement_votes_cast", "SHIPPED") => CONFLICT,
        ("engagement_comments_edit", "REMOVED") => CONFLICT,
        (
            "engagement_feature_requests_get" | "engagement_feature_requests_follow" | "engagement_comments_add",
            "SUSPENDED",
        ) => NOT_FOUND,
        ("engagement_feature_requests_follow" | "engagement_comments_add", "MERGED") => CONFLICT,
        ("engagement_comments_add", "LOCKED") => CONFLICT,
        // The free tier has no period and nothing to cancel; the model leaves its subscription as it is.
        ("subscription_current_cancel", _) if is_free => CONFLICT,
        ("subscription_current_resume", _) if is_free => ILLEGAL,
        _ => return None,
    })
}
