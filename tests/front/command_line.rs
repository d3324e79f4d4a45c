//! Tests of the help texts of the command line.

use std::process::Command;

use serde_json::json;
use sqlx::Connection as _;

use super::{LABS, Service, said};
use crate::harness::Harness;

#[test]
fn help_describes_every_command() {
    let help = Command::new(LABS).arg("--help").output().unwrap();
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    for command in ["serve", "check", "migrate", "staff", "client", "audit", "contract", "release-notes"] {
        let mut lines = help.lines().filter_map(|line| line.trim_start().split_once("  "));
        let purpose = lines.find_map(|(name, purpose)| (name == command).then_some(purpose));
        // A description of one or two words would only repeat the name.
        assert!(purpose.is_some_and(|purpose| purpose.split_whitespace().count() > 2), "{command} in {help}");
    }
}

#[test]
fn release_notes_list_breaking_changes() {
    let place = tempfile::tempdir().unwrap();
    let former = place.path().join("former.yaml");
    let text = include_str!("../../contract/openapi.yaml");
    std::fs::write(&former, text.replace("operationId: system_health_get", "operationId: system_pulse_get")).unwrap();
    let notes = Command::new(LABS).args(["release-notes", "--since", former.to_str().unwrap()]).output().unwrap();
    assert!(notes.status.success(), "{}", said(&notes));
    let notes = String::from_utf8(notes.stdout).unwrap();
    assert!(
        notes.contains("requires a new major version")
            && notes.contains("`system_pulse_get`: The operation was removed."),
        "{notes}"
    );
    let missing = Command::new(LABS).args(["release-notes", "--since", "no-such-file.yaml"]).output().unwrap();
    assert!(!missing.status.success() && said(&missing).contains("no-such-file.yaml"));
}

#[test]
fn commands_create_nothing_in_a_folder_without_service() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("labs");
    let staff = ["staff", "create", "--email", "ada@labs.example", "--name", "Ada", "--role", "ADMINISTRATOR"];
    let client = ["client", "create", "--name", "shop", "--scope", "storefront"];
    for command in [staff.as_slice(), client.as_slice()] {
        let output = Command::new(LABS).args(command).arg("--folder").arg(&folder).output().unwrap();
        assert!(!output.status.success() && said(&output).contains("contains no Labs database"), "{}", said(&output));
        assert!(!folder.exists(), "no database, no key, no folder");
    }
}

/// Runs a command and returns its standard output.
pub(super) fn stdout_of(folder: &std::path::Path, words: &[&str]) -> String {
    let output = Command::new(LABS).args(words).arg("--folder").arg(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the value after a label in the output.
pub(super) fn of<'a>(told: &'a str, label: &str) -> &'a str {
    told.lines().find_map(|line| line.trim_start().strip_prefix(label)).unwrap_or_else(|| panic!("{told}")).trim()
}

/// Signs a user in with password and second factor. Returns the error code if the service rejects it.
pub(super) async fn sign_in(harness: &Harness, email: &str, password: &str, secret: &str) -> Result<String, String> {
    let body = json!({ "email": email, "password": password });
    let asked = harness.call("auth_sessions_create").json(&body).send().await;
    if asked.code() != "MFA_REQUIRED" {
        return Err(asked.code().to_owned());
    }
    let body = json!({ "challenge": asked.str("challenge"), "code": harness.code(secret) });
    let answer = harness.call("auth_sessions_verify_mfa").json(&body).send().await;
    if answer.status == 200 { Ok(answer.str("access_token").to_owned()) } else { Err(answer.code().to_owned()) }
}

#[tokio::test]
async fn lost_password_second_factor_or_secret_is_reset() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let service = Service::start(folder);
    let harness = service.harness(folder).await;
    let email = "ada@labs.example";
    let made = stdout_of(folder, &["staff", "create", "--email", email, "--name", "Ada", "--role", "ADMINISTRATOR"]);
    let (lost, first_factor) = (of(&made, "password"), of(&made, "authenticator"));
    let before = sign_in(&harness, email, lost, first_factor).await.unwrap();
    let costly = "select count(*) from person where password_hash like '$argon2id$v=19$m=19456,t=2,p=1$%'";
    assert_eq!(harness.number(costly).await, harness.number("select count(password_hash) from person").await);

    let renewed = stdout_of(folder, &["staff", "reset-password", "--email", email]);
    let password = of(&renewed, "password");
    let is_refused = || async { harness.call("system_me_get").token(&before).send().await.status == 401 };
    harness.soon("the session of before ends", is_refused).await;
    assert_ne!(sign_in(&harness, email, lost, first_factor).await.unwrap_err(), "MFA_INVALID");
    let factor = stdout_of(folder, &["staff", "reset-mfa", "--email", email]);
    assert!(sign_in(&harness, email, password, first_factor).await.is_err(), "the former authenticator is void");
    let token = sign_in(&harness, email, password, of(&factor, "authenticator")).await.unwrap();
    let listed = stdout_of(folder, &["staff", "list"]);
    assert!(listed.lines().any(|line| line.starts_with(email) && line.contains("ACTIVE") && line.ends_with("Ada")));

    let made = stdout_of(folder, &["client", "create", "--name", "shop", "--scope", "storefront"]);
    let client_id = of(&made, "client id");
    harness.token_of(client_id, of(&made, "client secret"), None).await;
    let renewed = stdout_of(folder, &["client", "rotate-secret", client_id, "--old-secret-expires-in", "0"]);
    harness.token_of(client_id, of(&renewed, "client secret"), None).await;
    let form = [("grant_type", "password"), ("username", client_id), ("password", of(&made, "client secret"))];
    harness.call("auth_tokens_issue").form(&form).expect(400).await;
    assert!(stdout_of(folder, &["client", "list"]).contains(client_id));

    let records = harness.call("admin_audit_records_list").query("channel", "COMMAND_LINE").token(&token);
    let records = records.expect(200).await;
    let done = records.json["data"].as_array().unwrap().iter().map(|record| record["operation"].as_str().unwrap());
    let expected = ["client_rotate_secret", "client_create", "staff_reset_mfa", "staff_reset_password", "staff_create"];
    assert_eq!(done.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn partner_of_a_client_is_given_by_slug_or_name() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let service = Service::start(folder);
    let harness = service.harness(folder).await;
    let partner = harness.partner("Nordsee Kassen").await.partner_uuid.unwrap().to_string();
    let named = |partner: &str| {
        let words = ["client", "create", "--name", "importer", "--scope", "marketplace.apps", "--partner", partner];
        Command::new(LABS).args(words).arg("--folder").arg(folder).output().unwrap()
    };
    for partner in [partner.as_str(), "nordsee-kassen", "NORDSEE kassen"] {
        let made = named(partner);
        assert!(made.status.success(), "{partner}: {}", said(&made));
    }
    let listed = stdout_of(folder, &["client", "list"]);
    assert_eq!(
        listed.lines().filter(|line| line.contains(&partner) && line.ends_with("importer")).count(),
        3,
        "{listed}"
    );
    let unknown = named("nordsee");
    assert!(
        !unknown.status.success() && said(&unknown).contains("No open partner has the UUID, slug or name"),
        "{}",
        said(&unknown)
    );

    let other = harness.partner("Other").await.partner_uuid.unwrap();
    harness.sql(&format!("update partner set company_name = 'nordsee-kassen' where partner_uuid = '{other}'")).await;
    let several = named("nordsee-kassen");
    let candidates = said(&several);
    assert!(!several.status.success() && candidates.contains("Several partners have the slug or name"), "{candidates}");
    assert!(candidates.contains(&partner) && candidates.contains(&other.to_string()), "{candidates}");
}

#[test]
fn reset_of_unknown_account_is_rejected() {
    let place = tempfile::tempdir().unwrap();
    let _service = Service::start(place.path());
    for (words, missing) in [
        (["staff", "reset-password", "--email", "no@labs.example"].as_slice(), "staff member"),
        (&["staff", "reset-mfa", "--email", "no@labs.example"], "staff member"),
        (&["client", "rotate-secret", "labs-client-none"], "machine client"),
    ] {
        let output = Command::new(LABS).args(words).arg("--folder").arg(place.path()).output().unwrap();
        assert!(!output.status.success() && said(&output).contains(missing), "{}", said(&output));
    }
}

#[test]
fn totp_command_prints_current_code() {
    let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    let shown = Command::new(LABS).args(["totp", secret]).output().unwrap();
    let code = String::from_utf8(shown.stdout).unwrap();
    let is_code = |code: &str| code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit());
    assert!(shown.status.success() && is_code(code.trim()), "{code}");
    let wrong = Command::new(LABS).args(["totp", "GEZDGNBV1"]).output().unwrap();
    assert!(!wrong.status.success() && said(&wrong).contains("not a TOTP secret"), "{}", said(&wrong));
}

#[test]
fn mistyped_scope_error_suggests_the_right_one() {
    let output =
        Command::new(LABS).args(["client", "create", "--name", "shop", "--scope", "storefrnt"]).output().unwrap();
    let told = said(&output);
    assert!(!output.status.success() && told.contains("similar value exists: 'storefront'"), "{told}");
    assert!(told.contains("marketplace.apps:write"), "{told}");
}

/// Returns the command's message about an unusable database.
fn refusal(database_url: &str, key: &std::path::Path) -> String {
    let mut command = Command::new(LABS);
    command.args(["staff", "create", "--email", "ada@labs.example", "--name", "Ada", "--role", "ADMINISTRATOR"]);
    command.args(["--database-url", database_url, "--master-key-file", key.to_str().unwrap()]);
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{database_url}");
    said(&output)
}

#[tokio::test]
async fn unusable_database_error_states_fix() {
    let harness = Harness::new().await;
    let place = tempfile::tempdir().unwrap();
    let (own, other) = (harness.master_key(), place.path().join("another.key"));
    let name = harness.database_url.split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
    let elsewhere = |user: &str, database: &str| {
        let url = harness.database_url.replacen("//labs@", &format!("//{user}@"), 1);
        url.replacen(&format!("/{name}?"), &format!("/{database}?"), 1)
    };
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (database_url, key, said) in [
        (elsewhere("labs", "no_such"), &own, "has no database no_such. Create it"),
        (elsewhere("nobody", &name), &own, "rejects the user nobody"),
        (format!("postgres://labs@{closed}/labs"), &own, "cannot be reached"),
        ("postgres://labs@db:port/labs".to_owned(), &own, "DATABASE_URL cannot be parsed"),
        (harness.database_url.clone(), &other, "The data of this database was sealed with another master key"),
    ] {
        let told = refusal(&database_url, key);
        assert!(told.contains(said) && !told.contains("equest id"), "{database_url}: {told}");
    }
    let blank = format!("{name}_blank");
    harness.sql(&format!("create database {blank}")).await;
    let full = "create function full_disk() returns event_trigger language plpgsql as
                    'begin raise disk_full using message = ''No space left on device''; end';
                create event trigger full_disk on ddl_command_start execute function full_disk()";
    let mut owner = sqlx::PgConnection::connect(&elsewhere("labs", &blank)).await.unwrap();
    sqlx::raw_sql(full).execute(&mut owner).await.unwrap();
    let told = refusal(&elsewhere("labs", &blank), &own);
    assert!(told.contains("has a full disk. Free some space"), "{told}");
    harness
        .sql(
            "insert into _sqlx_migrations (version, description, success, checksum, execution_time)
               values (9000, 'of a later version', true, '', 0)",
        )
        .await;
    let told = refusal(&harness.database_url, &own);
    assert!(
        told.contains("migrated by a newer version of Labs: this version does not know its migration 9000 and"),
        "{told}"
    );
}
