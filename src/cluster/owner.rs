//! Selects the user that runs PostgreSQL: never root.

use super::paths::ClusterPaths;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Opens the two folders as the service's user, then executes the following program.
const OPEN: &str = r#"exec 8<"$1" 9<"$2"; shift 2; exec "$@""#;

/// The user that runs PostgreSQL and owns its data.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// User id.
    pub(super) uid: u32,
    /// Group id.
    pub(super) gid: u32,
    /// Command prefix that switches to this user. Empty: the service already is this user.
    pub(super) drop: Vec<OsString>,
}

impl Owner {
    /// Returns the service's own user; for root, the owner of existing data, else `postgres`, else `nobody`.
    pub(super) async fn of(place: &ClusterPaths) -> anyhow::Result<Self> {
        let uid = id(&["-u"]).await?;
        if uid != 0 {
            let gid = id(&["-g"]).await?;
            return Ok(Self { uid, gid, drop: Vec::new() });
        }
        let (uid, gid) = match fs::metadata(&place.data) {
            Ok(data) if data.uid() != 0 => (data.uid(), data.gid()),
            Ok(_) => bail!("{} belongs to root, but PostgreSQL refuses to run as root", place.data.display()),
            Err(_) => substitute().await?,
        };
        let drop = ways(uid, gid).await;
        for way in drop {
            if succeeds(&mut command(&way, "true".as_ref())).await {
                return Ok(Self { uid, gid, drop: way });
            }
        }
        let advice = if cfg!(target_os = "macos") {
            "on macOS start Labs as an ordinary user"
        } else {
            "install util-linux, or start Labs as another user"
        };
        bail!(
            "PostgreSQL refuses to run as root, and neither setpriv, runuser nor su can run it as user {uid}: {advice}"
        )
    }

    /// Whether the server runs as another user than the service.
    pub(super) fn is_other_user(&self) -> bool {
        !self.drop.is_empty()
    }

    /// Returns the paths of socket and data for this user: descriptors 8 and 9 if the real paths may be below folders
    /// that the user cannot enter.
    pub(super) fn paths<'a>(&self, socket: &'a Path, data: &'a Path) -> (&'a Path, &'a Path) {
        if self.by_descriptor() { (Path::new("/proc/self/fd/8"), Path::new("/proc/self/fd/9")) } else { (socket, data) }
    }

    /// Returns a command that runs as this user, from `/`, without the service's environment, and with both folders
    /// open if [`Owner::paths`] needs them.
    pub(super) fn command(&self, program: &Path, socket: &Path, data: &Path) -> Command {
        let mut command = if self.by_descriptor() {
            let mut shell = Command::new("sh");
            shell.args(["-c", OPEN, "labs-open"]).arg(socket).arg(data);
            shell.args(&self.drop).arg(program);
            shell
        } else {
            command(&self.drop, program)
        };
        command.current_dir("/").env_clear();
        for kept in ["PATH", "TMPDIR", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(kept) {
                command.env(kept, value);
            }
        }
        // Without it, PostgreSQL on macOS detects several threads and exits.
        command.env("LC_ALL", "C");
        command
    }

    fn by_descriptor(&self) -> bool {
        self.is_other_user() && Path::new("/proc/self/fd").exists()
    }
}

/// Returns the user for new data of a service that runs as root.
async fn substitute() -> anyhow::Result<(u32, u32)> {
    for name in ["postgres", "nobody"] {
        if let (Ok(uid), Ok(gid)) = (id(&["-u", name]).await, id(&["-g", name]).await) {
            return Ok((uid, gid));
        }
    }
    bail!(
        "PostgreSQL refuses to run as root, and neither the user `postgres` nor the user `nobody` exists: create one, or \
         start Labs as another user"
    )
}

/// Returns the methods by which root runs a command as another user, best first. The two fallbacks accept only user
/// names and stay as the command's parent process.
async fn ways(uid: u32, gid: u32) -> Vec<Vec<OsString>> {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let (uid, gid) = (uid.to_string(), gid.to_string());
    let mut ways = vec![words(&["setpriv", "--reuid", &uid, "--regid", &gid, "--clear-groups", "--no-new-privs"])];
    if let Ok(name) = output("id", &["-un", &uid]).await {
        ways.push(words(&["runuser", "-u", &name, "--"]));
        ways.push(words(&["su", "-s", "/bin/sh", &name, "-c", r#"exec "$0" "$@""#, "--"]));
    }
    ways
}

fn command(drop: &[OsString], program: &Path) -> Command {
    match drop.split_first() {
        None => Command::new(program),
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    }
}

async fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().await.is_ok_and(|status| status.success())
}

async fn id(arguments: &[&str]) -> anyhow::Result<u32> {
    let number = output("id", arguments).await?;
    number.parse().with_context(|| format!("`id` printed {number:?}"))
}

/// Returns the output of a program, without the line break at the end.
pub(super) async fn output(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let run = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let done = run.await.with_context(|| format!("{program} cannot be run"))?;
    if !done.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
