//! Tests with minimal database privileges: an owner that is not a superuser, and a service role that does not own its
//! database.

use std::path::PathBuf;
use std::process::{Command, Output};

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

use super::{LABS, Service, said, serve};

/// A separate PostgreSQL, because roles apply to the whole server.
struct Server {
    cluster: Cluster,
    _folder: Folder,
    place: TempDir,
}

impl Server {
    async fn start() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("home")).unwrap();
        let extra = vec![("synchronous_commit".to_owned(), "on".to_owned())];
        let settings = Settings { durable: false, extra, ..Settings::default() };
        Self { cluster: Cluster::start(&folder, &settings).await.unwrap(), _folder: folder, place }
    }

    /// Returns the URL of a database for this user.
    fn url(&self, user: &str, database: &str) -> String {
        let url = self.cluster.url().replacen("//labs@", &format!("//{user}@"), 1);
        url.replacen("/labs?", &format!("/{database}?"), 1)
    }

    /// Runs these statements as the superuser.
    async fn administer(&self, database: &str, statements: &str) {
        let mut superuser = PgConnection::connect(&self.url("labs", database)).await.unwrap();
        for statement in statements.split(';').filter(|statement| !statement.trim().is_empty()) {
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut superuser).await.unwrap();
        }
    }

    /// A command of the program with a separate folder, and a free port if it listens.
    fn command(&self, word: &str, urls: &[(&str, String)]) -> Command {
        let mut command = Command::new(LABS);
        command.args([word, "--folder"]).arg(self.folder()).env_remove("DATABASE_URL");
        command.env("LABS_LISTEN", "127.0.0.1:0");
        command.envs(urls.iter().map(|(name, url)| (name, url)));
        command
    }

    fn folder(&self) -> PathBuf {
        self.place.path().join("labs")
    }

    /// Runs the service and checks that it responds.
    fn serve(&self, urls: &[(&str, String)]) {
        let mut command = serve(&Command::new(LABS), "127.0.0.1:0", &self.folder());
        command.envs(urls.iter().map(|(name, url)| (name, url)));
        Service::run(&mut command).stop();
    }
}

fn refused(output: &Output) -> String {
    let told = said(output);
    assert!(!output.status.success(), "{told}");
    told
}

#[tokio::test]
async fn owner_without_createrole_gets_commands_for_superuser() {
    let server = Server::start().await;
    server.administer("labs", "create role shop login; create database shop owner shop").await;
    let urls = [("DATABASE_URL", server.url("shop", "shop"))];
    let told = refused(&server.command("migrate", &urls).output().unwrap());
    let (_, statements) = told.split_once("in that database: ").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(statements.matches(';').count(), 4, "{told}");
    server.administer("shop", statements).await;
    let done = server.command("migrate", &urls).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    server.serve(&urls);
}

#[tokio::test]
async fn service_role_serves_database_migrated_by_owner() {
    let server = Server::start().await;
    let roles = "create role owner_of_books login createrole; create role web login; \
                 create database books owner owner_of_books";
    server.administer("labs", roles).await;
    let (web, owner) = (server.url("web", "books"), server.url("owner_of_books", "books"));
    let alone = [("DATABASE_URL", web.clone())];
    let told = refused(&server.command("migrate", &alone).output().unwrap());
    assert!(told.contains("Name the owner of the database books in LABS_MIGRATE_URL"), "{told}");

    let migrated = server.command("migrate", &[alone[0].clone(), ("LABS_MIGRATE_URL", owner)]).output().unwrap();
    assert!(migrated.status.success(), "{}", said(&migrated));
    let told = refused(&server.command("serve", &alone).output().unwrap());
    assert!(told.contains("GRANT labs_service TO web"), "{told}");
    server.administer("books", "grant labs_service to web").await;
    server.serve(&alone);
}

#[tokio::test]
async fn invalid_url_error_names_its_setting() {
    let server = Server::start().await;
    let url = server.url("labs", "labs");
    for (name, bad) in [("LABS_MIGRATE_URL", "mysql://db/shop"), ("LABS_LISTEN_DATABASE_URL", "db.example")] {
        let told = refused(
            &server.command("serve", &[("DATABASE_URL", url.clone()), (name, bad.to_owned())]).output().unwrap(),
        );
        assert!(told.contains(name) && told.contains("Write postgres://"), "{told}");
    }
}
