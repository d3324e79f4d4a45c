//! The program itself: how it starts, refuses, stops and dies, with its private PostgreSQL.

mod wire;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

const LABS: &str = env!("CARGO_BIN_EXE_labs");

/// `labs serve` as a process of its own.
struct Service {
    process: Child,
    base_url: String,
    lines: BufReader<std::process::ChildStdout>,
}

fn serve(program: &Command, listen: &str, folder: &Path) -> Command {
    let mut command = Command::new(program.get_program());
    command.args(program.get_args());
    command.args(["serve", "--empty", "--listen", listen, "--folder"]).arg(folder);
    command.env_remove("DATABASE_URL").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Service {
    fn start(folder: &Path) -> Self {
        Self::start_as(&Command::new(LABS), folder)
    }

    /// Starts it in a process group of its own and reads up to the ready line.
    fn start_as(program: &Command, folder: &Path) -> Self {
        let mut process = serve(program, "127.0.0.1:0", folder).process_group(0).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let Some(base_url) = first.trim_end().strip_prefix("Labs is ready at ") else {
            let mut said = String::new();
            process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("no ready line but {first:?} and {said}");
        };
        let base_url = base_url.to_owned();
        Self { process, base_url, lines }
    }

    fn answers(&self) -> bool {
        let url = format!("{}/v1/system/health", self.base_url);
        let answer = tokio::runtime::Runtime::new().unwrap().block_on(reqwest::get(url));
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    fn signal(&self, signal: &str, to: &str) {
        let target = format!("{to}{}", self.process.id());
        kill(signal, &target);
    }

    fn wait(&mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}

fn kill(signal: &str, target: &str) {
    assert!(try_kill(signal, target), "kill -{signal} {target}");
}

/// Whether there was somebody to signal.
fn try_kill(signal: &str, target: &str) -> bool {
    let script = r#"kill -s "$1" -- "$2""#;
    let done = Command::new("sh").args(["-c", script, "kill", signal, target]).status();
    done.unwrap().success()
}

/// The command lines of all processes, by number.
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

/// The processes whose command line holds every one of these words: their numbers.
fn processes(words: &[&str]) -> Vec<String> {
    let wanted = |command: &str| words.iter().all(|word| command.contains(word));
    let found = commands().into_iter().filter(|(_, command)| wanted(command));
    found.map(|(id, _)| id).collect()
}

/// The name that all processes of the folder's PostgreSQL have in their command lines.
fn cluster_name(folder: &Path) -> String {
    let lock = fs::read_to_string(folder.join("postgres/postmaster.pid")).unwrap();
    let postmaster = lock.lines().next().unwrap();
    let (_, command) = commands().into_iter().find(|(id, _)| id == postmaster).unwrap();
    let (_, name) = command.split_once("cluster_name=").unwrap();
    name.split(|letter: char| letter == '\0' || letter.is_whitespace()).next().unwrap().to_owned()
}

fn nothing_is_left(name: &str) {
    let begun = Instant::now();
    loop {
        let left = processes(&[name]);
        if left.is_empty() {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{left:?} still run");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn it_says_where_it_is_and_stops_in_order_at_sigterm() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    assert!(service.answers());
    let name = cluster_name(place.path());
    service.signal("TERM", "");
    assert!(service.wait().success());
    assert!(processes(&[&name]).is_empty());
    assert!(!place.path().join("postgres/postmaster.pid").exists());
    let mut rest = String::new();
    service.lines.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("/playground"), "{rest}");
    assert!(!rest.contains("Labs is ready"), "{rest}");
}

#[test]
fn a_ctrl_c_for_the_whole_group_reaches_the_service_before_its_database() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    service.signal("INT", "-");
    assert!(service.wait().success());
    assert!(processes(&[&name]).is_empty());
    let mut log = String::new();
    service.process.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(log.contains("all requests are answered"), "{log}");
    assert!(!log.contains("ended by itself"), "{log}");
}

#[test]
fn the_second_start_on_a_folder_names_the_first() {
    let place = tempfile::tempdir().unwrap();
    let mut first = Service::start(place.path());
    let second = serve(&Command::new(LABS), "127.0.0.1:0", place.path()).output().unwrap();
    assert!(!second.status.success());
    let refusal = said(&second);
    assert!(refusal.contains(&format!("process {}", first.process.id())), "{refusal}");
    assert!(first.answers());
    first.signal("TERM", "");
    assert!(first.wait().success());
}

#[test]
fn a_taken_port_is_told_before_anything_is_started() {
    let place = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = serve(&Command::new(LABS), &address, place.path()).output().unwrap();
    assert!(!output.status.success());
    assert!(said(&output).contains(&address), "{}", said(&output));
    assert!(!place.path().join("postgres").exists());
}

#[test]
fn a_kill_leaves_nothing_running_and_the_next_start_need_not_wait() {
    let place = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let mut service = Service::start(place.path());
        let name = cluster_name(place.path());
        service.signal("KILL", "");
        service.wait();
        nothing_is_left(&name);
        assert!(!place.path().join("postgres/postmaster.pid").exists());
    }
    let mut killed = Service::start(place.path());
    let name = cluster_name(place.path());
    killed.signal("KILL", "");
    killed.wait();
    let mut next = Service::start(place.path());
    assert!(next.answers());
    next.signal("TERM", "");
    assert!(next.wait().success());
    nothing_is_left(&name);
}

#[test]
fn a_server_left_behind_without_its_watchdog_is_stopped_by_the_next_start() {
    let place = tempfile::tempdir().unwrap();
    let mut service = Service::start(place.path());
    let name = cluster_name(place.path());
    for watchdog in processes(&[&name, "labs-watchdog"]) {
        kill("STOP", &watchdog);
    }
    service.signal("KILL", "");
    service.wait();
    // One of them may end by itself when another does.
    for watchdog in processes(&[&name, "labs-watchdog"]) {
        try_kill("KILL", &watchdog);
    }
    assert!(!processes(&[&name]).is_empty());
    let mut next = Service::start(place.path());
    assert!(next.answers());
    next.signal("TERM", "");
    assert!(next.wait().success());
    nothing_is_left(&name);
}

#[test]
fn an_ordinary_user_needs_nothing_of_roots() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let place = tempfile::tempdir().unwrap();
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut program = Command::new(LABS);
    let folder = place.path().join("a, \"b\" 100%");
    fs::create_dir(&folder).unwrap();
    let root = fs::metadata(&folder).unwrap().uid() == 0;
    if root {
        open(place.path());
        let copy = place.path().join("labs");
        fs::copy(LABS, &copy).unwrap();
        open(&copy);
        chown(&folder, Some(65534), Some(65534)).unwrap();
        program = Command::new("setpriv");
        program.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
    }
    let mut service = Service::start_as(&program, &folder);
    assert!(service.answers());
    let name = cluster_name(&folder);
    service.signal("KILL", "");
    service.wait();
    nothing_is_left(&name);
}
