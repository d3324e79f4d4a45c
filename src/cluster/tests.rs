//! Tests with a real private PostgreSQL, as the user that runs the tests.

use super::*;
use sqlx::{Connection, PgConnection};
use std::fs;
use std::time::Instant;

const SETTINGS: Settings = Settings { durable: true, binaries: None, extra: Vec::new() };

/// Waits for an expected event; fails if it does not occur.
async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}: still not so after 30 s");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn ask(url: &str, question: &'static str) -> sqlx::Result<String> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::query_scalar(question).fetch_one(&mut connection).await
}

async fn execute(url: &str, statement: &'static str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
}

fn postmaster(folder: &Folder) -> Option<String> {
    let text = fs::read_to_string(folder.path().join("postgres/postmaster.pid")).ok()?;
    Some(text.lines().next()?.to_owned())
}

#[tokio::test]
async fn data_survive_a_stop() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    fs::create_dir(paths.path().join("postgres.new-1")).unwrap();

    let cluster = Cluster::start(&folder, &SETTINGS).await.unwrap();
    execute(cluster.url(), "create table word as select 'kept' as word").await;
    cluster.stop().await.unwrap();
    assert_eq!(postmaster(&folder), None);
    assert!(!paths.path().join("postgres.new-1").exists());

    let cluster = Cluster::start(&folder, &SETTINGS).await.unwrap();
    assert_eq!(ask(cluster.url(), "select word from word").await.unwrap(), "kept");
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn cluster_is_durable_and_not_reachable_from_network() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    let cluster = Cluster::start(&folder, &SETTINGS).await.unwrap();
    for (question, answer) in [
        ("show listen_addresses", ""),
        ("show synchronous_commit", "on"),
        ("show fsync", "on"),
        ("show data_checksums", "on"),
        ("show jit", "off"),
        ("show lc_collate", "C"),
        ("show server_encoding", "UTF8"),
        ("show log_error_verbosity", "terse"),
    ] {
        assert_eq!(ask(cluster.url(), question).await.unwrap(), answer, "{question}");
    }
    for part in ["", "postgres", "socket"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(paths.path().join(part)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{part}");
    }
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn test_cluster_may_disable_durability_and_add_settings() {
    let paths = tempfile::tempdir().unwrap();
    let deep = paths.path().join("deep, \"odd\"/".repeat(10));
    let folder = Folder::open(&deep).unwrap();
    let settings = Settings { durable: false, extra: vec![("work_mem".into(), "7MB".into())], ..SETTINGS };
    let cluster = Cluster::start(&folder, &settings).await.unwrap();
    assert_eq!(ask(cluster.url(), "show fsync").await.unwrap(), "off");
    assert_eq!(ask(cluster.url(), "show work_mem").await.unwrap(), "7MB");
    let socket = paths::ClusterPaths::of(folder.path()).unwrap().socket;
    assert!(socket.starts_with(std::env::temp_dir()), "{socket:?}");
    cluster.stop().await.unwrap();
    assert!(!socket.exists());
}

#[tokio::test]
async fn invalid_setting_is_reported_with_postgresql_message() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    let settings = Settings { extra: vec![("work_memory".into(), "7MB".into())], ..SETTINGS };
    let refusal = Cluster::start(&folder, &settings).await.unwrap_err();
    assert!(format!("{refusal:#}").contains("work_memory"), "{refusal:#}");
}

#[tokio::test]
async fn data_of_another_major_version_are_rejected() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    fs::create_dir(paths.path().join("postgres")).unwrap();
    if let Ok(uid) = owner::output("id", &["-u", "postgres"]).await {
        // Only root may change the owner of a folder; for any other user the call fails, which is fine here.
        let _ = std::os::unix::fs::chown(paths.path().join("postgres"), uid.parse().ok(), None);
    }
    fs::write(paths.path().join("postgres/PG_VERSION"), "9\n").unwrap();
    let refusal = Cluster::start(&folder, &SETTINGS).await.unwrap_err();
    assert!(format!("{refusal:#}").contains("created by PostgreSQL 9"), "{refusal:#}");
}

#[tokio::test]
async fn cluster_stops_when_dropped() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(&paths.path().join("a, \"b\" 100%")).unwrap();
    let cluster = Cluster::start(&folder, &SETTINGS).await.unwrap();
    assert!(ask(cluster.url(), "select 'here'").await.is_ok());
    assert!(postmaster(&folder).is_some());
    drop(cluster);
    until("PostgreSQL stops", async || postmaster(&folder).is_none().then_some(())).await;

    // The next server may start before the last one has ended.
    drop(Cluster::start(&folder, &SETTINGS).await.unwrap());
    let next = Cluster::start(&folder, &SETTINGS).await.unwrap();
    next.stop().await.unwrap();
}

#[tokio::test]
async fn cluster_dropped_during_start_still_stops() {
    let (paths, slow) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = Folder::open(paths.path()).unwrap();
    let first = Cluster::start(&folder, &SETTINGS).await.unwrap();
    slow_server(slow.path(), first.programs());
    first.stop().await.unwrap();

    let settings = Settings { binaries: Some(slow.path().to_owned()), ..SETTINGS };
    let begun = || fs::read_to_string(slow.path().join("begun")).ok().filter(|text| text.ends_with('\n'));
    let process = tokio::select! {
        _ = Cluster::start(&folder, &settings) => panic!("it did not wait"),
        process = until("the server begins", async || begun()) => process,
    };
    fs::write(slow.path().join("go"), "\n").unwrap();
    let is_there = format!("kill -s 0 {process}");
    until("the server ends", async || owner::output("sh", &["-c", &is_there]).await.err()).await;
}

/// Writes programs whose server prints its process number and continues only after a signal.
fn slow_server(folder: &Path, programs: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let (here, real) = (folder.display(), programs.join("postgres"));
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" != --version ]; then echo $$ >'{here}/begun'; read -r word <'{here}/go'; fi\n\
         exec '{}' \"$@\"\n",
        real.display()
    );
    let server = folder.join("postgres");
    fs::write(&server, script).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("go")).status().unwrap().success());
    // If root runs the tests, the server runs as another user.
    for (path, mode) in [(folder, 0o777), (&server, 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[tokio::test]
async fn killed_server_recovers_committed_data() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    let cluster = Cluster::start(&folder, &SETTINGS).await.unwrap();
    execute(cluster.url(), "create table word as select 'kept' as word").await;
    let killed = postmaster(&folder).unwrap();
    owner::output("sh", &["-c", "kill -KILL \"$1\"", "kill", &killed]).await.unwrap();
    let word = until("PostgreSQL comes back", async || ask(cluster.url(), "select word from word").await.ok());
    assert_eq!(word.await, "kept");
    assert_ne!(postmaster(&folder).unwrap(), killed);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn stale_lock_file_with_unrelated_process_does_not_block_start() {
    let paths = tempfile::tempdir().unwrap();
    let folder = Folder::open(paths.path()).unwrap();
    Cluster::start(&folder, &SETTINGS).await.unwrap().stop().await.unwrap();
    let stranger = format!("{}\n/elsewhere\n0\n5432\n\n\n", std::process::id());
    let lock = paths.path().join("postgres/postmaster.pid");
    fs::write(&lock, stranger).unwrap();
    Cluster::start(&folder, &SETTINGS).await.unwrap().stop().await.unwrap();
    assert!(!lock.exists());
}
