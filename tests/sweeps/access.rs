//! Access sweep: every operation with every kind of principal.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{StreamExt as _, stream};
use labs_rest::contract::Access;
use labs_schema::crypto::token::{Claims, KeyRing, SigningKeyRow, new_signing_key};
use serde_json::{Value, json};

use super::{Cast, empty_body, filled, is_admitted, operations};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness};
use crate::partner::team::colleague;

/// A principal and its scopes according to the specification.
struct Principal {
    name: String,
    token: String,
    scopes: Vec<String>,
}

/// Scopes of each role on the free tier (docs/decisions/access.md#partner-roles). Duplicated on purpose, not read from
/// the service's own tables.
const ROLES: &[(&str, &[&str])] = &[
    ("ADMINISTRATOR", &["partner:write", "subscription:write", "marketplace:write", "engagement:write"]),
    (
        "DEVELOPER",
        &[
            "marketplace.apps:write",
            "marketplace.reviews",
            "engagement.feature-requests:write",
            "partner",
            "partner.support:write",
            "subscription",
        ],
    ),
    (
        "EDITOR",
        &[
            "marketplace.apps:write",
            "marketplace.reviews:write",
            "partner.profile:write",
            "partner",
            "partner.support:write",
        ],
    ),
    ("ACCOUNTANT", &["partner:write", "subscription:write", "partner.support:write"]),
    ("VIEWER", &["partner", "subscription", "marketplace.apps", "marketplace.reviews", "engagement.feature-requests"]),
];
/// Scopes of roles that the free tier does not include.
const BEYOND_THE_FREE_TIER: &[(&str, &str)] = &[
    ("ADMINISTRATOR", "statistics:write"),
    ("DEVELOPER", "statistics"),
    ("EDITOR", "statistics"),
    ("VIEWER", "statistics"),
];
/// Scopes that no principal of a partner has, besides those of staff.
const NEVER_OF_A_PARTNER: &[&str] =
    &["storefront:write", "storefront.reviews:write", "publication.changelog", "publication.changelog:write"];
const OF_ALL: &[&str] = &["auth.account:write", "publication.developer-resources", "storefront"];

/// Number of concurrent calls.
const AT_ONCE: usize = 8;

/// A public operation that still reads the `Authorization` header, for the client id and secret of a machine client.
const READS_CREDENTIALS: &str = "auth_tokens_issue";

/// The scope rule as the specification states it: a scope grants its children at its own level, never above.
pub(super) fn grants(held: &str, needed: &str) -> bool {
    let (held_domain, held_write) = held.strip_suffix(":write").map_or((held, false), |domain| (domain, true));
    let (domain, write) = needed.strip_suffix(":write").map_or((needed, false), |domain| (domain, true));
    (held_write || !write) && (domain == held_domain || domain.starts_with(&format!("{held_domain}.")))
}

#[tokio::test]
async fn every_operation_admits_exactly_callers_in_contract() {
    let cast = Cast::new().await;
    let principals = principals(&cast).await;
    for operation in operations() {
        // `None` if any valid token is sufficient.
        let needed = match &operation.access {
            Access::Scope(needed) => Some(needed.as_str()),
            Access::Any => None,
            Access::Public | Access::Cookie | Access::Client => continue,
        };
        let tried = principals.iter().map(async |principal| {
            let answer = empty_body(operation, filled(&cast.harness, operation)).token(&principal.token).send().await;
            let reaches = needed.is_none_or(|needed| principal.scopes.iter().any(|held| grants(held, needed)));
            let who =
                format!("{} at {} ({needed:?}): {} {}", principal.name, operation.id, answer.status, answer.text());
            assert_eq!(is_admitted(&answer), reaches, "{who}");
            match needed {
                None => assert_ne!(answer.status, 403, "{who}"),
                Some(needed) if !reaches => {
                    assert_eq!((answer.status, answer.str("required_scope")), (403, needed), "{who}");
                    assert_lack(principal, needed, &answer, &who);
                }
                Some(_) => {}
            }
        });
        // Runs several calls concurrently, so that no processor is idle while this longest sweep is the last to finish.
        stream::iter(tried).buffer_unordered(AT_ONCE).collect::<()>().await;
    }
}

#[tokio::test]
async fn every_authenticated_operation_rejects_invalid_tokens() {
    let cast = Cast::new().await;
    let harness = &cast.harness;
    let good = cast.administrator.token.clone();
    let unsigned = forged(&good);
    let [named_alike, named_apart] =
        [true, false].map(|is_named_alike| signed_elsewhere(harness, &good, is_named_alike));
    let revoked = harness.sign_in(&cast.administrator.email).await;
    harness.call("auth_sessions_sign_out").cookie(&revoked.refresh).json(&json!({})).expect(200).await;
    wait_until_revoked(harness, &revoked.token).await;
    let disabled = token_of_a_disabled_program(&cast).await;
    for operation in operations().filter(|operation| matches!(operation.access, Access::Any | Access::Scope(_))) {
        let bad = [
            ("none", None),
            ("garbled", Some("abc.def.ghi")),
            ("no signature", Some(unsigned.as_str())),
            ("foreign key under our name", Some(named_alike.as_str())),
            ("foreign key under its own name", Some(named_apart.as_str())),
            ("revoked", Some(revoked.token.as_str())),
            ("of a disabled program", Some(disabled.as_str())),
        ];
        for (name, token) in bad {
            let call = empty_body(operation, filled(harness, operation));
            let call = match token {
                Some(token) => call.token(token),
                None => call,
            };
            let answer = call.send().await;
            assert_eq!(answer.status, 401, "{name} at {}: {}", operation.id, answer.text());
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{name} at {}", operation.id);
        }
        let admitted = cast.admitted(operation).send().await;
        assert!(
            is_admitted(&admitted),
            "the positive control at {}: {} {}",
            operation.id,
            admitted.status,
            admitted.text()
        );
    }
    harness.advance(3700).await;
    for operation in operations().filter(|operation| matches!(operation.access, Access::Any | Access::Scope(_))) {
        let answer = cast.admitted(operation).send().await;
        assert_eq!((answer.status, answer.code()), (401, "TOKEN_EXPIRED"), "{}", operation.id);
    }
}

#[tokio::test]
async fn public_operations_respond_equally_with_any_token() {
    let cast = Cast::new().await;
    let harness = &cast.harness;
    let expired = cast.administrator.token.clone();
    harness.advance(3700).await;
    let good = harness.sign_in(&cast.administrator.email).await.token;
    let unsigned = forged(&good);
    let tokens = [
        ("garbled", "abc.def.ghi"),
        ("expired", expired.as_str()),
        ("no signature", unsigned.as_str()),
        ("good", good.as_str()),
    ];
    for operation in operations().filter(|operation| operation.access == Access::Public) {
        let call = || empty_body(operation, filled(harness, operation)).header("x-request-id", "one-and-the-same");
        let without = call().send().await;
        for (name, token) in tokens {
            let with = call().token(token).send().await;
            if operation.id == READS_CREDENTIALS {
                assert_eq!((with.status, with.code()), (401, "INVALID_CREDENTIALS"), "{name}: {}", with.text());
                continue;
            }
            let told = |answer: &Answer| (answer.status, answer.text());
            assert_eq!(told(&with), told(&without), "{name} at {}", operation.id);
        }
    }
}

#[tokio::test]
async fn token_is_read_only_from_single_authorization_header() {
    let cast = Cast::new().await;
    let token = &cast.administrator.token;
    let harness = &cast.harness;
    harness.call("system_me_get").token(token).expect(200).await;
    harness.call("system_me_get").query("access_token", token).expect(401).await;
    harness.call("system_me_get").token(token).token(token).expect(401).await;
    harness.call("system_me_get").header("authorization", token).expect(401).await;
}

#[tokio::test]
async fn cookie_and_client_operations_reject_missing_credentials() {
    let cast = Cast::new().await;
    for operation in operations().filter(|operation| matches!(operation.access, Access::Cookie | Access::Client)) {
        let bare = empty_body(operation, filled(&cast.harness, operation)).send().await;
        assert_eq!(bare.status, 401, "{}: {}", operation.id, bare.text());
        let with_token =
            empty_body(operation, filled(&cast.harness, operation)).token(&cast.administrator.token).send().await;
        assert_eq!(with_token.status, 401, "{}: {}", operation.id, with_token.text());
        let forged = empty_body(operation, filled(&cast.harness, operation)).cookie("AQAAAAAA").send().await;
        assert_eq!(forged.status, 401, "{}: {}", operation.id, forged.text());
    }
}

/// Checks that the rejection says why the scope is missing, and which roles or tiers have it.
fn assert_lack(principal: &Principal, needed: &str, answer: &Answer, who: &str) {
    let of_roles = |grants_it: &dyn Fn(&str) -> bool| {
        let roles = ROLES.iter().filter(|(_, scopes)| scopes.iter().chain(OF_ALL).any(|held| grants_it(held)));
        let with_statistics = BEYOND_THE_FREE_TIER.iter().filter(|(_, scope)| grants_it(scope)).map(|(role, _)| *role);
        let mut names: Vec<&str> = roles.map(|(role, _)| *role).chain(with_statistics).collect();
        names.sort_by_key(|name| ROLES.iter().position(|(role, _)| role == name));
        names
    };
    let roles = of_roles(&|held| grants(held, needed));
    let is_of_others = needed.starts_with("labs.admin") || NEVER_OF_A_PARTNER.contains(&needed);
    let expected = match principal.name.as_str() {
        "without the factor that is demanded" => "SECOND_FACTOR",
        name if name.starts_with("staff") && needed.starts_with("labs.admin") => "ROLE",
        name if name.starts_with("staff") => "ACCOUNT",
        "storefront" | "program of no partner's" => "CLIENT",
        _ if is_of_others => "ACCOUNT",
        name if name.starts_with("bound program") => {
            let allowed = ["marketplace:write", "partner", "statistics:write"].iter().any(|held| grants(held, needed));
            let tier_lacks_it = BEYOND_THE_FREE_TIER.iter().any(|(_, scope)| grants(scope, needed));
            match (allowed, tier_lacks_it) {
                (false, _) => "CLIENT",
                (true, true) => "TIER",
                (true, false) => "TOKEN",
            }
        }
        role if roles.contains(&role) => "TIER",
        _ => "ROLE",
    };
    assert_eq!(answer.str("missing_because"), expected, "{who}");
    let named: Vec<&str> =
        answer.json["granted_by"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match expected {
        "ROLE" if !needed.starts_with("labs.admin") => assert_eq!(named, roles, "{who}"),
        "ROLE" => assert!(named.contains(&"ADMINISTRATOR"), "{who}"),
        "TIER" => assert!(!named.is_empty() && !named.contains(&"FREE"), "{who}"),
        _ => assert!(named.is_empty(), "{who}"),
    }
}

async fn principals(cast: &Cast) -> Vec<Principal> {
    let harness = &cast.harness;
    let owned = |scopes: &[&str]| scopes.iter().chain(OF_ALL).map(|scope| (*scope).to_owned()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for (role, scopes) in ROLES {
        let person = harness.partner(&format!("Role {role}")).await;
        // The last administrator cannot be removed, so a second user of a partner tries each role.
        let signed_in = colleague(harness, &person, &format!("Colleague-{role}"), role).await;
        all.push(Principal { name: (*role).to_owned(), token: signed_in.token, scopes: owned(scopes) });
    }
    let bound = harness
        .program("bound", &["marketplace:write", "partner", "statistics:write"], cast.administrator.partner_uuid)
        .await;
    let narrow = harness.token_of(&bound.client_id, &bound.secret, Some("marketplace")).await;
    let unbound = harness.program("unbound", &["marketplace:write", "partner:write", "subscription"], None).await;
    let exact = |name: &str, token: &str, scopes: &[&str]| Principal {
        name: name.to_owned(),
        token: token.to_owned(),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
    };
    // The free tier grants no statistics, so the bound machine client has no such scope.
    all.push(exact("bound program", &bound.token, &["marketplace:write", "partner"]));
    all.push(exact("bound program, down-scoped", &narrow, &["marketplace"]));
    all.push(exact("program of no partner's", &unbound.token, &["marketplace:write", "partner:write", "subscription"]));
    all.push(exact("storefront", &cast.storefront.token, &["storefront:write"]));
    for needed in staff_scopes() {
        let person = harness.staff(&format!("Staff {needed}"), &[&needed]).await;
        all.push(exact(&format!("staff with {needed}"), &person.token, &[&needed, "auth.account:write"]));
    }
    let nobody = harness.staff("Staff without", &["labs.admin.engagement"]).await;
    all.push(exact("staff without", &nobody.token, &["labs.admin.engagement", "auth.account:write"]));
    let unproved = without_a_demanded_factor(harness, "Elbkontor").await;
    all.push(exact("without the factor that is demanded", &unproved.token, &["auth.account:write"]));
    all
}

/// Returns the administrator of a partner whose policy requires a second factor, in a session without one.
pub(super) async fn without_a_demanded_factor(harness: &Harness, company: &str) -> Person {
    let person = harness.partner(company).await;
    let partner = person.partner_uuid.unwrap();
    harness.sql(&format!("update partner set mfa_required = true where partner_uuid = '{partner}'")).await;
    harness.sign_in(&person.email).await
}

/// Returns every scope below `labs.admin` that the contract requires, once each.
fn staff_scopes() -> Vec<String> {
    let mut scopes: Vec<String> = operations()
        .filter_map(|operation| operation.access.scope())
        .filter(|scope| scope.starts_with("labs.admin"))
        .map(str::to_owned)
        .collect();
    scopes.sort();
    scopes.dedup();
    scopes
}

/// Returns a token with every scope, of a machine client that staff have disabled since.
async fn token_of_a_disabled_program(cast: &Cast) -> String {
    let scopes = [
        "labs.admin:write",
        "marketplace:write",
        "partner:write",
        "publication.changelog:write",
        "statistics:write",
        "storefront:write",
        "subscription:write",
    ];
    let program = cast.harness.program("disabled", &scopes, None).await;
    let by_staff = |operation: &str| cast.harness.call(operation).token(&cast.staff.token);
    let found = by_staff("admin_machine_clients_list").query("q", &program.client_id).expect(200).await;
    let client = found.json["data"][0]["uuid"].as_str().unwrap();
    let disable = by_staff("admin_machine_clients_disable").path("client_uuid", client);
    disable.json(&json!({ "reason": "It is of no more use." })).expect(200).await;
    wait_until_revoked(&cast.harness, &program.token).await;
    program.token
}

/// Returns the same claims with an invalid signature.
fn forged(token: &str) -> String {
    let (signed, _) = token.rsplit_once('.').unwrap();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode([7_u8; 64]))
}

/// Returns the same claims with a valid signature of another key: either under the id of the service's key or under its
/// own id.
fn signed_elsewhere(harness: &Harness, token: &str, is_named_alike: bool) -> String {
    let mut parts = token.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
    let mut part = || -> Value { serde_json::from_slice(&parts.next().unwrap()).unwrap() };
    let (header, said) = (part(), part());
    let key = new_signing_key().unwrap();
    let key_id = if is_named_alike { header["kid"].as_str().unwrap().to_owned() } else { key.key_id };
    let row = SigningKeyRow {
        key_id: key_id.clone(),
        public_key: key.public_key.to_vec(),
        private_key: Some(key.private_key),
        expires_at: None,
    };
    let [issuer, audience] = ["iss", "aud"].map(|claim| said[claim].as_str().unwrap());
    let ring = KeyRing::new(issuer, audience, &key_id, vec![row]).unwrap();
    let claims: Claims = serde_json::from_value(said.clone()).unwrap();
    let signed = ring.sign(&claims).unwrap().expose().to_owned();
    assert_eq!(ring.verify(&signed, harness.clock.now().unix()), Ok(claims), "whoever trusts that key is let in");
    signed
}

/// Waits until a token is revoked, which takes at most a second.
async fn wait_until_revoked(harness: &Harness, token: &str) {
    let waited = tokio::time::timeout(std::time::Duration::from_secs(5), async {
        while harness.call("system_me_get").token(token).send().await.status != 401 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    waited.await.unwrap();
}
