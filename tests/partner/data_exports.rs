//! Tests of data exports: complete, without data of other partners, without secrets, and their life cycle.

mod furnished;
mod life;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::imagery::{harness, own};
use super::team::{cast, colleague, invite};
use crate::harness::people::{PASSWORD, Person};
use crate::harness::{Answer, Call, Harness};
use furnished::{catalogue, furnished, owned};

/// Tables whose rows change while a data export is made: only their keys are compared.
const MOVING: &[&str] = &["client_scope_use", "data_export", "machine_client", "request_usage", "session"];

/// Requests a data export.
async fn asked(harness: &Harness, person: &Person) -> String {
    own(harness, person, "partner_data_exports_create").expect(202).await.str("uuid").to_owned()
}

/// Requests a data export and waits until it is complete.
async fn made(harness: &Harness, person: &Person) -> String {
    let export = asked(harness, person).await;
    harness
        .until(&format!("select count(*) from data_export where export_uuid = '{export}' and state = 'SUCCEEDED'"), 1)
        .await;
    export
}

fn download<'h>(harness: &'h Harness, person: &Person, export: &str) -> Call<'h> {
    own(harness, person, "partner_data_exports_download").path("export_uuid", export)
}

/// Returns the files of an archive.
fn unzipped(answer: &Answer) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&answer.bytes)).unwrap();
    let names: Vec<String> = zip.file_names().map(str::to_owned).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        zip.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// Returns the files of a new data export of the user's partner.
pub(crate) async fn new_archive(harness: &Harness, person: &Person) -> BTreeMap<String, Vec<u8>> {
    unzipped(&download(harness, person, &made(harness, person).await).expect(200).await)
}

/// Returns the lines of a table in an archive.
pub(crate) fn lines(files: &BTreeMap<String, Vec<u8>>, table: &str) -> Vec<Value> {
    let text = String::from_utf8(files[&format!("{table}.jsonl")].clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether a line has the same content as a row.
fn is_exported_row(table: &str, line: &Value, row: &Value) -> bool {
    let is_key = |name: &str| name.ends_with("_uuid") || matches!(name, "scope" | "operation" | "day");
    line.as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !MOVING.contains(&table) || is_key(name))
        .all(|(name, value)| row[name] == *value)
}

/// Returns every id and address in rows.
fn marks<'r>(rows: impl Iterator<Item = &'r Value>) -> BTreeSet<String> {
    let fields = rows.flat_map(|row| row.as_object().unwrap().iter());
    let marking = fields.filter(|(name, _)| name.ends_with("_uuid") || name.ends_with("client_id") || *name == "slug");
    marking.filter_map(|(_, value)| value.as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn data_export_contains_all_data_of_its_partner_only() {
    let (harness, _) = harness().await;
    let (mine, theirs) = (furnished(&harness, "Alpenkassen").await, furnished(&harness, "Dorfkrug").await);
    let staff = harness.staff("Petra Partners", &["labs.admin.partners:write"]).await;
    let tables = catalogue(&harness).await;
    let first = made(&harness, &mine).await;
    let manifest = unzipped(&download(&harness, &mine, &first).expect(200).await);
    let manifest: Value = serde_json::from_slice(&manifest["manifest.json"]).unwrap();
    let named = |part: &str| -> Vec<String> {
        let entries = manifest[part].as_array().unwrap().iter();
        entries.map(|entry| entry["table"].as_str().unwrap().to_owned()).collect()
    };
    let (exported, withheld) = (named("files"), named("withheld"));
    for table in &tables {
        assert!(
            exported.contains(table) ^ withheld.contains(table),
            "{table} holds something of partners: let archives have it (KINDS), or say why not (WITHHELD)"
        );
    }
    assert!(exported.contains(&"staff_access".to_owned()), "what staff looked at, which no table holds alone");
    harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    let before = owned(&harness, &exported, mine.partner_uuid.unwrap()).await;
    let answer = download(&harness, &mine, &made(&harness, &mine).await).expect(200).await;
    let after = owned(&harness, &exported, mine.partner_uuid.unwrap()).await;
    let files = unzipped(&answer);
    for table in &exported {
        let lines = lines(&files, table);
        assert!(!before[table].is_empty(), "{table} has nothing of the partner, so that nothing is shown of it here");
        for row in &before[table] {
            assert!(lines.iter().any(|line| is_exported_row(table, line, row)), "{table} lacks {row}\n{lines:?}");
        }
        for line in &lines {
            let known = before[table].iter().chain(&after[table]);
            assert!(
                known.clone().any(|row| is_exported_row(table, line, row)),
                "{table} has a line that is nobody's: {line}"
            );
        }
    }
    nothing_foreign(&harness, &files, &exported, (&mine, &theirs, &staff)).await;
    nothing_secret(&harness, &files).await;
    pictures_are_there(&harness, &files, &after).await;
}

async fn nothing_foreign(
    harness: &Harness,
    files: &BTreeMap<String, Vec<u8>>,
    exported: &[String],
    (mine, theirs, staff): (&Person, &Person, &Person),
) {
    let text = all_text(files);
    let (own, foreign) = (
        owned(harness, exported, mine.partner_uuid.unwrap()).await,
        owned(harness, exported, theirs.partner_uuid.unwrap()).await,
    );
    let (own, foreign) = (marks(own.values().flatten()), marks(foreign.values().flatten()));
    let foreign: Vec<&String> = foreign.difference(&own).collect();
    assert!(foreign.len() > 30, "{foreign:?}");
    for mark in foreign {
        assert!(!text.contains(mark.as_str()), "{mark} is another partner's");
    }
    for word in [
        &theirs.email,
        "Dorfkrug",
        &staff.email,
        &staff.uuid.to_string(),
        "Petra Partners",
        "between staff",
        "among reviewers",
        "not shown yet",
        "customer-1",
    ] {
        assert!(!text.contains(word), "{word}");
    }
}

/// Asserts that the archive contains no value of a binary column in any encoding, and nothing that looks like a secret.
async fn nothing_secret(harness: &Harness, files: &BTreeMap<String, Vec<u8>>) {
    let text = all_text(files);
    let mut owner = harness.owner().await;
    let columns: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, column_name::text from information_schema.columns
          where table_schema = 'public' and data_type = 'bytea' and table_name <> 'audit_canonical'",
    )
    .fetch_all(&mut owner)
    .await
    .unwrap();
    let mut looked_at = 0;
    for (table, column) in columns {
        let values = format!("select encode({column}, 'hex') from {table} where {column} is not null");
        let values: Vec<String> = sqlx::query_scalar(AssertSqlSafe(values)).fetch_all(&mut owner).await.unwrap();
        looked_at += values.len();
        assert!(values.iter().all(|value| !text.contains(value.as_str())), "{table}.{column}");
    }
    assert!(looked_at > 10, "{looked_at}");
    for word in ["$argon2", "labs_cs_", "labs_ot_", "password", "object_secret"] {
        assert!(!text.contains(word), "{word}");
    }
}

async fn pictures_are_there(
    harness: &Harness,
    files: &BTreeMap<String, Vec<u8>>,
    owned: &BTreeMap<String, Vec<Value>>,
) {
    let pictures: Vec<_> = files.iter().filter(|(name, _)| name.starts_with("media/")).collect();
    assert_eq!(pictures.len(), owned["media"].len() + owned["partner_image"].len());
    for (name, bytes) in pictures {
        let picture = image::load_from_memory(bytes).unwrap();
        let uuid = &name[name.len() - "019aa6d0-52c1-7b3e-9f18-2c5d7e904ab6.png".len()..name.len() - ".png".len()];
        let same = format!(
            "select (select count(*) from media where media_uuid = '{uuid}' and width = {0} and height = {1})
                  + (select count(*) from partner_image where image_uuid = '{uuid}' and width = {0} and height = {1})",
            picture.width(),
            picture.height()
        );
        assert_eq!(harness.number(&same).await, 1, "{name}");
    }
}

fn all_text(files: &BTreeMap<String, Vec<u8>>) -> String {
    let texts = files.iter().filter(|(name, _)| !name.starts_with("media/"));
    texts.map(|(name, bytes)| format!("{name}\n{}", String::from_utf8(bytes.clone()).unwrap())).collect()
}

#[tokio::test]
async fn data_export_of_new_owner_omits_users_of_former_owner() {
    let (harness, _) = harness().await;
    let (former, heir) = (furnished(&harness, "Alpenkassen").await, harness.partner("Dorfkrug").await);
    let staff = harness.staff("Sina Support", &["labs.admin.apps:write"]).await;
    let apps = harness.call("marketplace_apps_list").token(&former.token).expect(200).await;
    let app = apps.json["data"][0]["uuid"].as_str().unwrap();
    let body = json!({ "partner_uuid": heir.partner_uuid, "reason": "The product was sold." });
    harness.call("admin_apps_transfer").path("app_uuid", app).token(&staff.token).json(&body).expect(200).await;
    let edit = harness.call("marketplace_apps_update").path("app_uuid", app).token(&heir.token);
    edit.json(&json!({ "tagline": "Takes orders outdoors" })).expect(200).await;
    let files = new_archive(&harness, &heir).await;
    let text = all_text(&files);
    let people = "select array_agg(uuid::text) from (
            select person_uuid as uuid from person where partner_uuid = $1
            union all select client_uuid from machine_client where partner_uuid = $1) as people";
    let people: Vec<String> = sqlx::query_scalar(people)
        .bind(former.partner_uuid.unwrap())
        .fetch_one(&mut harness.owner().await)
        .await
        .unwrap();
    assert!(people.len() > 1, "a person and a program: {people:?}");
    for uuid in people {
        assert!(!text.contains(&uuid), "{uuid} is of the former owner");
    }
    let events = lines(&files, "app_event");
    let told = events.iter().filter(|event| event["actor_uuid"] == json!(heir.uuid)).count();
    assert!(told > 0 && told < events.len(), "its own people are named, those before are not: {events:?}");
    assert!(!lines(&files, "app_version").is_empty());
}

#[tokio::test]
async fn data_export_download_requires_all_included_scopes() {
    let (harness, owner) = cast().await;
    let export = made(&harness, &owner).await;
    let partner = owner.partner_uuid.unwrap();
    let program = async |scopes: &[&str]| harness.program("Archive keeper", scopes, Some(partner)).await.token;
    let (editor, developer) = (
        colleague(&harness, &owner, "Edda", "EDITOR").await.token,
        colleague(&harness, &owner, "Dov", "DEVELOPER").await.token,
    );
    for (who, token, lacks) in [
        ("an editor", editor, Some("subscription")),
        ("a developer", developer, None),
        ("a program", program(&["partner"]).await, Some("subscription")),
        ("a program", program(&["partner:write", "subscription"]).await, Some("marketplace.apps")),
        ("a program", program(&["partner", "subscription", "marketplace"]).await, Some("engagement.feature-requests")),
        ("a program", program(&["partner", "subscription", "marketplace", "engagement"]).await, None),
    ] {
        let call = harness.call("partner_data_exports_download").path("partner_uuid", partner);
        let answer = call.path("export_uuid", &export).token(&token).send().await;
        match lacks {
            None => assert_eq!(answer.status, 200, "{who}: {}", answer.text()),
            Some(scope) => {
                let refusal = (answer.status, answer.code(), answer.str("required_scope"));
                assert_eq!(refusal, (403, "SCOPE_MISSING", scope), "{who}");
                assert!(answer.str("detail").contains("administrator"), "{}", answer.text());
            }
        }
    }
    download(&harness, &owner, &export).expect(200).await;
}

#[tokio::test]
async fn data_export_omits_data_from_before_a_user_joined() {
    let (harness, owner) = harness().await;
    let mover = harness.partner("Weser Software").await;
    let (former, partner) = (mover.partner_uuid.unwrap(), owner.partner_uuid.unwrap());
    let change = format!(
        "insert into email_change (change_uuid, person_uuid, session_uuid, old_email, old_email_normalised, new_email,
                                   new_email_normalised, state, confirmed_at)
         values (labs_uuid(), '{}', labs_uuid(), 'a@a.example', 'a@a.example', 'b@b.example', 'b@b.example',
                 'CONFIRMED', labs_now())",
        mover.uuid
    );
    harness.sql(&change).await;
    harness.advance(60).await;
    harness
        .sql(&format!(
            "update partner set state = 'CLOSED' where partner_uuid = '{former}';
             update person set partner_uuid = '{partner}', role = 'VIEWER' where person_uuid = '{0}';
             insert into invitation (invitation_uuid, partner_uuid, email, email_normalised, role, state, person_uuid,
                                     expires_at)
             values (labs_uuid(), '{partner}', 'm@m.example', 'm@m.example', 'VIEWER', 'ACCEPTED', '{0}', labs_now())",
            mover.uuid
        ))
        .await;
    harness.advance(60).await;
    harness.sql(&change).await;
    harness.sign_in(&mover.email).await;
    let files = unzipped(&download(&harness, &owner, &made(&harness, &owner).await).expect(200).await);
    let of_mover = |table: &str| {
        let lines = lines(&files, table);
        lines.iter().filter(|line| line["person_uuid"] == mover.uuid.to_string()).count()
    };
    assert_eq!((of_mover("session"), of_mover("email_change")), (1, 1), "what is from before belongs to nobody here");
}

#[tokio::test]
async fn staff_action_with_consequences_is_in_data_export() {
    let (harness, owner) = cast().await;
    let staff = harness.staff("Jonas Okafor", &["labs.admin.users:write"]).await;
    let tomas = colleague(&harness, &owner, "Tomas", "ADMINISTRATOR").await;
    assert_eq!(invite(&harness, &tomas, "friend@elsewhere.example", "VIEWER").await.status, 201);
    let body = json!({ "company_name": "Weser Software", "country": "DE", "accept_terms": true,
        "administrator": { "name": "Ada Weser", "email": "ada@weser.example", "password": PASSWORD } });
    harness.call("auth_registrations_create").json(&body).expect(202).await;
    let ada = harness.call("admin_users_list").token(&staff.token).query("q", "ada@weser").expect(200).await;
    let ada: uuid::Uuid = ada.json["data"][0]["uuid"].as_str().unwrap().parse().unwrap();
    for (step, person) in [("admin_users_lock", tomas.uuid), ("admin_users_verify_email", ada)] {
        let call = harness.call(step).path("user_uuid", person).token(&staff.token);
        call.json(&json!({ "reason": format!("Why: {step}.") })).expect(200).await;
    }
    let ada = harness.sign_in("ada@weser.example").await;
    for (step, followed, person) in
        [("admin_users_lock", "INVITATION_REVOKED", &owner), ("admin_users_verify_email", "REGISTERED", &ada)]
    {
        let told = own(&harness, person, "partner_account_list_events").query("actor_kind", "STAFF_USER");
        let told = told.expect(200).await.json["data"].as_array().unwrap().clone();
        // The reason is visible to staff only.
        let of_step = |event: &&Value| event["operation"] == step && event["reason"].is_null();
        assert_eq!(told.iter().filter(of_step).count(), 1, "{step}: {told:?}");
        assert_eq!(told.iter().filter(|event| event["kind"] == followed).count(), 1, "{step}: {told:?}");
        let files = unzipped(&download(&harness, person, &made(&harness, person).await).expect(200).await);
        assert_eq!(lines(&files, "staff_access").iter().filter(of_step).count(), 1, "{step}");
    }
}
