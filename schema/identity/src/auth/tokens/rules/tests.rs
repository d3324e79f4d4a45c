use super::*;

fn error(outcome: Result<impl Sized, Fault>) -> &'static str {
    outcome.err().and_then(|fault| fault.oauth_error()).unwrap_or("none")
}

#[test]
fn credentials_must_be_sent_in_one_way_only() {
    let basic = ("id".to_owned(), "secret".to_owned());
    let form = (Some("id"), Some("secret"));
    let nothing = (None, None);
    let way = |user, basic| {
        read_credentials("password", TokenForm { user, client: nothing }, basic).map(|presented| presented.method)
    };
    assert_eq!(way(form, None).ok(), Some(ClientAuthMethod::Form));
    assert_eq!(way((None, None), Some(&basic)).ok(), Some(ClientAuthMethod::Client));
    assert_eq!(way((Some(""), Some("")), Some(&basic)).ok(), Some(ClientAuthMethod::Client));
    // Equal values in two places count as one method.
    assert_eq!(way(form, Some(&basic)).ok(), Some(ClientAuthMethod::Form));
    let id_alone = ("id".to_owned(), String::new());
    assert_eq!(way(form, Some(&id_alone)).ok(), Some(ClientAuthMethod::Form));
    let another_secret = ("id".to_owned(), "another".to_owned());
    let another_id = ("another".to_owned(), "secret".to_owned());
    let another_id_alone = ("another".to_owned(), String::new());
    for (form, basic) in [
        (form, Some(&another_secret)),
        (form, Some(&another_id)),
        (form, Some(&another_id_alone)),
        ((Some("id"), None), Some(&basic)),
        ((None, None), None),
        ((Some("id"), None), None),
        ((None, Some("secret")), None),
        ((Some("id"), Some("")), None),
    ] {
        assert_eq!(error(way(form, basic)), "invalid_request", "{form:?}");
    }
}

#[test]
fn only_two_grant_types_are_supported() {
    let both = TokenForm { user: (Some("id"), Some("secret")), client: (Some("id"), Some("secret")) };
    for grant_type in ["authorization_code", "refresh_token", "PASSWORD", " password"] {
        assert_eq!(error(read_credentials(grant_type, both, None)), "unsupported_grant_type", "{grant_type}");
    }
    assert_eq!(error(read_credentials("", both, None)), "invalid_request");
}

#[test]
fn client_credentials_come_from_form_or_basic_header() {
    let basic = ("id".to_owned(), "secret".to_owned());
    let told = |client, user, basic| {
        let presented = read_credentials("client_credentials", TokenForm { client, user }, basic);
        presented.map(|presented| (presented.client_id.to_owned(), presented.method))
    };
    let (nothing, id_and_secret) = ((None, None), (Some("id"), Some("secret")));
    let is_client = Some(("id".to_owned(), ClientAuthMethod::Client));
    assert_eq!(told(id_and_secret, nothing, None).ok(), is_client);
    assert_eq!(told(nothing, nothing, Some(&basic)).ok(), is_client);
    assert_eq!(told((Some("id"), None), (Some(""), Some("")), Some(&basic)).ok(), is_client, "the id may be repeated");
    assert_eq!(error(told(nothing, nothing, None)), "invalid_client");
    assert_eq!(error(told(nothing, id_and_secret, None)), "invalid_request", "those are the other grant's fields");
    assert_eq!(error(told(id_and_secret, nothing, Some(&basic))), "invalid_request");
    let person = (Some("mara@nordsee.example"), Some("a long walk"));
    assert_eq!(error(told(person, nothing, None)), "unauthorized_client");
}

#[test]
fn scope_parameter_is_names_separated_by_single_spaces() {
    assert!(matches!(parse_scopes(None), Ok(None)));
    assert!(matches!(parse_scopes(Some("")), Ok(None)));
    let asked = parse_scopes(Some("marketplace.apps statistics")).ok().flatten();
    assert_eq!(asked.map(ScopeSet::text).as_deref(), Some("marketplace.apps statistics"));
    for bad in [
        "marketplace.apps nonsense.of:mine",
        "labs",
        "marketplace.apps:read",
        " ",
        "a  b",
        " a",
        "a ",
        "a\tb",
        "a\"b",
        "a\\b",
        "ä",
        "a\nb",
    ] {
        assert_eq!(error(parse_scopes(Some(bad))), "invalid_scope", "{bad:?}");
    }
    assert_eq!(error(parse_scopes(Some(&"a ".repeat(3000)))), "invalid_scope");
}

#[test]
fn obstacle_is_named_for_token_grant_record() {
    let good = ClientStatus {
        proof: ClientProof::Secret { is_right: true },
        state: "ACTIVE",
        partner_state: None,
        network_is_allowed: true,
    };
    assert_eq!(find_obstacle(good), None);
    assert_eq!(
        find_obstacle(ClientStatus { proof: ClientProof::Secret { is_right: false }, ..good }),
        Some("WRONG_SECRET")
    );
    let untrusted = ClientStatus { proof: ClientProof::Identity { is_trusted: false }, ..good };
    assert_eq!(find_obstacle(untrusted), Some("UNTRUSTED_IDENTITY"));
    assert_eq!(find_obstacle(ClientStatus { proof: ClientProof::Identity { is_trusted: true }, ..good }), None);
    assert_eq!(find_obstacle(ClientStatus { state: "DISABLED", ..good }), Some("CLIENT_DISABLED"));
    assert_eq!(find_obstacle(ClientStatus { network_is_allowed: false, ..good }), Some("NETWORK_NOT_ALLOWED"));
    for (partner_state, expected) in [
        ("ACTIVE", None),
        ("CLOSING", None),
        ("SUSPENDED", Some("PARTNER_NOT_ACTIVE")),
        ("CLOSED", Some("PARTNER_NOT_ACTIVE")),
        ("ERASED", Some("PARTNER_NOT_ACTIVE")),
    ] {
        assert_eq!(
            find_obstacle(ClientStatus { partner_state: Some(partner_state), ..good }),
            expected,
            "{partner_state}"
        );
    }
}

#[test]
fn assertion_must_be_the_only_proof() {
    assert_eq!(read_assertion(Some("a"), Some("b"), false).unwrap(), ("a", "b"));
    for (client_id, assertion, has_other_proof) in [
        (Some("a"), Some("b"), true),
        (None, Some("b"), false),
        (Some(""), Some("b"), false),
        (Some("a"), None, false),
        (Some("a"), Some(""), false),
    ] {
        assert_eq!(error(read_assertion(client_id, assertion, has_other_proof)), "invalid_request");
    }
}

#[test]
fn granted_scopes_are_limited_by_client_request_and_tier() {
    let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
    let allowed = set(&["marketplace:write", "statistics"]);
    assert_eq!(grant(allowed, None, None), allowed);
    assert_eq!(grant(allowed, Some(set(&["marketplace", "storefront"])), None).text(), "marketplace");
    assert_eq!(grant(allowed, Some(set(&["storefront"])), None).text(), "");
    assert_eq!(grant(allowed, None, Some(set(&["marketplace.apps:write"]))).text(), "marketplace.apps:write");
    let everything = ScopeSet::of(Scope::all());
    let bound = grant(everything, None, Some(everything));
    assert!(Scope::all().filter(|scope| scope.is_admin()).all(|scope| !bound.reaches(scope)));
    assert!(grant(everything, None, None).reaches(Scope::parse("labs.admin:write").unwrap()));
}

#[test]
fn machine_client_never_gets_account_scopes() {
    let everything = ScopeSet::of(Scope::all());
    for account in ["auth.account", "auth.account:write"] {
        let account = Scope::parse(account).unwrap();
        assert!(!grant(everything, None, None).reaches(account));
        assert!(!grant(everything, Some(everything), Some(everything)).reaches(account));
    }
}

#[test]
fn oauth_error_depends_on_authentication_method() {
    let status = |way| err_refused(way).oauth_error();
    assert_eq!(status(ClientAuthMethod::Form), Some("invalid_grant"));
    assert_eq!(status(ClientAuthMethod::Client), Some("invalid_client"));
    assert!(err_refused(ClientAuthMethod::Form).detail().is_ascii());
}

#[test]
fn client_must_authenticate_in_one_place() {
    let basic = ("id".to_owned(), "secret".to_owned());
    let way = |form, basic| client(form, basic).map(|presented| presented.method).map_err(|fault| fault.oauth_error());
    assert_eq!(way((Some("id"), Some("secret")), None), Ok(ClientAuthMethod::Client));
    assert_eq!(way((None, None), Some(&basic)), Ok(ClientAuthMethod::Client));
    assert_eq!(way((Some("id"), Some("")), Some(&basic)), Ok(ClientAuthMethod::Client));
    assert_eq!(way((Some("other"), None), Some(&basic)), Err(Some("invalid_request")));
    assert_eq!(way((Some("id"), Some("secret")), Some(&basic)), Err(Some("invalid_request")));
    for nothing in [(None, None), (Some("id"), None), (None, Some("secret"))] {
        assert_eq!(way(nothing, None), Err(Some("invalid_client")));
    }
}

#[test]
fn bound_client_sees_own_tokens_and_unbound_sees_all() {
    let (partner, own, other) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
    assert!(may_see(Some(partner), own, own) && !may_see(Some(partner), own, other));
    assert!(may_see(None, own, other));
}
