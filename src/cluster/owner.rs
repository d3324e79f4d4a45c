//! Whose process PostgreSQL is: never root's.

use super::place::Place;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Opens the two folders as whoever the service is, then becomes the program that follows.
const OPEN: &str = r#"exec 8<"$1" 9<"$2"; shift 2; exec "$@""#;

/// The user that runs PostgreSQL and owns its data.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// The user's number.
    pub(super) uid: u32,
    /// The number of the user's group.
    pub(super) gid: u32,
    /// What stands before a command to run it as this user. Empty: the service is this user.
    pub(super) drop: Vec<OsString>,
}

impl Owner {
    /// The service's own user; for root, the user that owns the data already there, else
    /// `postgres`, else `nobody`.
    pub(super) async fn of(place: &Place) -> anyhow::Result<Self> {
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

    /// Whether the server runs as somebody else than the service.
    pub(super) fn drops(&self) -> bool {
        !self.drop.is_empty()
    }

    /// The paths by which this user reaches the folders of socket and data: descriptors 8 and 9
    /// where the true ones may lie below folders that it cannot enter.
    pub(super) fn paths<'a>(&self, socket: &'a Path, data: &'a Path) -> (&'a Path, &'a Path) {
        if self.by_descriptor() { (Path::new("/proc/self/fd/8"), Path::new("/proc/self/fd/9")) } else { (socket, data) }
    }

    /// A command run as this user, from `/`, with nothing of the service's environment, and with
    /// both folders open where [`Owner::paths`] says so.
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
        // Without it, PostgreSQL on macOS finds itself multithreaded and gives up.
        command.env("LC_ALL", "C");
        command
    }

    fn by_descriptor(&self) -> bool {
        self.drops() && Path::new("/proc/self/fd").exists()
    }
}

/// The user for new data of a service that root runs.
async fn substitute() -> anyhow::Result<(u32, u32)> {
    for name in ["postgres", "nobody"] {
        if let (Ok(uid), Ok(gid)) = (id(&["-u", name]).await, id(&["-g", name]).await) {
            return Ok((uid, gid));
        }
    }
    bail!("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
}

/// The ways in which root runs a command as somebody else, best first. The two others know
/// users by name only and stay around as the command's parent.
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

/// What a program prints, without the line's end.
pub(super) async fn output(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let run = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let done = run.await.with_context(|| format!("{program} cannot be run"))?;
    if !done.status.success() {
        bail!("{program} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
