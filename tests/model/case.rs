//! Cases of the model: principal, operation, object, and state of the object, from a seed and a number.

use http::Method;
use labs_rest::contract::{Access, Operation, ParameterIn};

use super::machines::{Company, states_for};
use super::roster::Profile;
use crate::harness::contract;
use crate::harness::random::Random;

/// Path parameters that name an object of a partner, or of another object in the path.
const OWNED: &[&str] = &[
    "app_uuid",
    "contact_uuid",
    "export_uuid",
    "invitation_uuid",
    "media_uuid",
    "note_uuid",
    "partner_uuid",
    "request_uuid",
    "review_uuid",
    "secret_uuid",
    "session_uuid",
    "ticket_uuid",
    "user_uuid",
    "version_uuid",
];

/// Path parameters whose value no case varies, because they are enumerations or languages.
const FIXED: &[&str] = &["channel", "kind", "locale"];

/// What the chosen path parameters name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Target {
    /// The caller's own object; for staff, an object of any partner.
    Own,
    /// An object of another partner, or of another object than the one in the path.
    Foreign,
    /// A well-formed value that names nothing.
    Absent,
    /// A malformed value.
    Malformed,
}

/// Side to which an operation belongs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    /// No scope: public, any token, cookie, client secret.
    Open,
    /// A user's own account.
    Account,
    /// A partner.
    Partner,
    /// All partners together: the board, and publication.
    Shared,
    /// The storefront.
    Storefront,
    /// Staff.
    Staff,
}

/// A case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Number, from which the case can be generated again.
    pub(crate) number: u64,
    /// Operation.
    pub(crate) operation: &'static Operation,
    /// Index of the principal in the roster.
    pub(crate) principal: usize,
    /// Object.
    pub(crate) target: Target,
    /// Path parameters that `target` replaces.
    pub(crate) replaced: Vec<&'static str>,
    /// State of the object, if the operation depends on one.
    pub(crate) state: Option<&'static str>,
    /// Whether the request has an unknown query parameter.
    pub(crate) is_flawed: bool,
}

/// Returns the side of an operation.
pub(crate) fn side(operation: &Operation) -> Side {
    let Access::Scope(scope) = &operation.access else { return Side::Open };
    match scope.split(['.', ':']).next().unwrap_or_default() {
        "labs" => Side::Staff,
        "auth" => Side::Account,
        "storefront" => Side::Storefront,
        "engagement" | "publication" => Side::Shared,
        _ => Side::Partner,
    }
}

/// Returns the path parameters of an operation that cases vary.
pub(crate) fn varied(operation: &'static Operation) -> Vec<&'static str> {
    let names = operation.parameters_in(ParameterIn::Path).map(|parameter| parameter.name.as_str());
    names.filter(|name| !FIXED.contains(name)).collect()
}

/// Whether an operation of a partner needs an object that not every partner of the model has.
pub(crate) fn needs_object(operation: &'static Operation) -> bool {
    side(operation) == Side::Partner && varied(operation).iter().any(|name| *name != "partner_uuid")
}

/// Returns the path parameters that can name an object of another owner.
fn foreign_names(operation: &'static Operation) -> Vec<&'static str> {
    let mut names = varied(operation);
    if operation.id.starts_with("admin_users_") && names == ["user_uuid"] {
        // A staff member, whom only some staff may know of.
        return names;
    }
    if !matches!(side(operation), Side::Partner | Side::Account) {
        // Every object is reachable; only an object that does not belong to the one before it in the path is foreign.
        names = names.split_off(names.len().min(1));
    }
    names.retain(|name| OWNED.contains(name));
    names
}

impl Case {
    /// Returns the case with this number.
    pub(crate) fn generate(seed: u64, number: u64, roster: &[Profile]) -> Self {
        let mut random = Random(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let all = contract().operations();
        let count = all.len() as u64;
        let operation: &'static Operation = &all[(number % count) as usize];
        let states = states_for(&operation.id);
        let state = (!states.is_empty()).then(|| states[((number / count) % states.len() as u64) as usize]);
        // A third of the cases have nothing but the state of the object against them.
        let is_able = random.below(3) == 0;
        let principal = choose_principal(&mut random, operation, roster, is_able);
        let (target, replaced) =
            if is_able { (Target::Own, Vec::new()) } else { choose_target(&mut random, operation) };
        let is_plain =
            matches!(operation.access, Access::Cookie | Access::Client) || operation.path.contains("/oauth/");
        let is_flawed = !is_plain && !is_able && random.below(12) == 0;
        Self { number, operation, principal, target, replaced, state, is_flawed }
    }

    /// Whether the call reads.
    pub(crate) fn is_read(&self) -> bool {
        self.operation.method == Method::GET
    }

    /// Returns the partner whose objects the path names where `target` replaces nothing.
    pub(crate) fn owner(&self, profile: &Profile) -> Company {
        match side(self.operation) {
            Side::Staff => Company::Target,
            Side::Partner | Side::Account => profile.company.unwrap_or(Company::Growth),
            Side::Open | Side::Shared | Side::Storefront => Company::Growth,
        }
    }
}

/// The principal that alone has the right to an operation: the reviewer who claimed the submission, the author of the note, and the
/// author of the feature request and the comment.
const SINGLE: &[(&str, &str)] = &[
    ("marketplace_submissions_", "staff with labs.admin:write"),
    ("admin_notes_", "staff with labs.admin:write"),
    ("engagement_comments_edit", "administrator of Growth"),
    ("engagement_feature_requests_edit", "administrator of Growth"),
];

/// Chooses a principal: half of them have the scope, or all if it has to be able.
fn choose_principal(random: &mut Random, operation: &Operation, roster: &[Profile], is_able: bool) -> usize {
    let single = SINGLE.iter().find(|(start, _)| is_able && operation.id.starts_with(start));
    if let Some(single) = single.and_then(|(_, name)| roster.iter().position(|profile| profile.name == *name)) {
        return single;
    }
    let scope = operation.access.scope().filter(|_| is_able || random.below(2) == 0);
    let able: Vec<usize> = (0..roster.len())
        .filter(|index| {
            scope.is_none_or(|scope| {
                roster[*index].has(scope) && roster[*index].standing == super::roster::Standing::Good
            })
        })
        .collect();
    able[random.below(able.len() as u64) as usize]
}

/// Chooses the object: more than half are the caller's own.
fn choose_target(random: &mut Random, operation: &'static Operation) -> (Target, Vec<&'static str>) {
    let target = match random.below(20) {
        0..=11 => Target::Own,
        12..=15 => Target::Foreign,
        16..=17 => Target::Absent,
        _ => Target::Malformed,
    };
    let names = match target {
        Target::Own => Vec::new(),
        Target::Foreign => foreign_names(operation),
        Target::Absent => varied(operation),
        Target::Malformed => varied(operation).into_iter().filter(|name| name.ends_with("_uuid")).collect(),
    };
    if names.is_empty() {
        return (Target::Own, names);
    }
    let chosen = 1 + random.below((1 << names.len()) - 1);
    let replaced = names.iter().enumerate().filter(|(place, _)| (chosen >> place) & 1 == 1).map(|(_, name)| *name);
    (target, replaced.collect())
}
