//! Tests with a remote PostgreSQL that accepts only TLS connections, as managed databases do.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

use super::{LABS, Service, kill, said, serve, soon};

/// The owner's password, with characters that must be encoded in a URL.
const PASSWORD: &str = "a/b@c#d e";
/// `labs` authenticates with a password, `certified` with a certificate.
const DOORS: &str = "hostssl all labs 127.0.0.1/32 scram-sha-256\n\
                     hostssl all certified 127.0.0.1/32 trust clientcert=verify-ca\n";

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Issues a certificate for this name and returns it with its key.
    fn issue(&self, name: &str) -> (String, String) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

/// The server, with the host name `localhost`. It stops when the value is dropped.
struct Server {
    process: Child,
    port: u16,
    place: TempDir,
    authority: Authority,
}

impl Server {
    async fn start() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (programs, data) = (made(place.path()).await, place.path().join("data"));
        let authority = Authority::new("Labs test authority");
        let (certificate, key) = authority.issue("localhost");
        let owner = fs::metadata(&data).unwrap();
        for (name, text) in [
            ("server.crt", certificate.as_str()),
            ("server.key", key.as_str()),
            ("root.crt", authority.pem.as_str()),
            ("pg_hba.conf", DOORS),
        ] {
            let file = data.join(name);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
        }
        fs::write(place.path().join("root.pem"), &authority.pem).unwrap();
        fs::write(place.path().join("password"), format!("{PASSWORD}\n")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(&data).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        for setting in [
            "listen_addresses=127.0.0.1",
            &format!("port={port}"),
            "unix_socket_directories=",
            "ssl=on",
            "ssl_ca_file=root.crt",
            "fsync=off",
        ] {
            command.args(["-c", setting]);
        }
        if fs::metadata(place.path()).unwrap().uid() == 0 {
            command.uid(owner.uid()).gid(owner.gid());
        }
        let server = Self { process: command.spawn().unwrap(), port, place, authority };
        // The server listens before it accepts connections. The last line of its lock file is its state.
        let state = data.join("postmaster.pid");
        soon("the server is ready", || fs::read_to_string(&state).is_ok_and(|file| file.trim_end().ends_with("ready")));
        server
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn url(&self, user: &str, host: &str, query: &str) -> String {
        format!("postgres://{user}@{host}:{}/labs?{query}", self.port)
    }

    /// Runs `labs migrate` on this URL, with the owner's password from its file if one is given, and returns its
    /// output.
    fn migrate(&self, url: &str, password_file: Option<&Path>) -> Output {
        let mut command = Command::new(LABS);
        command.args(["migrate", "--database-url", url, "--folder"]).arg(self.file("folder"));
        if let Some(file) = password_file {
            command.arg("--database-password-file").arg(file);
        }
        command.output().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill("INT", &self.process.id().to_string());
        let _ = self.process.wait();
    }
}

/// Creates a database with its two users in this folder and returns the folder of the PostgreSQL programs.
async fn made(place: &Path) -> PathBuf {
    let home = place.join("home");
    let folder = Folder::open(&home).unwrap();
    let cluster = Cluster::start(&folder, &Settings { durable: false, ..Settings::default() }).await.unwrap();
    let mut owner = PgConnection::connect(cluster.url()).await.unwrap();
    let users = format!("alter role labs password '{PASSWORD}'; create role certified superuser login");
    sqlx::raw_sql(sqlx::AssertSqlSafe(users)).execute(&mut owner).await.unwrap();
    owner.close().await.unwrap();
    let programs = cluster.programs().to_owned();
    cluster.stop().await.unwrap();
    fs::rename(home.join("postgres"), place.join("data")).unwrap();
    programs
}

fn refused(output: &Output, words: &str) {
    let told = said(output);
    assert!(!output.status.success() && told.contains(words), "not {words:?}: {told}");
    assert!(!told.contains(PASSWORD) && !told.contains("a%2Fb"), "{told}");
}

#[tokio::test]
async fn tls_only_database_works_and_wrong_host_is_rejected() {
    let server = Server::start().await;
    let (root, password) = (server.file("root.pem"), server.file("password"));
    let verified =
        |host: &str, mode: &str| server.url("labs", host, &format!("sslmode={mode}&sslrootcert={}", root.display()));
    let migrate = |url: &str| server.migrate(url, Some(&password));

    refused(&migrate(&server.url("labs", "localhost", "sslmode=disable")), "accepts labs only over TLS");
    refused(&migrate(&server.url("labs", "localhost", "sslmode=verify-full")), "sslrootcert=<file> in DATABASE_URL");
    refused(
        &migrate(&verified("127.0.0.1", "verify-full")),
        "The certificate is not valid for the host in DATABASE_URL",
    );
    let other = server.file("other.pem");
    fs::write(&other, Authority::new("Somebody else").pem).unwrap();
    let of_another = server.url("labs", "localhost", &format!("sslmode=require&sslrootcert={}", other.display()));
    refused(&migrate(&of_another), "sslrootcert=<file> in DATABASE_URL");

    for url in [verified("localhost", "verify-full"), verified("127.0.0.1", "verify-ca")] {
        let done = migrate(&url);
        assert!(done.status.success(), "{url}: {}", said(&done));
    }
    let plainly_required = migrate(&server.url("labs", "127.0.0.1", "sslmode=require"));
    assert!(plainly_required.status.success(), "{}", said(&plainly_required));

    let mut command = serve(&Command::new(LABS), "127.0.0.1:0", &server.file("folder"));
    command.env("DATABASE_URL", verified("localhost", "verify-full")).env("LABS_DATABASE_PASSWORD_FILE", &password);
    let service = Service::run(&mut command);
    let health = reqwest::get(format!("{}/v1/system/health", service.base_url)).await.unwrap();
    assert_eq!(health.status(), 200);
    service.stop();
}

#[tokio::test]
async fn password_file_and_client_certificate_authenticate() {
    let server = Server::start().await;
    let (password, wrong) = (server.file("password"), server.file("wrong"));
    fs::write(&wrong, "another one").unwrap();
    let url = server.url("labs", "localhost", "sslmode=require");
    refused(&server.migrate(&url, Some(&wrong)), "rejects the user labs");
    refused(&server.migrate(&url, Some(&server.file("missing"))), "LABS_DATABASE_PASSWORD_FILE names the file");
    let named = server.url("labs:a%2Fb", "localhost", "sslmode=require");
    refused(&server.migrate(&named, Some(&password)), "both contain a password");

    let (certificate, key) = server.authority.issue("certified");
    let (certificate_file, key_file) = (server.file("client.pem"), server.file("client.key"));
    fs::write(&certificate_file, certificate).unwrap();
    fs::write(&key_file, key).unwrap();
    let without = server.url("certified", "localhost", "sslmode=require");
    refused(&server.migrate(&without, None), "certificate");
    let with = format!("{without}&sslcert={}&sslkey={}", certificate_file.display(), key_file.display());
    let done = server.migrate(&with, None);
    assert!(done.status.success(), "{}", said(&done));
    let nowhere = format!("{without}&sslcert=no-such.pem&sslkey={}", key_file.display());
    refused(&server.migrate(&nowhere, None), "names the file no-such.pem, which cannot be read");
}

#[tokio::test]
async fn server_without_tls_is_rejected_if_tls_is_required() {
    let harness = crate::harness::Harness::new().await;
    let url = harness.database_url.replace("sslmode=disable", "sslmode=verify-full");
    let place = tempfile::tempdir().unwrap();
    let output =
        Command::new(LABS).args(["migrate", "--database-url", &url, "--folder"]).arg(place.path()).output().unwrap();
    refused(&output, "does not support TLS");
}
