//! One run of the server, under its watchdog.

use super::binaries::Binaries;
use super::owner::Owner;
use super::paths::ClusterPaths;
use super::ready::{Answer, ask};
use super::{Settings, data, predecessor};
use anyhow::{Context, bail};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, ChildStdin};
use tokio::time::{Instant, sleep, timeout};

/// Runs the command that follows and stops it when standard input ends.
///
/// The shell gives a background command an empty standard input, hence descriptor 3. The server must not inherit it,
/// and the subshell that waits for the end must not keep the two folders open. A signal to the whole process group must
/// not end the watchdog before the server, which has its own handlers. SIGINT is PostgreSQL's fast shutdown. A server
/// that has just started ignores it, so it is repeated until the server has ended.
const WATCHDOG: &str = r#"
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(exec 8<&- 9<&-; read -r line <&3; while kill -INT "$server" 2>/dev/null; do sleep 1; done) &
watcher=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$watcher" 2>/dev/null
exit "$code"
"#;

/// Maximum time until a server accepts connections. Recovery after a crash takes longest.
const START_MAX: Duration = Duration::from_secs(120);

/// Maximum time of a graceful stop: one checkpoint.
const STOP_MAX: Duration = Duration::from_secs(60);

/// Everything that is decided before a server starts.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) paths: ClusterPaths,
    pub(super) owner: Owner,
    pub(super) binaries: Binaries,
    pub(super) durable: bool,
    extra: Vec<(String, String)>,
}

impl Plan {
    pub(super) async fn new(folder: &Path, settings: &Settings) -> anyhow::Result<Self> {
        let paths = ClusterPaths::of(folder)?;
        let made_by = data::read_version(&paths.data)?;
        Ok(Self {
            owner: Owner::of(&paths).await?,
            binaries: Binaries::find(settings.binaries.as_deref(), made_by).await?,
            durable: settings.durable,
            extra: settings.extra.clone(),
            paths,
        })
    }

    /// Returns the server's settings. On the command line they override every file in the data, so an existing folder
    /// follows a new release of Labs.
    fn settings(&self) -> Vec<(String, String)> {
        let durable = if self.durable { "on" } else { "off" };
        let fixed = [
            ("listen_addresses", ""),
            ("unix_socket_permissions", "0700"),
            ("cluster_name", &self.paths.name),
            ("max_connections", "100"),
            ("shared_buffers", "128MB"),
            ("jit", "off"),
            ("timezone", "UTC"),
            ("fsync", durable),
            ("synchronous_commit", durable),
            ("full_page_writes", durable),
            ("logging_collector", "on"),
            ("log_timezone", "UTC"),
            ("log_directory", "log"),
            ("log_filename", "%Y%m%d-%H%M%S.log"),
            ("log_file_mode", "0600"),
            ("log_rotation_size", "10MB"),
            ("log_rotation_age", "1d"),
            // The details of an error would quote rows: e-mail addresses, hashes.
            ("log_error_verbosity", "terse"),
        ];
        // On macOS, data that fsync reports as written may still be in the drive's cache.
        let through = (self.durable && cfg!(target_os = "macos")).then_some(("wal_sync_method", "fsync_writethrough"));
        let fixed = fixed.into_iter().chain(through).map(|(name, value)| (name.to_owned(), value.to_owned()));
        fixed.chain(self.extra.clone()).collect()
    }
}

/// A running server, and the pipe that stops it when closed.
#[derive(Debug)]
pub(super) struct Server {
    watchdog: Child,
    pipe: ChildStdin,
}

impl Server {
    /// Waits for the end of the previous server, starts the server, and waits until it accepts connections.
    pub(super) async fn start(plan: &Plan) -> anyhow::Result<Self> {
        let until = Instant::now() + START_MAX;
        let stale = predecessor::wait_until_stopped(&plan.paths).await?;
        plan.paths.make_socket(&plan.owner)?;
        data::prune_logs(&plan.paths);
        loop {
            let mut server = Self::spawn(plan, stale)?;
            match server.wait_until_ready(plan, until).await? {
                None => return Ok(server),
                Some(words) if words.contains("shared memory block") && Instant::now() < until => {
                    // A backend of a killed server still runs; it will exit soon.
                    sleep(Duration::from_millis(100)).await;
                }
                Some(words) => bail!("PostgreSQL said:\n{words}"),
            }
        }
    }

    fn spawn(plan: &Plan, stale: Option<u32>) -> anyhow::Result<Self> {
        let paths = &plan.paths;
        let (socket, data) = plan.owner.paths(&paths.socket, &paths.data);
        let mut command = plan.owner.command("sh".as_ref(), &paths.socket, &paths.data);
        command.args(["-c", WATCHDOG, "labs-watchdog"]);
        command.arg(plan.binaries.path("postgres")).arg("-D").arg(data);
        // The setting is a list, hence the quotes: a folder's name may contain a comma.
        let socket = socket.display().to_string().replace('"', "\"\"");
        command.arg("-c").arg(format!("unix_socket_directories=\"{socket}\""));
        for (name, value) in plan.settings() {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        if let Some(process) = stale {
            // PostgreSQL treats a lock file with this process number as stale.
            command.env("PG_GRANDPARENT_PID", process.to_string());
        }
        let log = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(paths.start_log())?;
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        command.process_group(0);
        let mut watchdog = command.spawn().context("the watchdog of PostgreSQL could not be started")?;
        let pipe = watchdog.stdin.take().context("the watchdog of PostgreSQL has no pipe")?;
        Ok(Self { watchdog, pipe })
    }

    /// Waits until the server accepts connections. Some: it ended before, with this output.
    async fn wait_until_ready(&mut self, plan: &Plan, until: Instant) -> anyhow::Result<Option<String>> {
        let socket = plan.paths.socket_file();
        let mut pause = Duration::from_millis(5);
        loop {
            match ask(&socket).await {
                Answer::Ready => return Ok(None),
                Answer::Refused(message) => bail!("PostgreSQL refuses connections: {message}"),
                Answer::NotYet => {}
            }
            if self.watchdog.try_wait()?.is_some() {
                return Ok(Some(data::last_words(&plan.paths)));
            }
            if Instant::now() > until {
                bail!(
                    "PostgreSQL did not accept connections within {} s. Its log:\n{}",
                    START_MAX.as_secs(),
                    data::last_words(&plan.paths)
                );
            }
            sleep(pause).await;
            // Each attempt writes a line to the log of a server in recovery.
            pause = (pause * 5 / 4).min(Duration::from_millis(200));
        }
    }

    /// Waits until the server ends by itself.
    pub(super) async fn wait_for_end(&mut self) -> String {
        match self.watchdog.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Stops the server and waits for its end.
    pub(super) async fn stop(self) -> anyhow::Result<()> {
        let Self { mut watchdog, pipe } = self;
        drop(pipe);
        let status = timeout(STOP_MAX, watchdog.wait())
            .await
            .with_context(|| format!("PostgreSQL did not stop within {} s", STOP_MAX.as_secs()))??;
        if !status.success() {
            tracing::warn!(%status, "the private PostgreSQL stopped with an error");
        }
        Ok(())
    }
}
