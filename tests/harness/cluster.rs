//! One private PostgreSQL for the whole test run, and databases cloned from a migrated template.

use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs_schema::jobs::JobCode;
use labs_schema::open::DatabaseUrls;
use labs_schema::time::{Clock, Time};
use labs_schema::words::Word as _;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{Pooler, follower};

static CLUSTER: OnceLock<Running> = OnceLock::new();
static NUMBER: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The databases of this thread's test. Each test has a separate thread, so they are dropped when the test ends.
    static DATABASES: RefCell<Databases> = const { RefCell::new(Databases(Vec::new())) };
}

/// The cluster of the whole test run.
struct Running {
    /// URL of its first database for the owner.
    url: String,
    /// Folder that is removed at the end of the run.
    folder: PathBuf,
    /// Receives the names of databases that are no longer needed.
    unneeded: UnboundedSender<String>,
}

/// Databases that are dropped together with this value. Hundreds of them would fill a disk and keep vacuum busy.
struct Databases(Vec<String>);

impl Drop for Databases {
    fn drop(&mut self) {
        let Some(cluster) = CLUSTER.get() else { return };
        for name in self.0.drain(..) {
            // Without a receiver, the run has ended and the whole cluster is removed.
            let _ = cluster.unneeded.send(name);
        }
    }
}

/// Free memory in mebibytes from which on the databases of the tests are in memory. They take about 1,300.
const ENOUGH_MEMORY: u64 = 6_000;

/// Removes a folder when standard input closes, that is, when the process with its other end exits. The server stops at
/// the same time; the script waits for it.
const REMOVER: &str = r#"
cat >/dev/null
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    [ -e "$1/postgres/postmaster.pid" ] || break
    sleep 1
done
rm -rf "$1"
"#;

/// Creates a separate, migrated and empty database for a test.
pub(super) async fn fresh_database() -> String {
    let url = &tokio::task::spawn_blocking(|| CLUSTER.get_or_init(start)).await.unwrap().url;
    let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    DATABASES.with_borrow_mut(|databases| databases.0.push(name.clone()));
    let mut owner = PgConnection::connect(url).await.unwrap();
    let statement = format!("create database {name} template labs_template strategy file_copy");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await.unwrap();
    named(url, &name)
}

/// Puts a migrated private database into a service's folder, so that its start does not have to create one. All are copies
/// of one that is created once.
pub(crate) fn put_database(folder: &Path) {
    static ORIGINAL: OnceLock<PathBuf> = OnceLock::new();
    let original = ORIGINAL.get_or_init(|| {
        std::thread::spawn(|| {
            let place = CLUSTER.get_or_init(start).folder.join("original");
            std::fs::create_dir(&place).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(follower::made(&place)).1
        })
        .join()
        .unwrap()
    });
    let mut command = Command::new("cp");
    let copied = command.arg("-a").arg(original).arg(folder.join("postgres")).status().unwrap();
    assert!(copied.success());
    // The service refuses a folder with files that others could read.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// Returns the URL through which test services connect to a database. With `make pooler`, it goes through one
/// PgBouncer, to prove that nothing needs a direct connection.
pub(super) fn way_to(database_url: &str) -> String {
    static POOLER: OnceLock<Pooler> = OnceLock::new();
    if std::env::var_os("LABS_TEST_POOLED").is_none() {
        return database_url.to_owned();
    }
    POOLER.get_or_init(|| Pooler::start(database_url, "session")).url(database_url)
}

/// Returns the folder for the cluster: in memory, if there is enough. A test's database has more than a thousand files, and
/// a file system on a disk takes longer to create and delete them than PostgreSQL takes for the test.
fn place_of_databases() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let asked =
        Command::new("df").args(["--output=avail", "--block-size=1M"]).arg(memory).stderr(Stdio::null()).output();
    let told = asked.map(|asked| String::from_utf8_lossy(&asked.stdout).into_owned()).unwrap_or_default();
    let free: u64 = told.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or_default();
    if free >= ENOUGH_MEMORY { memory.to_owned() } else { std::env::temp_dir() }
}

/// Starts the cluster on a thread that lives as long as the process. When the process exits, the cluster stops.
fn start() -> Running {
    let (unneeded, mut names) = unbounded_channel::<String>();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let directory = tempfile::tempdir_in(place_of_databases()).unwrap().keep();
            let remover = removed_at_the_end(&directory);
            let folder = Folder::open(&directory).unwrap();
            let extra = vec![("max_connections".to_owned(), "400".to_owned())];
            let settings = Settings { durable: false, extra, ..Settings::default() };
            let cluster = Cluster::start(&folder, &settings).await.unwrap();
            make_template(cluster.url()).await;
            tell.send((cluster.url().to_owned(), directory.clone())).unwrap();
            while let Some(name) = names.recv().await {
                drop_database(cluster.url(), &name).await;
            }
            drop((cluster, folder, remover));
        });
    });
    let (url, folder) = told.recv().unwrap();
    Running { url, folder, unneeded }
}

/// Drops a database and its open connections: its test has ended.
async fn drop_database(url: &str, name: &str) {
    let mut owner = PgConnection::connect(url).await.unwrap();
    let statement = format!("drop database if exists {name} with (force)");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await.unwrap();
}

/// No code here runs when the process exits, so a child process waits for that. It has a separate process group,
/// because Ctrl-C must not reach it.
fn removed_at_the_end(directory: &Path) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", REMOVER, "remover"]).arg(directory).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Makes the jobs that run less than once a minute due tomorrow. On a new database they are due at once, which would be
/// seven runs at the start of each test. A test runs such a job with [`super::Harness::run_job`].
async fn postpone_jobs(template: &mut PgConnection, now: Time) {
    let is_rare = |job: &&JobCode| job.plan().schedule.interval(now).unwrap() > Duration::from_mins(1);
    let codes: Vec<&str> = JobCode::ALL.iter().filter(is_rare).map(|job| job.name()).collect();
    let statement = "insert into job (code, next_run_at) select code, now() + interval '1 day' from unnest($1) as code";
    sqlx::query(statement).bind(codes).execute(template).await.unwrap();
}

async fn make_template(url: &str) {
    let mut owner = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql("create database labs_template").execute(&mut owner).await.unwrap();
    labs::wiring::migrate(&DatabaseUrls::new(named(url, "labs_template"))).await.unwrap();
    let mut template = PgConnection::connect(&named(url, "labs_template")).await.unwrap();
    postpone_jobs(&mut template, Clock::default().now()).await;
    template.close().await.unwrap();
}

/// Returns the URL of another database in the same cluster.
fn named(url: &str, name: &str) -> String {
    let (front, back) = url.rsplit_once('/').unwrap();
    format!("{front}/{name}?{}", back.split_once('?').unwrap().1)
}
