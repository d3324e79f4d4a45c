//! Tests of registrations: a single step, the same response for known and unknown addresses, and verification of the
//! address.

use serde_json::{Value, json};

use crate::harness::people::PASSWORD;
use crate::harness::{Answer, Harness};

pub(super) const EMAIL: &str = "ada@weser-software.example";

pub(super) fn company(name: &str, email: &str) -> Value {
    json!({ "company_name": name, "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": email, "password": PASSWORD } })
}

/// An invitation by staff, a suspension and a data export, each for a registration that was not verified.
const HANGING: &str = "
    insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, expires_at)
    select labs_uuid(), partner_uuid, 'ines@elbe.example', 'ines@elbe.example', 'VIEWER', labs_now() + interval '7 days'
    from partner where company_name = 'Elbe';
    update partner set state = 'SUSPENDED', former_state = 'ACTIVE' where company_name = 'Ems';
    insert into data_export (export_uuid, partner_uuid, state, requested_by_kind, requested_by, ended_at)
    select labs_uuid(), partner_uuid, 'FAILED', 'STAFF_USER', labs_uuid(), labs_now()
    from partner where company_name = 'Havel'";

pub(super) async fn register(harness: &Harness, body: &Value) -> Answer {
    harness.call("auth_registrations_create").json(body).send().await
}

pub(super) async fn verify(harness: &Harness, token: &str) -> Answer {
    harness.call("auth_registrations_verify_email").json(&json!({ "token": token, "password": PASSWORD })).send().await
}

/// Waits until an address has received this many mails; returns the token in the newest.
pub(super) async fn token_of_mail(harness: &Harness, email: &str, number: usize) -> String {
    for _ in 0..1000 {
        if harness.mails_now(email).len() >= number {
            return harness.mailed_token(email).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no mail number {number} came to {email}")
}

pub(super) fn faults(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.json["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().map(|error| (error["pointer"].as_str().unwrap(), error["code"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn registration_creates_partner_administrator_and_subscription() {
    let harness = Harness::new().await;
    let mut body = company("Küche & Kasse GmbH", EMAIL);
    body["tier_code"] = json!("GROWTH");
    body["legal_form"] = json!("GmbH");
    body["website"] = json!("https://weser-software.example");
    let receipt = register(&harness, &body).await;
    assert_eq!((receipt.status, receipt.str("status")), (202, "VERIFICATION_SENT"));
    assert_eq!((receipt.str("email"), &receipt.json["expires_in"]), (EMAIL, &json!(86400)));
    let sign_in = json!({ "email": EMAIL, "password": PASSWORD });
    let early = harness.call("auth_sessions_create").json(&sign_in).expect(403).await;
    assert_eq!(early.code(), "EMAIL_UNVERIFIED");
    let token = harness.mailed_token(EMAIL).await;
    harness.advance(3600).await;
    let verified = verify(&harness, &token).await;
    assert_eq!((verified.status, verified.str("status"), verified.str("email")), (200, "VERIFIED", EMAIL));
    let person = harness.sign_in(EMAIL).await;
    assert_eq!(person.uuid.to_string(), verified.str("user_uuid"));
    assert_eq!(person.partner_uuid.unwrap().to_string(), verified.str("partner_uuid"));
    let made = "select count(*) from partner join subscription using (partner_uuid) join tier using (tier_uuid)
                 where slug = 'kuche-kasse-gmbh' and code = 'GROWTH' and legal_form = 'GmbH'
                   and period_end = period_start + interval '1 month' and period_start > partner.created_at";
    assert_eq!(harness.number(made).await, 1, "the subscription begins when the address is proved");
    assert_eq!(harness.number("select count(*) from subscription_event where kind = 'STARTED'").await, 1);
    let history = harness.call("partner_account_list_events").path("partner_uuid", person.partner_uuid.unwrap());
    let begun = &history.token(&person.token).expect(200).await.json["data"][0];
    assert_eq!((&begun["kind"], &begun["actor"]["uuid"]), (&json!("REGISTERED"), &json!(person.uuid)), "{begun}");
    assert_eq!(
        harness.number("select count(*) from security_event where kind in ('REGISTRATION', 'EMAIL_VERIFIED')").await,
        2
    );
}

#[tokio::test]
async fn internationalized_address_equals_its_ascii_form() {
    let harness = Harness::new().await;
    let (written, in_ascii) = ("Ada@Müller-Küche.example", "Ada@xn--mller-kche-9dbg.example");
    let receipt = register(&harness, &company("Weser Software", written)).await;
    assert_eq!((receipt.status, receipt.str("email")), (202, written));
    let verified = verify(&harness, &harness.mailed_token(in_ascii).await).await;
    assert_eq!((verified.status, verified.str("email")), (200, written), "mail goes to the domain that DNS knows");
    for form in [written, in_ascii, "ada@müller-küche.example"] {
        assert_eq!(harness.sign_in(form).await.uuid.to_string(), verified.str("user_uuid"), "{form}");
    }
    let account = harness.call("auth_account_get").token(&harness.sign_in(written).await.token).expect(200).await;
    assert_eq!(account.str("email"), written);
    for wrong in ["ada@müller küche.example", "ada@-müller.example", "ada@müller", "@müller.example"] {
        let refused = register(&harness, &company("Weser Software", wrong)).await;
        assert_eq!(faults(&refused), [("/administrator/email", "FORMAT")], "{wrong}");
    }
}

#[tokio::test]
async fn all_registration_errors_are_reported_by_pointer() {
    let harness = Harness::new().await;
    let mut body = company("Weser Software", "ada@127.0.0.1");
    body["administrator"]["password"] = json!("password1234");
    body["tier_code"] = json!("SCALE");
    body["vat_id"] = json!("DE12345678");
    let answer = register(&harness, &body).await;
    assert_eq!((answer.status, answer.code()), (422, "VALIDATION_FAILED"));
    let expected = [
        ("/vat_id", "FORMAT"),
        ("/administrator/email", "FORMAT"),
        ("/administrator/password", "TOO_COMMON"),
        ("/tier_code", "UNKNOWN_TIER"),
    ];
    assert_eq!(faults(&answer), expected, "{}", answer.text());
    let mut own = company("Weser Software", EMAIL);
    own["administrator"]["password"] = json!(EMAIL);
    assert_eq!(faults(&register(&harness, &own).await), [("/administrator/password", "IS_EMAIL")]);
    assert_eq!(harness.number("select count(*) from person").await, 0);
}

#[tokio::test]
async fn contract_and_business_errors_are_reported_together() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let mut body = company("Weser Software", "ada at weser");
    body["country"] = json!("XX");
    body["administrator"]["password"] = json!("password1234");
    body["tier_code"] = json!("SCALE");
    body["accept_terms"] = json!(false);
    let sorted = |answer: &Answer| {
        let mut faults: Vec<_> =
            faults(answer).into_iter().map(|(at, code)| (at.to_owned(), code.to_owned())).collect();
        faults.sort();
        faults
    };
    let answer = register(&harness, &body).await;
    assert_eq!((answer.status, answer.code()), (422, "VALIDATION_FAILED"));
    let named = |faults: &[(&str, &str)]| -> Vec<_> {
        faults.iter().map(|(at, code)| ((*at).to_owned(), (*code).to_owned())).collect()
    };
    let expected = [
        ("/accept_terms", "NOT_ALLOWED"),
        ("/administrator/email", "FORMAT"),
        ("/administrator/password", "TOO_COMMON"),
        ("/country", "UNKNOWN_COUNTRY"),
        ("/tier_code", "UNKNOWN_TIER"),
    ];
    assert_eq!(sorted(&answer), named(&expected), "{}", answer.text());
    // Each field is reported once, and the response is the same for an address that already has an account.
    body["administrator"] = json!({ "email": person.email, "password": "short" });
    body["country"] = json!(7);
    body["vat_id"] = json!("DE12345678");
    let answer = register(&harness, &body).await;
    let expected = [
        ("/accept_terms", "NOT_ALLOWED"),
        ("/administrator/name", "REQUIRED"),
        ("/administrator/password", "TOO_SHORT"),
        ("/country", "TYPE"),
        ("/tier_code", "UNKNOWN_TIER"),
    ];
    assert_eq!(sorted(&answer), named(&expected), "{}", answer.text());
    for odd in [json!([]), json!({ "administrator": "me" }), json!({ "tier_code": "A\u{0}" })] {
        let answer = register(&harness, &odd).await;
        assert!(matches!(answer.status, 400 | 422), "{}", answer.text());
    }
    assert_eq!(harness.number("select count(*) from person").await, 1);
}

#[tokio::test]
async fn only_publicly_offered_tiers_can_be_chosen() {
    let harness = Harness::new().await;
    harness.sql("update tier set state = 'RETIRED' where code = 'GROWTH'").await;
    for code in ["GROWTH", "SCALE", "NO_SUCH_TIER"] {
        let mut body = company("Weser Software", EMAIL);
        body["tier_code"] = json!(code);
        assert_eq!(faults(&register(&harness, &body).await), [("/tier_code", "UNKNOWN_TIER")], "{code}");
    }
}

#[tokio::test]
async fn registration_without_tier_gets_fallback_tier() {
    let harness = Harness::new().await;
    harness
        .sql(
            "insert into tier (tier_uuid, code, name, state, burst_per_second, daily_requests, self_service, position)
             values (labs_uuid(), 'START', 'Start', 'OFFERED', 5, 5000, true, 9);
             update tier set state = 'RETIRED' where code = 'FREE'",
        )
        .await;
    assert_eq!(register(&harness, &company("Weser Software", EMAIL)).await.status, 202);
    let begun = "select count(*) from subscription join tier using (tier_uuid) where code = 'START'";
    assert_eq!(harness.number(begun).await, 1);
    let staff = harness.staff("Jonas Okafor", &["labs.admin.partners:write"]).await;
    let otto = json!({ "email": "otto@elbe.example" });
    let elbe = json!({ "company_name": "Elbe Software", "country": "DE", "administrator": otto });
    let made = harness.call("admin_partners_create").token(&staff.token).json(&elbe).expect(201).await;
    assert_eq!(made.json["subscription"]["tier_code"], "START");
}

#[tokio::test]
async fn known_address_is_notified_by_mail_only() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let strangers = register(&harness, &company("Weser Software", "new@weser-software.example")).await;
    let known = register(&harness, &company("Weser Software", &person.email.to_uppercase())).await;
    assert_eq!(known.status, strangers.status);
    assert_eq!(known.json["expires_in"], strangers.json["expires_in"]);
    assert_eq!(known.headers.len(), strangers.headers.len());
    harness.mailed_token("new@weser-software.example").await;
    for _ in 0..500 {
        if harness.mails_now(&person.email).len() == 2 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mails = harness.mails_now(&person.email);
    assert_eq!(mails.len(), 2, "the notice goes to the address as its owner wrote it");
    assert!(!mails[1].contains("labs_ot_"), "{}", mails[1]);
    assert_eq!(harness.number("select count(*) from partner").await, 2);
    let told = format!(
        "select count(*) from security_event where kind = 'REGISTRATION' and outcome = 'FAILED' and person_uuid = '{}'",
        person.uuid
    );
    assert_eq!(harness.number(&told).await, 1, "it stands in the owner's own ledger");
    harness.sign_in(&person.email).await;
}

#[tokio::test]
async fn partners_with_equal_names_get_distinct_slugs() {
    let harness = Harness::new().await;
    for number in 0..3 {
        let email = format!("ada{number}@weser-software.example");
        assert_eq!(register(&harness, &company("Weser Software", &email)).await.status, 202);
    }
    assert_eq!(harness.number("select count(distinct slug) from partner").await, 3);
    assert_eq!(harness.number("select count(*) from partner where slug like 'weser-software-%'").await, 2);
}

#[tokio::test]
async fn every_void_token_is_rejected_with_same_error() {
    let harness = Harness::new().await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    let token = harness.mailed_token(EMAIL).await;
    let locked = format!("update person set state = 'LOCKED' where email = '{EMAIL}'");
    harness.sql(&locked).await;
    let by_staff = verify(&harness, &token).await;
    harness.sql(&format!("update person set state = 'UNVERIFIED' where email = '{EMAIL}'")).await;
    assert_eq!(verify(&harness, &token).await.status, 200, "a refusal consumes nothing");
    let used = verify(&harness, &token).await;
    let unknown = verify(&harness, "labs_ot_no_such_token").await;
    register(&harness, &company("Elbe Software", "otto@elbe-software.example")).await;
    let late = harness.mailed_token("otto@elbe-software.example").await;
    harness.advance(86_401).await;
    let late = verify(&harness, &late).await;
    for answer in [by_staff, used, unknown, late] {
        assert_eq!(faults(&answer), [("/token", "INVALID")]);
        assert!(answer.str("detail").starts_with("The request breaks"), "{}", answer.text());
    }
}

#[tokio::test]
async fn unverified_registration_expires_and_can_be_repeated() {
    let harness = Harness::new().await;
    let verified = harness.partner("Nordsee Kassen").await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    token_of_mail(&harness, EMAIL, 1).await;
    for name in ["Elbe", "Ems", "Havel"] {
        register(&harness, &company(name, &format!("otto@{}.example", name.to_lowercase()))).await;
    }
    harness.sql(HANGING).await;
    // The service does not send a mail message whose link has expired.
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    let pool = harness.engine.pool().clone();
    assert_eq!(labs_schema::operator::registrations_drop(&pool).await.unwrap(), 0, "its time is not over");
    harness.advance(86_401).await;
    for _ in 0..200 {
        // The service's own job may run first.
        labs_schema::operator::registrations_drop(&pool).await.unwrap();
        if harness.number("select count(*) from partner").await == 4 {
            break;
        }
    }
    assert_eq!(harness.number("select count(*) from partner").await, 4, "what else hangs on a company keeps it");
    resend(&harness, "otto@elbe.example").await;
    let token = token_of_mail(&harness, "otto@elbe.example", 2).await;
    assert_eq!(register(&harness, &company("Elbe anew", "otto@elbe.example")).await.status, 202);
    let anew = token_of_mail(&harness, "otto@elbe.example", 3).await;
    assert_eq!(verify(&harness, &anew).await.status, 200);
    assert_eq!(harness.number("select count(*) from partner where company_name = 'Elbe'").await, 1, "left to staff");
    assert_eq!(verify(&harness, &token).await.status, 422, "the address is proved for another company");
    assert_eq!(
        harness.number(&format!("select count(*) from person where person_uuid = '{}'", verified.uuid)).await,
        1
    );
    assert_eq!(register(&harness, &company("Weser Software", EMAIL)).await.status, 202);
    let token = token_of_mail(&harness, EMAIL, 2).await;
    assert_eq!(verify(&harness, &token).await.status, 200);
}

#[tokio::test]
async fn repeat_with_idempotency_key_registers_once() {
    let harness = Harness::new().await;
    let call =
        || harness.call("auth_registrations_create").header("idempotency-key", "b7f2").json(&company("Weser", EMAIL));
    let first = call().expect(202).await;
    let second = call().expect(202).await;
    assert_eq!(second.header("idempotency-replayed"), "true");
    assert_eq!(first.bytes, second.bytes);
    assert_eq!(harness.number("select count(*) from mail_message").await, 1);
}

#[tokio::test]
async fn idempotent_registration_hashes_password_before_transaction() {
    let harness = Harness::new().await;
    let held = harness.lock("tier", "access exclusive").await;
    let body = company("Weser", EMAIL);
    let call = harness.call("auth_registrations_create").header("idempotency-key", "b7f2").json(&body);
    let others = async {
        let own = "select count(*) from pg_stat_activity where datname = current_database()";
        // The service looks up the tier before it hashes the password, on a connection that it returns to the pool.
        harness.until(&format!("{own} and wait_event_type = 'Lock' and query like '%fallback_tier%'"), 1).await;
        let begun = format!("{own} and state = 'idle in transaction' and query like '%idempotency_key%'");
        assert_eq!(harness.number(&begun).await, 0);
        held.roll_back().await;
    };
    let (registered, ()) = tokio::join!(call.send(), others);
    assert_eq!(registered.status, 202, "{}", registered.text());
}

pub(super) async fn resend(harness: &Harness, email: &str) -> Answer {
    harness.call("auth_registrations_resend_verification").json(&json!({ "email": email })).send().await
}

#[tokio::test]
async fn resent_mail_replaces_token() {
    let harness = Harness::new().await;
    register(&harness, &company("Weser Software", EMAIL)).await;
    let first = token_of_mail(&harness, EMAIL, 1).await;
    harness.advance(86_000).await;
    let receipt = resend(&harness, &EMAIL.to_uppercase()).await;
    assert_eq!((receipt.status, receipt.str("status")), (202, "VERIFICATION_SENT"));
    let second = token_of_mail(&harness, EMAIL, 2).await;
    assert_eq!(verify(&harness, &first).await.status, 422);
    harness.advance(86_000).await;
    assert_eq!(verify(&harness, &second).await.status, 200, "it is good for another day");
}

#[tokio::test]
async fn resend_response_does_not_reveal_known_address() {
    let harness = Harness::new().await;
    let person = harness.partner("Nordsee Kassen").await;
    let unknown = resend(&harness, "nobody@nowhere.example").await;
    let known = resend(&harness, &person.email).await;
    assert_eq!((known.status, known.headers.len()), (unknown.status, unknown.headers.len()));
    assert_eq!(known.json["expires_in"], unknown.json["expires_in"]);
    assert_eq!(harness.number("select count(*) from mail_message where kind = 'ALREADY_REGISTERED'").await, 1);
    assert_eq!(harness.number("select count(*) from mail_message").await, 2);
    for _ in 0..8 {
        resend(&harness, &person.email).await;
    }
    assert_eq!(harness.number("select count(*) from mail_message").await, 5, "five mails an hour, whoever asks");
}
