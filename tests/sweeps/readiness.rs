//! Tests of readiness: red and with the name of the failed dependency while it is unavailable, and green again without
//! intervention.

use std::fs;
use std::path::Path;
use std::time::Duration;

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs_schema::open::DatabaseUrls;
use serde_json::Value;

use crate::harness::{Harness, LONGEST_WAIT, contract};

/// Polls until the status matches and returns the body. A red response is not a problem document and has no code, so it
/// is validated against the contract here.
async fn becomes(harness: &Harness, status: u16) -> Value {
    let operation = contract().operation("system_readiness_get").unwrap();
    let url = format!("{}{}", harness.base_url, operation.path);
    let asked = async {
        loop {
            let answer = harness.http().get(&url).send().await.unwrap();
            if answer.status() == status {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let Ok(answer) = tokio::time::timeout(LONGEST_WAIT, asked).await else {
        panic!("readiness did not become {status}")
    };
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers().contains_key("retry-after"), status == 503);
    let told: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    let broken = contract().check(operation.responses[&status].json().unwrap(), &told);
    assert!(broken.is_empty(), "{told}\ndoes not fit its schema: {broken:?}");
    told
}

/// Asserts that readiness is red for exactly these parts while liveness succeeds.
async fn is_red_for(harness: &Harness, parts: &[&str]) -> Value {
    let told = becomes(harness, 503).await;
    let checks = told["checks"].as_array().unwrap().iter();
    let failing = checks.filter(|check| check["state"] == "FAILING").map(|check| check["name"].as_str().unwrap());
    assert_eq!(failing.collect::<Vec<_>>(), parts, "{told}");
    assert_eq!(told["status"], "NOT_READY");
    harness.call("system_health_get").expect(200).await;
    told
}

async fn is_green(harness: &Harness) {
    let told = becomes(harness, 200).await;
    assert_eq!(told["status"], "READY");
    assert!(told["checks"].as_array().unwrap().iter().all(|check| check["state"] == "OK"), "{told}");
}

#[tokio::test]
async fn readiness_is_red_while_a_migration_is_missing() {
    let harness = Harness::new().await;
    is_green(&harness).await;
    for (broken, mended) in [
        (
            "update _sqlx_migrations set success = false
              where version = (select max(version) from _sqlx_migrations)",
            "update _sqlx_migrations set success = true",
        ),
        (
            "create table put_away as select * from _sqlx_migrations; delete from _sqlx_migrations",
            "insert into _sqlx_migrations select * from put_away; drop table put_away",
        ),
        ("alter table _sqlx_migrations rename to put_away", "alter table put_away rename to _sqlx_migrations"),
        ("revoke select on _sqlx_migrations from labs_service", "grant select on _sqlx_migrations to labs_service"),
    ] {
        harness.sql(broken).await;
        is_red_for(&harness, &["MIGRATIONS"]).await;
        harness.sql(mended).await;
        is_green(&harness).await;
    }
}

#[tokio::test]
async fn readiness_is_red_while_database_is_unavailable() {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open(directory.path()).unwrap();
    let settings = Settings { durable: false, ..Settings::default() };
    let cluster = Cluster::start(&folder, &settings).await.unwrap();
    labs::wiring::migrate(&DatabaseUrls::new(cluster.url())).await.unwrap();
    let harness = Harness::over(cluster.url().to_owned(), &[]).await;
    is_green(&harness).await;
    cluster.stop().await.unwrap();
    let told = is_red_for(&harness, &["DATABASE", "MIGRATIONS"]).await.to_string();
    assert!(!told.contains(directory.path().to_str().unwrap()), "nobody is told where it is: {told}");
    let cluster = Cluster::start(&folder, &settings).await.unwrap();
    is_green(&harness).await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn readiness_is_red_while_media_store_is_unreadable() {
    let harness = Harness::new().await;
    is_green(&harness).await;
    let away = tempfile::tempdir().unwrap();
    let (folder, elsewhere) = (harness.media_folder(), away.path().join("media"));
    replaced_by_a_file(&folder, &elsewhere);
    is_red_for(&harness, &["MEDIA_STORE"]).await;
    put_back(&folder, &elsewhere);
    is_green(&harness).await;
}

#[tokio::test]
async fn readiness_is_amber_while_mail_delivery_fails() {
    let harness = Harness::new().await;
    is_green(&harness).await;
    let away = tempfile::tempdir().unwrap();
    let (folder, elsewhere) = (harness.mail_folder.clone(), away.path().join("mail"));
    replaced_by_a_file(&folder, &elsewhere);
    let told = becomes_amber(&harness).await;
    let checks = told["checks"].as_array().unwrap();
    let mail = checks.iter().find(|check| check["name"] == "MAIL").unwrap();
    assert_eq!(mail["state"], "DEGRADED", "{told}");
    assert!(checks.iter().all(|check| check["name"] == "MAIL" || check["state"] == "OK"), "{told}");
    assert_eq!(told["degraded"], serde_json::json!([]), "it is no job that is behind");
    put_back(&folder, &elsewhere);
    let green = async { while becomes(&harness, 200).await["status"] != "READY" {} };
    assert!(tokio::time::timeout(LONGEST_WAIT, green).await.is_ok(), "readiness did not become green again");
}

/// Polls until readiness is amber, which is status 200.
async fn becomes_amber(harness: &Harness) -> Value {
    let amber = async {
        loop {
            let told = becomes(harness, 200).await;
            if told["status"] == "DEGRADED" {
                return told;
            }
        }
    };
    tokio::time::timeout(LONGEST_WAIT, amber).await.expect("readiness did not become amber")
}

#[tokio::test]
async fn readiness_is_amber_while_an_essential_job_is_late() {
    let harness = Harness::new().await;
    is_green(&harness).await;
    harness.sql("alter table audit_seal rename to put_away").await;
    harness.until("select count(*) from job where code = 'AUDIT_SEAL' and failures > 0", 1).await;
    harness
        .sql("update job set succeeded_on_clock = clock_timestamp() - interval '16 seconds' where code = 'AUDIT_SEAL'")
        .await;
    let told = becomes_amber(&harness).await;
    assert_eq!(told["degraded"], serde_json::json!(["AUDIT_SEAL"]));
    harness.sql("alter table put_away rename to audit_seal").await;
    let green = async { while becomes(&harness, 200).await["status"] != "READY" {} };
    assert!(tokio::time::timeout(LONGEST_WAIT, green).await.is_ok(), "readiness did not become green again");
}

/// Replaces a folder by a file. A writer could recreate a folder that is only missing.
fn replaced_by_a_file(folder: &Path, away: &Path) {
    fs::rename(folder, away).unwrap();
    fs::write(folder, "").unwrap();
}

fn put_back(folder: &Path, away: &Path) {
    fs::remove_file(folder).unwrap();
    fs::rename(away, folder).unwrap();
}
