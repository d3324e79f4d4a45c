//! Rights of a token's holder, loaded in one statement.

use labs_crypto::token::Claims;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

use crate::fault::{Code, Fault};
use crate::missing_scope::ScopeLimits;
use crate::principal::{Budget, Principal, PrincipalType, Reset, Role};
use crate::scope::ScopeSet;
use crate::time::Time;
use crate::words::Word as _;

/// Requests per day of a principal that belongs to no partner.
pub const OWN_DAILY_REQUESTS: u64 = 5_000_000;

/// Principal as loaded.
pub(super) struct LoadedPrincipal {
    pub(super) principal: Principal,
    /// Every subject whose change affects the principal, for example `person:<uuid>`.
    pub(super) subjects: Vec<String>,
    /// End of an override that affects the principal.
    pub(super) good_until: Option<Time>,
}

/// Loads the rights of a token's holder. A principal without a partner may make `own_per_second` requests per second.
pub(super) async fn principal(pool: &PgPool, claims: &Claims, own_per_second: u32) -> Result<LoadedPrincipal, Fault> {
    match claims.machine_client() {
        Some(client_id) => client(pool, claims, client_id, own_per_second).await,
        None => person(pool, claims, own_per_second).await,
    }
}

/// Loads the scopes of a user's token at sign-in. Reads in the transaction that opens or renews the session.
///
/// # Errors
/// As for a request with the token.
pub(super) async fn scopes_of_person(on: impl PgExecutor<'_>, claims: &Claims) -> Result<ScopeSet, Fault> {
    Ok(person(on, claims, 0).await?.principal.scopes)
}

struct PersonRow {
    kind: String,
    name: String,
    state: String,
    role: Option<String>,
    partner_uuid: Option<Uuid>,
    partner_state: Option<String>,
    staff_scopes: Option<Vec<String>>,
    partner_scopes: Option<Vec<String>>,
    tier_uuid: Option<Uuid>,
    burst_per_second: Option<i32>,
    daily_requests: Option<i64>,
    today: Option<i32>,
    resets_today: Option<i32>,
    good_until: Option<Time>,
    session_ended: bool,
    session_expires_at: Time,
    reauthenticated_at: Option<Time>,
    second_factor: bool,
    mfa_required: bool,
    revoked: Option<bool>,
}

async fn person(on: impl PgExecutor<'_>, claims: &Claims, own_per_second: u32) -> Result<LoadedPrincipal, Fault> {
    let Some(session_uuid) = claims.sid else { return Err(err_revoked("person")) };
    let row = sqlx::query_as!(
        PersonRow,
        r#"select person.kind, person.name, person.state, person.role, person.partner_uuid,
                  partner.state as "partner_state?",
                  (select array_agg(distinct scope) from staff_role_grant join staff_role using (role_code), unnest(staff_role.scopes) as scope
                    where staff_role_grant.person_uuid = person.person_uuid) as staff_scopes,
                  case when person.partner_uuid is not null then partner_scope(person.partner_uuid) end as "partner_scopes?",
                  limits.tier_uuid as "tier_uuid?", limits.burst_per_second as "burst_per_second?",
                  limits.daily_requests as "daily_requests?", limits.today as "today?",
                  limits.resets_today as "resets_today?",
                  least(limits.expires_at, (select min(ends.expires_at) from entitlement_override as ends
                    where ends.partner_uuid = limits.partner_uuid and ends.expires_at > labs_now())) as "good_until: Time",
                  (session.ended_at is not null or session.expires_at <= labs_now()) as "session_ended!",
                  session.mfa_required,
                  session.expires_at as session_expires_at, session.reauthenticated_at, session.second_factor,
                  exists (select 1 from access_token_revocation where token_id = $3) as revoked
             from session
             join person using (person_uuid)
             left join partner on partner.partner_uuid = person.partner_uuid
             left join partner_rate_limit as limits on limits.partner_uuid = person.partner_uuid
            where session.session_uuid = $1 and person.person_uuid = $2"#,
        session_uuid,
        subject(claims)?,
        claims.jti,
    )
    .fetch_optional(on)
    .await?
    .ok_or_else(|| err_revoked("session"))?;
    let account = match row.partner_uuid {
        Some(partner_uuid) => format!("partner:{partner_uuid}"),
        None => format!("staff:{}", claims.sub),
    };
    if row.session_ended || row.revoked == Some(true) {
        return Err(err_revoked("session").of_account(account));
    }
    if let Err(fault) = ensure_active(&row.state, row.partner_state.as_deref()) {
        return Err(fault.of_account(account));
    }
    let subjects = subjects(claims, Some(session_uuid), row.partner_uuid, row.tier_uuid);
    let good_until = row.good_until;
    Ok(LoadedPrincipal {
        principal: person_principal(claims, row, account, session_uuid, own_per_second)?,
        subjects,
        good_until,
    })
}

fn person_principal(
    claims: &Claims,
    row: PersonRow,
    account: String,
    session_uuid: Uuid,
    own_per_second: u32,
) -> Result<Principal, Fault> {
    let staff = row.kind == "STAFF_USER";
    let role = row.role.as_deref().and_then(Role::read);
    // If a second factor is required (always for staff, by policy for a team), a session without one reaches only the
    // user's own account, to enrol a factor.
    let own_account = ScopeSet::parse(["auth.account:write"]);
    let lacks_factor = (staff || row.mfa_required) && !row.second_factor;
    let scopes = match (lacks_factor, staff) {
        (true, _) => own_account,
        (false, true) => names(row.staff_scopes.as_deref()).union(own_account),
        (false, false) => {
            effective_scopes(role.map(Role::scopes).unwrap_or_default(), names(row.partner_scopes.as_deref()))
        }
    };
    let limits = ScopeLimits { own: role.map(Role::scopes).unwrap_or_default(), requested: None, tier: None };
    Ok(Principal {
        limits,
        kind: if staff { PrincipalType::StaffUser } else { PrincipalType::PartnerUser },
        uuid: subject(claims)?,
        label: row.name,
        partner_uuid: if staff { None } else { row.partner_uuid },
        role,
        scopes,
        session_uuid: Some(session_uuid),
        session_expires_at: Some(row.session_expires_at),
        reauthenticated_at: row.reauthenticated_at,
        lacks_factor,
        client_id: None,
        networks: Vec::new(),
        token_id: claims.jti,
        token_expires_at: moment(claims.exp)?,
        budget: Budget {
            account,
            reset: reset(row.today, row.resets_today),
            burst_per_second: of_tier(row.burst_per_second).unwrap_or(own_per_second),
            daily_requests: of_tier(row.daily_requests).unwrap_or(OWN_DAILY_REQUESTS),
        },
    })
}

async fn client(
    pool: &PgPool,
    claims: &Claims,
    client_id: &str,
    own_per_second: u32,
) -> Result<LoadedPrincipal, Fault> {
    let row = sqlx::query!(
        r#"select machine_client.client_uuid, machine_client.state, machine_client.partner_uuid, machine_client.allowed_scopes,
                  partner.state as "partner_state?",
                  case when machine_client.partner_uuid is not null then partner_scope(machine_client.partner_uuid) end as "partner_scopes?",
                  limits.tier_uuid as "tier_uuid?", limits.burst_per_second as "burst_per_second?",
                  limits.daily_requests as "daily_requests?", limits.today as "today?",
                  limits.resets_today as "resets_today?",
                  least(limits.expires_at, (select min(ends.expires_at) from entitlement_override as ends
                    where ends.partner_uuid = limits.partner_uuid and ends.expires_at > labs_now())) as "good_until: Time",
                  (select g.identity ->> 'subject' || ' at ' || (g.identity ->> 'issuer') from token_grant as g
                    where g.token_id = $2) as identity,
                  machine_client.allowed_networks::inet[] as "networks!: Vec<ipnet::IpNet>",
                  (exists (select 1 from access_token_revocation where token_id = $2)
                    or token_grant_void($2, machine_client.tokens_void_before)) as "revoked!"
             from machine_client
             left join partner using (partner_uuid)
             left join partner_rate_limit as limits using (partner_uuid)
            where machine_client.client_uuid = $1"#,
        subject(claims)?,
        claims.jti,
    )
    .fetch_optional(pool)
    .await?
    .ok_or_else(|| err_revoked("client"))?;
    let account = match row.partner_uuid {
        Some(partner_uuid) => format!("partner:{partner_uuid}"),
        None => format!("client:{}", row.client_uuid),
    };
    if row.revoked || row.state != "ACTIVE" {
        return Err(err_revoked("client").of_account(account));
    }
    if let Err(fault) = ensure_active("ACTIVE", row.partner_state.as_deref()) {
        return Err(fault.of_account(account));
    }
    let limits = ScopeLimits {
        own: names(Some(&row.allowed_scopes)),
        requested: Some(ScopeSet::parse(claims.scope.split(' '))),
        tier: row.partner_uuid.map(|_| names(row.partner_scopes.as_deref())),
    };
    let allowed = limits.scopes();
    let scopes = limits.tier.map_or(allowed, |tier| effective_scopes(allowed, tier));
    let principal = Principal {
        limits,
        kind: PrincipalType::MachineClient,
        uuid: row.client_uuid,
        label: row.identity.map_or_else(|| client_id.to_owned(), |identity| format!("{client_id} ({identity})")),
        partner_uuid: row.partner_uuid,
        role: None,
        scopes,
        session_uuid: None,
        session_expires_at: None,
        reauthenticated_at: None,
        lacks_factor: false,
        client_id: Some(client_id.to_owned()),
        networks: row.networks,
        token_id: claims.jti,
        token_expires_at: moment(claims.exp)?,
        budget: Budget {
            account,
            reset: reset(row.today, row.resets_today),
            burst_per_second: of_tier(row.burst_per_second).unwrap_or(own_per_second),
            daily_requests: of_tier(row.daily_requests).unwrap_or(OWN_DAILY_REQUESTS),
        },
    };
    let subjects = subjects(claims, None, row.partner_uuid, row.tier_uuid);
    Ok(LoadedPrincipal { principal, subjects, good_until: row.good_until })
}

/// Computes the scopes of a principal that is bound to a partner: the intersection of the principal's scopes and the
/// tier's scopes. The operator's domain, writes to the storefront and the changelog are always excluded, even if a row
/// grants them (docs/decisions/access.md#kinds-of-principal).
#[must_use]
pub fn effective_scopes(own: ScopeSet, tier: ScopeSet) -> ScopeSet {
    possible_scopes(own.intersect(tier))
}

/// Returns the scopes that a principal bound to a partner can have in any tier.
#[must_use]
pub(crate) fn possible_scopes(own: ScopeSet) -> ScopeSet {
    own.without_admin().without_storefront_writes().without_changelog()
}

/// Rejects a user or partner that may not call at present.
fn ensure_active(person: &str, partner: Option<&str>) -> Result<(), Fault> {
    match (person, partner) {
        ("ACTIVE", None | Some("ACTIVE" | "CLOSING")) => Ok(()),
        ("LOCKED" | "DISABLED", _) => {
            Err(Fault::new(Code::AccountLocked, "This account is locked. Ask the platform's support to unlock it."))
        }
        ("ACTIVE", Some(_)) => Err(Fault::new(
            Code::PartnerSuspended,
            "This partner account is not active. The e-mail about it states the reason. The platform's support can \
             help.",
        )),
        _ => Err(err_revoked("account")),
    }
}

fn err_revoked(thing: &str) -> Fault {
    Fault::new(
        Code::TokenRevoked,
        format!("The {thing} of this token is not active any more. Sign in again or request a new token."),
    )
}

fn names(scopes: Option<&[String]>) -> ScopeSet {
    ScopeSet::parse(scopes.unwrap_or_default().iter().map(String::as_str))
}

/// Converts a limit of the partner's tier, if the principal has a partner.
fn of_tier<Limit, Column: TryInto<Limit>>(limit: Option<Column>) -> Option<Limit> {
    limit.and_then(|limit| limit.try_into().ok())
}

fn reset(today: Option<i32>, resets: Option<i32>) -> Reset {
    Reset { day: today.unwrap_or_default().into(), count: resets.unwrap_or_default() }
}

fn subjects(claims: &Claims, session: Option<Uuid>, partner: Option<Uuid>, tier: Option<Uuid>) -> Vec<String> {
    let kind = if claims.machine_client().is_some() { "client" } else { "person" };
    let mut subjects = vec![format!("{kind}:{}", claims.sub), format!("token:{}", claims.jti)];
    subjects.extend(session.map(|uuid| format!("session:{uuid}")));
    subjects.extend(partner.map(|uuid| format!("partner:{uuid}")));
    subjects.extend(tier.map(|uuid| format!("tier:{uuid}")));
    subjects
}

fn subject(claims: &Claims) -> Result<Uuid, Fault> {
    claims.sub.parse().map_err(|_| err_revoked("principal"))
}

fn moment(unix: i64) -> Result<Time, Fault> {
    jiff::Timestamp::from_second(unix).map(Time).map_err(Fault::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_client_scopes_are_intersected_without_admin_scopes() {
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        let own = set(&["marketplace:write", "labs.admin:write", "statistics", "storefront:write"]);
        let tier = set(&["marketplace.apps:write", "partner:write", "labs.admin:write", "storefront:write"]);
        assert_eq!(effective_scopes(own, tier), set(&["marketplace.apps:write", "storefront"]));
    }
}
