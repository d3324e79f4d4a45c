//! Restores a dump, the files and the master key in a new place, as the operator manual describes; everything works
//! afterwards.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

use super::command_line::{of, sign_in, stdout_of};
use super::{LABS, Service, database_url, said, serve};
use crate::harness::Harness;
use crate::harness::people::Person;

const EMAILS: [&str; 2] = ["ada@labs.example", "grace@labs.example"];

/// Creates an app with a screenshot and returns the values that are needed to request its content.
async fn screenshot(harness: &Harness, partner: &Person) -> [String; 2] {
    let body = json!({ "name": "Table plan", "default_locale": "en" });
    let app = harness.call("marketplace_apps_create").token(&partner.token).json(&body).expect(201).await;
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(640, 400).write_to(&mut png, image::ImageFormat::Png).unwrap();
    let file = reqwest::multipart::Part::bytes(png.into_inner()).file_name("a.png").mime_str("image/png").unwrap();
    let form = reqwest::multipart::Form::new().text("kind", "SCREENSHOT").part("file", file);
    let upload = harness.call("marketplace_media_upload").path("app_uuid", app.str("uuid")).token(&partner.token);
    let made = upload.multipart(form).expect(201).await;
    [app.str("uuid").to_owned(), made.str("uuid").to_owned()]
}

async fn content(harness: &Harness, partner: &Person, picture: &[String; 2]) -> Vec<u8> {
    let call = harness.call("marketplace_media_get_content").token(&partner.token);
    let answer = call.path("app_uuid", &picture[0]).path("media_uuid", &picture[1]).expect(200).await;
    answer.bytes
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs one of the PostgreSQL programs.
fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
}

#[tokio::test]
async fn restored_backup_continues_in_a_new_folder() {
    let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = place.path();
    let service = Service::start(folder);
    let mut harness = service.harness(folder).await;
    let staff = EMAILS.map(|email| {
        let made =
            stdout_of(folder, &["staff", "create", "--email", email, "--name", "Ada", "--role", "ADMINISTRATOR"]);
        (of(&made, "password").to_owned(), of(&made, "authenticator").to_owned())
    });
    sign_in(&harness, EMAILS[0], &staff[0].0, &staff[0].1).await.unwrap();
    let partner = harness.partner("Tischwerk").await;
    let picture = screenshot(&harness, &partner).await;
    let before = content(&harness, &partner, &picture).await;
    harness
        .until("select count(*) from audit_log where record_uuid not in (select record_uuid from audit_seal)", 0)
        .await;

    // The new server, with separate folders.
    let home = Folder::open(&elsewhere.path().join("home")).unwrap();
    let extra = vec![("synchronous_commit".to_owned(), "on".to_owned())];
    let cluster = Cluster::start(&home, &Settings { durable: false, extra, ..Settings::default() }).await.unwrap();
    let (programs, dump) = (cluster.programs(), elsewhere.path().join("labs.dump"));
    run(Command::new(programs.join("pg_dump"))
        .args(["--format=custom", "--create", "--file"])
        .arg(&dump)
        .arg(database_url(folder)));
    let (media, key) = (elsewhere.path().join("media"), elsewhere.path().join("master.key"));
    copy(&folder.join("media"), &media);
    fs::copy(folder.join("secrets/master.key"), &key).unwrap();
    let address = harness.base_url.trim_start_matches("http://").to_owned();
    service.stop();

    let mut superuser = PgConnection::connect(cluster.url()).await.unwrap();
    for statement in ["create role labs_service nologin", "create database restored"] {
        sqlx::raw_sql(statement).execute(&mut superuser).await.unwrap();
    }
    let restored = cluster.url().replacen("/labs?", "/restored?", 1);
    run(Command::new(programs.join("pg_restore")).args(["--exit-on-error", "--dbname", &restored]).arg(&dump));
    let mut command = serve(&Command::new(LABS), &address, &elsewhere.path().join("labs"));
    command.env("DATABASE_URL", &restored).env("LABS_MEDIA_FOLDER", &media).env("LABS_MASTER_KEY_FILE", &key);
    let service = Service::run(&mut command);
    harness.look_into(restored);
    harness.use_address(service.address());

    harness.call("auth_account_get").token(&partner.token).expect(200).await;
    assert!(content(&harness, &partner, &picture).await == before, "the picture is another one");
    let token = sign_in(&harness, EMAILS[1], &staff[1].0, &staff[1].1).await.unwrap();
    let proof = harness.call("admin_audit_records_verify").token(&token).json(&json!({})).expect(200).await;
    assert_eq!(proof.json["intact"], true, "{}", proof.json);
    let readiness = format!("{}/v1/system/readiness", harness.base_url);
    let is_ready = || async { harness.http().get(&readiness).send().await.unwrap().status() == 200 };
    harness.soon("it is ready", is_ready).await;
    service.stop();
}
