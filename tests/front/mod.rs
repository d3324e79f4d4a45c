//! Tests of the program itself: start, rejected settings, stop and crash, with its private PostgreSQL.

mod audit_log;
mod backup;
mod command_line;
mod ending;
mod first_start;
mod keyless;
mod keys;
mod logging;
mod owners;
mod pages;
mod pooler;
mod readme;
mod rolling;
pub(crate) mod settings;
mod tls;
mod traces;
mod upgrade;
mod watched;
mod well_known;
mod wire;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Harness, LONGEST_WAIT, put_database};

const LABS: &str = env!("CARGO_BIN_EXE_labs");

/// `labs serve` as a separate process.
struct Service {
    process: Child,
    base_url: String,
    /// Its log, in a file: a pipe that the test does not read would block the service when it is full.
    log: Arc<tempfile::NamedTempFile>,
    lines: BufReader<std::process::ChildStdout>,
}

fn serve(program: &Command, listen: &str, folder: &Path) -> Command {
    let mut command = Command::new(program.get_program());
    command.args(program.get_args());
    command.args(["serve", "--listen", listen, "--folder"]).arg(folder);
    // The tests' clients keep their connections open. A test of the grace period sets its own value.
    command.env("LABS_STOP_GRACE_SECONDS", "0");
    command.env_remove("DATABASE_URL").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Like [`serve`], for a folder with a migrated database: the test is not about the first start.
fn serve_migrated(folder: &Path) -> Command {
    if !folder.join("postgres").exists() {
        fs::create_dir_all(folder).unwrap();
        put_database(folder);
    }
    serve(&Command::new(LABS), "127.0.0.1:0", folder)
}

impl Service {
    /// Starts it without sample data.
    fn start(folder: &Path) -> Self {
        Self::run(serve_migrated(folder).arg("--empty"))
    }

    fn start_as(program: &Command, folder: &Path) -> Self {
        Self::run(serve(program, "127.0.0.1:0", folder).arg("--empty"))
    }

    /// Runs it in a separate process group and reads up to the ready line.
    fn run(command: &mut Command) -> Self {
        let log = Arc::new(tempfile::NamedTempFile::new().unwrap());
        let stderr = log.reopen().unwrap().into();
        Self::run_with(command, stderr, log)
    }

    /// Runs it with a different target for the log.
    fn run_logging_to(command: &mut Command, stderr: Stdio) -> Self {
        Self::run_with(command, stderr, Arc::new(tempfile::NamedTempFile::new().unwrap()))
    }

    fn run_with(command: &mut Command, stderr: Stdio, log: Arc<tempfile::NamedTempFile>) -> Self {
        let mut process = command.process_group(0).stderr(stderr).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let Some(base_url) = first.trim_end().strip_prefix("Labs is ready at ") else {
            panic!("no ready line but {first:?} and {}", fs::read_to_string(log.path()).unwrap());
        };
        let base_url = base_url.to_owned();
        Self { process, base_url, log, lines }
    }

    /// Runs it with JSON logs. The ready line is then a log line, and standard output stays empty.
    fn run_with_json(command: &mut Command) -> Self {
        let log = Arc::new(tempfile::NamedTempFile::new().unwrap());
        command.args(["--log-format", "json"]);
        let mut process = command.process_group(0).stderr(log.reopen().unwrap()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        let mut service = Self { process, base_url: String::new(), log, lines };
        soon("the ready line", || service.ready_line().is_some());
        let ready = service.ready_line().unwrap();
        service.base_url = ready["base_url"].as_str().unwrap().to_owned();
        service
    }

    /// Returns the JSON ready line, if it has been written.
    fn ready_line(&self) -> Option<Value> {
        let log = fs::read_to_string(self.log.path()).unwrap();
        log.lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find(|line| line["message"] == "Labs is ready")
    }

    fn address(&self) -> SocketAddr {
        self.base_url.trim_start_matches("http://").parse().unwrap()
    }

    fn answers(&self) -> bool {
        let url = format!("{}/v1/system/health", self.base_url);
        let answer = tokio::runtime::Runtime::new().unwrap().block_on(reqwest::get(url));
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    /// Returns a harness that calls this service and reads the database and the mail of this folder.
    async fn harness(&self, folder: &Path) -> Harness {
        let mut harness = Harness::new().await;
        harness.use_address(self.address());
        harness.look_into(database_url(folder));
        harness.mail_folder = folder.join("mail");
        harness
    }

    fn signal(&self, signal: &str, to: &str) {
        let target = format!("{to}{}", self.process.id());
        kill(signal, &target);
    }

    fn wait(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    /// Stops it gracefully and returns its output below the ready line.
    fn stop(mut self) -> String {
        self.signal("TERM", "");
        assert!(self.wait().success());
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        rest
    }

    /// Returns the address of its metrics from the JSON ready line.
    fn metrics(&self) -> String {
        let ready = self.ready_line().unwrap();
        format!("http://{}/metrics", ready["metrics"].as_str().unwrap())
    }

    /// Kills it.
    fn die(&mut self) {
        self.signal("KILL", "");
        self.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the URL of the database that the folder's service runs.
fn database_url(folder: &Path) -> String {
    labs::cluster::address(&folder.canonicalize().unwrap()).unwrap()
}

fn kill(signal: &str, target: &str) {
    assert!(try_kill(signal, target), "kill -{signal} {target}");
}

/// Sends a signal and returns whether there was a process to receive it.
fn try_kill(signal: &str, target: &str) -> bool {
    let script = r#"kill -s "$1" -- "$2""#;
    let done = Command::new("sh").args(["-c", script, "kill", signal, target]).status();
    done.unwrap().success()
}

/// Returns PID and command line of all processes.
fn commands() -> Vec<(String, String)> {
    if !Path::new("/proc/self").exists() {
        let listed = Command::new("ps").args(["-axww", "-o", "pid=,command="]).output();
        let listed = String::from_utf8_lossy(&listed.unwrap().stdout).into_owned();
        let lines = listed.lines().filter_map(|line| line.trim().split_once(' '));
        return lines.map(|(id, command)| (id.into(), command.into())).collect();
    }
    let names = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let ids = names.filter_map(|name| Some(name.to_str()?.parse::<u32>().ok()?.to_string()));
    ids.filter_map(|id| Some((id.clone(), fs::read_to_string(format!("/proc/{id}/cmdline")).ok()?))).collect()
}

/// Returns the PIDs of the processes whose command line contains all of these words.
fn processes(words: &[&str]) -> Vec<String> {
    let wanted = |command: &str| words.iter().all(|word| command.contains(word));
    let found = commands().into_iter().filter(|(_, command)| wanted(command));
    found.map(|(id, _)| id).collect()
}

/// Returns the name that all processes of the folder's PostgreSQL have in their command lines.
fn cluster_name(folder: &Path) -> String {
    let lock = fs::read_to_string(folder.join("postgres/postmaster.pid")).unwrap();
    let postmaster = lock.lines().next().unwrap();
    let (_, command) = commands().into_iter().find(|(id, _)| id == postmaster).unwrap();
    let (_, name) = command.split_once("cluster_name=").unwrap();
    name.split(|letter: char| letter == '\0' || letter.is_whitespace()).next().unwrap().to_owned()
}

fn nothing_is_left(name: &str) {
    soon(&format!("nothing of {name} runs"), || processes(&[name]).is_empty());
}

/// Waits until a condition is true.
fn soon(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONGEST_WAIT, "not within seconds: {what}");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn second_start_on_a_folder_names_the_first_process() {
    let place = tempfile::tempdir().unwrap();
    let first = Service::start(place.path());
    let second = serve(&Command::new(LABS), "127.0.0.1:0", place.path()).output().unwrap();
    assert!(!second.status.success());
    let refusal = said(&second);
    assert!(refusal.contains(&format!("process {}", first.process.id())), "{refusal}");
    assert!(first.answers());
    first.stop();
}

#[test]
fn used_port_is_reported_before_any_start() {
    let place = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = serve(&Command::new(LABS), &address, place.path()).output().unwrap();
    assert!(!output.status.success());
    let told = said(&output);
    assert!(told.contains(&address) && told.contains("with --listen or LABS_LISTEN"), "{told}");
    assert!(!place.path().join("postgres").exists());
}

/// Returns the program as an ordinary user runs it, and a folder with this name that the user owns.
fn of_ordinary_user(place: &Path, name: &str) -> (Command, PathBuf) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut program = Command::new(LABS);
    let folder = place.join(name);
    fs::create_dir(&folder).unwrap();
    let root = fs::metadata(&folder).unwrap().uid() == 0;
    if root {
        open(place);
        let copy = place.join("labs");
        // Another process makes the copy: if this one had it open for writing, a child forked at that moment could not
        // run it.
        assert!(Command::new("cp").arg(LABS).arg(&copy).status().unwrap().success());
        open(&copy);
        chown(&folder, Some(65534), Some(65534)).unwrap();
        program = Command::new("setpriv");
        program.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
    }
    (program, folder)
}

#[tokio::test]
async fn read_only_media_folder_makes_readiness_amber() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let (program, folder) = of_ordinary_user(place.path(), "own");
    let service = tokio::task::spawn_blocking({
        let folder = folder.clone();
        move || (Service::start_as(&program, &folder), program)
    });
    let (service, program) = service.await.unwrap();
    let probes = folder.join("media/probe");
    let mode = |bits| fs::set_permissions(&probes, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o500);
    let url = format!("{}/v1/system/readiness", service.base_url);
    let until = Instant::now() + LONGEST_WAIT;
    let told = loop {
        assert!(Instant::now() < until, "readiness stays green");
        let answer = reqwest::get(&url).await.unwrap();
        assert_eq!(answer.status(), 200, "it can be read");
        let told: Value = answer.json().await.unwrap();
        if told["status"] != "READY" {
            break told;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(told["status"], "DEGRADED");
    let media = told["checks"].as_array().unwrap().iter().find(|check| check["name"] == "MEDIA_STORE").unwrap();
    assert_eq!(media["state"], "DEGRADED", "{told}");
    service.stop();
    let refused = serve(&program, "127.0.0.1:0", &folder).arg("--empty").output().unwrap();
    let told = said(&refused);
    assert!(!refused.status.success() && told.contains("media folder") && told.contains("LABS_MEDIA_FOLDER"), "{told}");
    mode(0o700);
}

#[test]
fn service_runs_as_ordinary_user() {
    let place = tempfile::tempdir().unwrap();
    let (program, folder) = of_ordinary_user(place.path(), "a, \"b\" 100%");
    let mut service = Service::start_as(&program, &folder);
    assert!(service.answers());
    let name = cluster_name(&folder);
    service.die();
    nothing_is_left(&name);
}
