//! Tests of the first start: it creates sample data and a file of credentials once, or neither with `--empty`.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{LABS, Service, database_url, serve};
use crate::harness::Harness;

/// Partners, categories and apps of the sample data.
const COUNTS: [i64; 3] = [4, 30, 40];
/// Every state of an app.
const STATES: [&str; 5] = ["DRAFT", "LISTED", "UNLISTED", "SUSPENDED", "ARCHIVED"];
/// One user of each team, with access to its apps and without a second factor.
const TEAMS: [&str; 4] = [
    "jonas.thielemann@elbkontor.example",
    "camille.roussel@belletablee.example",
    "katharina.hoedl@murzeit.example",
    "sanne.dewit@voorraadhuis.example",
];
/// The reviewers.
const REVIEWERS: [&str; 2] = ["ruben.castellanos@labs.example", "elodie.marchand@labs.example"];
/// The administrator of the platform, who has a second factor.
const STAFF: &str = "henrike.falk@labs.example";

fn sheet_file(folder: &Path) -> PathBuf {
    folder.join("sign-ins.txt")
}

/// The file of credentials.
#[derive(PartialEq)]
struct Sheet(String);

impl Sheet {
    fn read(folder: &Path) -> Self {
        let file = sheet_file(folder);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
        Self(fs::read_to_string(file).unwrap())
    }

    /// Returns all values after a label.
    fn all(&self, label: &str) -> Vec<&str> {
        self.0.lines().filter_map(|line| line.trim_start().strip_prefix(label)).map(str::trim).collect()
    }

    /// Returns the value after a label, below this e-mail address or client id.
    fn of(&self, name: &str, label: &str) -> &str {
        let found = self.0.split_once(&format!(" {name}\n"));
        let (_, below) = found.unwrap_or_else(|| panic!("{name} is not on the sheet: {}", self.0));
        below.lines().find_map(|line| line.trim_start().strip_prefix(label)).unwrap().trim()
    }

    /// Signs a user in and returns the access token.
    async fn sign_in(&self, harness: &Harness, email: &str) -> String {
        let body = json!({ "email": email, "password": self.of(email, "password") });
        let mut answer = harness.call("auth_sessions_create").json(&body).send().await;
        if answer.code() == "MFA_REQUIRED" {
            let body = json!({ "challenge": answer.str("challenge"), "code": harness.code(self.of(email, "totp")) });
            answer = harness.call("auth_sessions_verify_mfa").json(&body).send().await;
        }
        assert_eq!(answer.status, 200, "{email}: {}", answer.text());
        answer.str("access_token").to_owned()
    }

    /// Returns an access token of a machine client.
    async fn token(&self, harness: &Harness, client_id: &str) -> String {
        harness.token_of(client_id, self.of(client_id, "secret"), None).await
    }

    /// Returns the apps of all teams, with their states.
    async fn apps(&self, harness: &Harness) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut apps = Vec::new();
        for email in TEAMS {
            let token = self.sign_in(harness, email).await;
            let own = harness.call("marketplace_apps_list").query("limit", 100).token(&token).expect(200).await;
            let own = own.json["data"].as_array().unwrap();
            assert!(!own.is_empty(), "{email} finds no app");
            apps.extend(own.iter().map(|app| (text(&app["slug"]), text(&app["state"]))));
        }
        apps
    }
}

async fn counts(harness: &Harness) -> [i64; 3] {
    let mut counts = [0; 3];
    for (count, table) in counts.iter_mut().zip(["partner", "category", "app"]) {
        *count = harness.number(&format!("select count(*) from {table}")).await;
    }
    counts
}

/// Returns the expected lines below the ready line if there is sample data.
fn places(service: &Service, folder: &Path) -> String {
    let (base, sheet) = (&service.base_url, sheet_file(folder));
    let sheet = sheet.display();
    format!(
        "  API reference  {base}/reference\n  Playground     {base}/playground\n  Sign-ins       {sheet}\n  \
         Sample pages   npm run sample --prefix playground/sample\n"
    )
}

fn start_filled(folder: &Path) -> Service {
    Service::run(&mut serve(&Command::new(LABS), "127.0.0.1:0", folder))
}

/// Checks the storefront, from the first search result to the bytes of its icon.
async fn the_storefront_shows(harness: &Harness, sheet: &Sheet, listed: usize) {
    let token = sheet.token(harness, "labs-client-storefront").await;
    let found = harness.call("marketplace_listings_search").token(&token).expect(200).await;
    assert_eq!(found.json["facets"]["total"], listed);
    let listing = &found.json["data"][0];
    let (slug, icon) = (listing["slug"].as_str().unwrap(), &listing["icon"]);
    let call = harness.call("marketplace_listings_get_media_content").path("listing_slug", slug);
    let call = call.path("media_uuid", icon["media_uuid"].as_str().unwrap());
    let picture = image::load_from_memory(&call.token(&token).expect(200).await.bytes).unwrap();
    assert_eq!((&icon["width"], &icon["height"]), (&json!(picture.width()), &json!(picture.height())), "{slug}");
    let vendor = harness.call("marketplace_vendors_get").path("partner_slug", "elbkontor").token(&token);
    let vendor = vendor.expect(200).await;
    assert_eq!(vendor.json["imagery"].as_array().unwrap().len(), 2);
    for operation in ["list_media", "list_versions", "list_related"] {
        let call = harness.call(&format!("marketplace_listings_{operation}")).path("listing_slug", slug).token(&token);
        assert_ne!(call.expect(200).await.json["data"], json!([]), "{operation} of {slug}");
    }
}

/// Checks the view of reviewers and partner: a suspended listing and a rejected version with an appeal.
async fn the_review_desk_shows(harness: &Harness, sheet: &Sheet, staff: &str) {
    let mut may_decide = 0;
    let mut appeal = Value::Null;
    for email in REVIEWERS {
        let token = sheet.sign_in(harness, email).await;
        let queue = harness.call("marketplace_submissions_list").query("appeal", true).token(&token).expect(200).await;
        appeal = queue.json["data"][0].clone();
        assert_eq!((queue.json["data"].as_array().unwrap().len(), &appeal["state"]), (1, &json!("SUBMITTED")));
        may_decide += usize::from(appeal["allowed_actions"] == json!(["claim"]));
    }
    assert_eq!(may_decide, 1, "whoever rejected it does not decide the appeal");

    let owner = sheet.sign_in(harness, TEAMS[2]).await;
    let call = harness.call("marketplace_versions_get").path("app_uuid", appeal["app_uuid"].as_str().unwrap());
    let call = call.path("version_uuid", appeal["version_uuid"].as_str().unwrap());
    let review = call.token(&owner).expect(200).await.json["review"].clone();
    assert_eq!((&review["appeal"], &review["awaits_another_reviewer"]), (&json!(true), &json!(true)));
    assert!(review["due_at"].is_string() && review["findings"][0]["text"].is_string(), "{review}");

    let team = sheet.sign_in(harness, TEAMS[0]).await;
    for (operation, token) in [("admin_apps_list", staff), ("marketplace_apps_list", &team)] {
        let suspended = harness.call(operation).query("state", "SUSPENDED").token(token).expect(200).await;
        assert!(suspended.json["data"][0]["state_reason"].is_string(), "{operation}: {}", suspended.text());
    }
}

#[tokio::test]
async fn first_start_creates_sample_data_and_next_keeps_it() {
    let place = tempfile::tempdir().unwrap();
    let service = start_filled(place.path());
    let mut harness = service.harness(place.path()).await;
    let sheet = Sheet::read(place.path());
    let passwords = sheet.all("password");
    assert_eq!(passwords.len(), sheet.all("email").len());
    assert_eq!(passwords.iter().collect::<HashSet<_>>().len(), passwords.len(), "two have the same password");

    assert_eq!(counts(&harness).await, COUNTS);
    let apps = sheet.apps(&harness).await;
    assert_eq!(apps.len(), 40, "what the teams find is all there is");
    let states: HashSet<&str> = apps.iter().map(|(_, state)| state.as_str()).collect();
    assert_eq!(states, HashSet::from(STATES));
    let staff = sheet.sign_in(&harness, STAFF).await;
    let partners = harness.call("admin_partners_list").token(&staff).expect(200).await;
    assert_eq!(partners.json["data"].as_array().unwrap().len(), 4);
    let listed = apps.iter().filter(|(_, state)| state == "LISTED").count();
    the_storefront_shows(&harness, &sheet, listed).await;
    the_review_desk_shows(&harness, &sheet, &staff).await;
    let release_tool = sheet.token(&harness, "labs-client-release-tool").await;
    harness.call("system_me_get").token(&release_tool).expect(200).await;
    let told = places(&service, place.path());
    assert_eq!(service.stop(), told);

    let again = start_filled(place.path());
    harness.use_address(again.address());
    assert!(Sheet::read(place.path()) == sheet, "the sheet was written anew");
    assert_eq!(counts(&harness).await, COUNTS);
    assert_eq!(sheet.apps(&harness).await, apps, "the passwords of the first start hold");
    let told = places(&again, place.path());
    assert_eq!(again.stop(), told);
}

#[tokio::test]
async fn empty_start_and_external_database_get_no_sample_data() {
    let (there, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let empty = Service::start(there.path());
    let mut command = serve(&Command::new(LABS), "127.0.0.1:0", here.path());
    command.env("DATABASE_URL", database_url(there.path()));
    command.arg("--master-key-file").arg(there.path().join("secrets/master.key"));
    let elsewhere = Service::run(&mut command);
    let harness = elsewhere.harness(there.path()).await;
    harness.call("system_readiness_get").expect(200).await;
    assert_eq!(counts(&harness).await, [0; 3]);
    for (service, place) in [(elsewhere, here), (empty, there)] {
        let told = service.stop();
        assert!(told.contains("/playground") && !told.contains("Sign-ins"), "{told}");
        assert!(
            told.contains("labs staff create"),
            "nobody could administer, and how somebody may is not told: {told}"
        );
        assert!(!sheet_file(place.path()).exists());
    }
}
