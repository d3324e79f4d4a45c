//! A service with a principal of each kind and an object of each kind, which can be brought into any state, and which
//! returns to the same rows before each case of the model (`tests/model`).

mod bodies;
mod objects;
mod restore;
mod states;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::model::case::{Case, Target};
use crate::model::machines::Company;
use crate::model::roster::{Kind, Profile, Standing};
pub(crate) use objects::build;
pub(crate) use restore::Snapshot;

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness};

/// Id of the caller's other session, which a case can end.
pub(super) const EXTRA_SESSION: &str = "0198d000-0000-7000-8000-00000000ca11";

/// A well-formed id that names nothing.
const ABSENT: &str = "0198d000-0000-7000-8000-00000000dead";

/// What a principal of the roster has in this service.
#[derive(Clone, Default)]
pub(super) struct Realised {
    pub(super) token: Option<String>,
    pub(super) cookie: Option<String>,
    pub(super) secret: Option<(String, String)>,
    pub(super) person: Option<Uuid>,
}

/// A service with principals and objects.
pub(crate) struct World {
    pub(crate) harness: Harness,
    pub(super) principals: Vec<Realised>,
    /// Objects of the partners, by the path parameter that names them.
    pub(super) owned: BTreeMap<Company, BTreeMap<&'static str, String>>,
    /// Objects that belong to no partner.
    pub(super) shared: BTreeMap<&'static str, String>,
    pub(super) chief: Uuid,
    /// Time of the first sign-in of a principal, in seconds.
    pub(crate) signed_in_at: i64,
}

/// Name of a partner in this service.
pub(super) fn company_name(company: Company) -> &'static str {
    match company {
        Company::Growth => "Alpenkassen",
        Company::Free => "Dorfkrug",
        Company::Scale => "Elbkontor",
        Company::Strict => "Hafenkante",
        Company::Closing => "Isartor",
        Company::Suspended => "Jadebusen",
        Company::Closed => "Leinehof",
        Company::Target => "Moselblick",
    }
}

impl World {
    /// Returns an object of a partner; partners without objects name those of another one.
    pub(super) fn owned(&self, company: Company, name: &str) -> String {
        let found = self.owned[&company].get(name).or_else(|| self.owned[&Company::Growth].get(name));
        found.or_else(|| self.shared.get(name)).unwrap_or_else(|| panic!("the model has no {name}")).clone()
    }

    /// Returns an object that belongs to no partner.
    pub(super) fn shared(&self, name: &str) -> String {
        self.shared.get(name).unwrap_or_else(|| panic!("the model has no {name}")).clone()
    }

    /// Returns the ids of an app's screenshots.
    pub(super) fn screenshots(&self, company: Company) -> Value {
        serde_json::from_str(&self.owned(company, "screenshots")).unwrap()
    }

    /// Returns the id of the staff member with `labs.admin:write`.
    pub(super) fn chief(&self) -> Uuid {
        self.chief
    }

    /// Returns the user behind a principal.
    pub(super) fn person(&self, principal: usize) -> Option<Uuid> {
        self.principals[principal].person
    }

    /// Returns the client id and secret behind a principal.
    pub(super) fn secret(&self, principal: usize) -> Option<&(String, String)> {
        self.principals[principal].secret.as_ref()
    }

    /// Returns the value of a path parameter that the case does not replace.
    pub(super) fn place(&self, case: &Case, profile: &Profile, name: &str) -> String {
        let (id, owner) = (case.operation.id.as_str(), case.owner(profile));
        let is_of_board = case.operation.path.starts_with("/v1/engagement/");
        match (id, name) {
            ("auth_sessions_delete", _) => EXTRA_SESSION.to_owned(),
            ("publication_items_put_artefact", _) => self.shared("resource_uuid"),
            (_, "request_uuid") if is_of_board => self.shared("board_request"),
            ("marketplace_apps_delete", "app_uuid") => self.owned(owner, "draft_uuid"),
            (_, "app_uuid") if self.is_draft(case) => self.owned(owner, "draft_uuid"),
            (_, "listing_slug") if self.is_draft(case) => self.owned(owner, "draft_slug"),
            ("admin_staff_roles_update" | "admin_staff_roles_delete", "role_code") => self.shared("spare_role"),
            (_, "locale") => "de".to_owned(),
            (_, "kind") => "LOGO".to_owned(),
            (_, "channel") => "blog".to_owned(),
            (_, "tier_code") => "FREE".to_owned(),
            _ => self.owned(owner, name),
        }
    }

    /// Whether the object of the case is an app that was never published.
    fn is_draft(&self, case: &Case) -> bool {
        crate::model::machines::action_of(&case.operation.id).is_some_and(|(machine, _)| machine == "App")
            && case.state == Some("DRAFT")
    }

    /// Returns the value of a path parameter.
    fn value(&self, case: &Case, profile: &Profile, name: &str) -> String {
        if !case.replaced.contains(&name) {
            return self.place(case, profile, name);
        }
        match case.target {
            Target::Own => self.place(case, profile, name),
            Target::Foreign if case.operation.id.starts_with("admin_users_") && name == "user_uuid" => {
                self.shared("staff_uuid")
            }
            Target::Foreign => {
                let other = if case.owner(profile) == Company::Free { Company::Growth } else { Company::Free };
                self.owned(other, name)
            }
            Target::Absent if name.ends_with("_uuid") => ABSENT.to_owned(),
            Target::Absent if name.ends_with("_code") => "NO_SUCH_THING".to_owned(),
            Target::Absent => "no-such-thing".to_owned(),
            Target::Malformed => "not-an-id".to_owned(),
        }
    }

    /// Sends the call of a case.
    pub(crate) async fn send(&self, case: &Case, profile: &Profile) -> Answer {
        let call = self.harness.call(&case.operation.id);
        let names = case.operation.parameters_in(labs_rest::contract::ParameterIn::Path);
        let call =
            names.fold(call, |call, parameter| call.path(&parameter.name, self.value(case, profile, &parameter.name)));
        let call = self.identify(case, profile, call);
        bodies::fill(self, case, profile, call).send().await
    }

    fn identify<'h>(&self, case: &Case, profile: &Profile, call: Call<'h>) -> Call<'h> {
        use labs_rest::contract::Access;
        let realised = &self.principals[case.principal];
        match (&case.operation.access, profile.standing) {
            (Access::Client, _) => call,
            (Access::Cookie, _) => match &realised.cookie {
                Some(cookie) => call.cookie(cookie),
                None => call,
            },
            (_, Standing::Missing) => call,
            (_, Standing::Garbled) => call.token("abc.def.ghi"),
            _ if case.operation.id == "auth_tokens_issue" => call,
            _ => match &realised.token {
                Some(token) => call.token(token),
                None => panic!("{} has no token", profile.name),
            },
        }
    }

    /// Restores the rows and brings the object of the case into its state.
    pub(crate) async fn prepare(&self, snapshot: &mut Snapshot, case: &Case, profile: &Profile) {
        snapshot.restore(&states::statements(self, case, profile)).await;
    }

    /// Runs a query that returns one text.
    pub(super) async fn text(&self, query: &str) -> String {
        let mut owner = self.harness.owner().await;
        sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&mut owner).await.unwrap()
    }
}

/// Builds the principals of a world. The administrators are the persons who registered the partners.
pub(super) async fn people(
    harness: &Harness,
    roster: &[Profile],
) -> (BTreeMap<Company, Person>, Person, Vec<Realised>, i64) {
    let mut administrators = BTreeMap::new();
    for company in Company::ALL {
        let person = harness.partner(company_name(company)).await;
        let tier = format!(
            "update subscription set tier_uuid = (select tier_uuid from tier where code = '{0}'), period_start = labs_now(),
                    period_end = case when '{0}' <> 'FREE' then labs_now() + interval '10 days' end
              where partner_uuid = '{1}'",
            company.tier(),
            person.partner_uuid.unwrap()
        );
        harness.sql(&tier).await;
        administrators.insert(company, person);
    }
    let growth = administrators[&Company::Growth].clone();
    let (expired, old) = (harness.sign_in(&growth.email).await, harness.sign_in(&growth.email).await);
    // Access tokens of users are valid for ten minutes, and a session is fresh for as long.
    harness.advance(700).await;
    let signed_in_at = harness.clock.now().unix();
    let renewed = harness.call("auth_sessions_refresh").cookie(&old.refresh).json(&json!({})).expect(200).await;
    let stale = Person { token: renewed.str("access_token").to_owned(), refresh: renewed.cookie(), ..old };
    let ended = harness.sign_in(&growth.email).await;
    harness.call("auth_sessions_sign_out").cookie(&ended.refresh).json(&json!({})).expect(200).await;
    let strict = administrators[&Company::Strict].partner_uuid.unwrap();
    harness.sql(&format!("update partner set mfa_required = true where partner_uuid = '{strict}'")).await;
    for company in Company::ALL {
        let email = administrators[&company].email.clone();
        administrators.insert(company, harness.sign_in(&email).await);
    }
    let chief = harness.staff("Chief", &["labs.admin:write"]).await;
    let mut realised = Vec::new();
    for profile in roster {
        let made = match (profile.name.as_str(), profile.kind) {
            (_, Kind::Nobody) => Realised::default(),
            ("expired", _) => of_person(&expired),
            ("session opened long ago", _) => of_person(&stale),
            ("signed out", _) => of_person(&ended),
            (_, Kind::User("ADMINISTRATOR")) => of_person(&administrators[&profile.company.unwrap()]),
            (name, Kind::User(role)) => of_person(&colleague(harness, &administrators, profile, name, role).await),
            ("staff with labs.admin:write", _) => of_person(&chief),
            (name, Kind::Staff) => {
                let name = name.trim_start_matches("staff with labs.").replace([':', '.'], " ");
                let scopes: Vec<&str> = profile.given.iter().map(String::as_str).collect();
                of_person(&harness.staff(&name, &scopes).await)
            }
            (_, Kind::Client) => client(harness, &administrators, profile).await,
        };
        realised.push(made);
    }
    (administrators, chief, realised, signed_in_at)
}

fn of_person(person: &Person) -> Realised {
    Realised {
        token: Some(person.token.clone()),
        cookie: Some(person.refresh.clone()),
        secret: None,
        person: Some(person.uuid),
    }
}

async fn colleague(
    harness: &Harness,
    administrators: &BTreeMap<Company, Person>,
    profile: &Profile,
    name: &str,
    role: &str,
) -> Person {
    let by = &administrators[&profile.company.unwrap()];
    crate::partner::team::colleague(harness, by, &name.replace(' ', "-"), role).await
}

async fn client(harness: &Harness, administrators: &BTreeMap<Company, Person>, profile: &Profile) -> Realised {
    let partner = profile.company.map(|company| administrators[&company].partner_uuid.unwrap());
    let scopes: Vec<&str> = profile.given.iter().map(String::as_str).collect();
    // The service may refuse to create a client with these scopes, so the rows grant them.
    let made = harness.program(&profile.name, &["marketplace.apps"], partner).await;
    let list = scopes.iter().map(|scope| format!("'{scope}'")).collect::<Vec<_>>().join(", ");
    let grant =
        format!("update machine_client set allowed_scopes = array[{list}] where client_id = '{}'", made.client_id);
    harness.sql(&grant).await;
    let token = harness.token_of(&made.client_id, &made.secret, profile.requested).await;
    Realised { token: Some(token), secret: Some((made.client_id, made.secret)), ..Realised::default() }
}

/// Ends what the standing of each principal says, through the operations of the service.
pub(super) async fn end_standings(world: &World, chief: &Person, roster: &[Profile]) {
    let harness = &world.harness;
    let reason = json!({ "reason": "As agreed on the phone." });
    let by_chief = |operation: &str| harness.call(operation).token(&chief.token);
    for (company, operation) in
        [(Company::Suspended, "admin_partners_suspend"), (Company::Closed, "admin_partners_close")]
    {
        by_chief(operation)
            .path("partner_uuid", &world.owned[&company]["partner_uuid"])
            .json(&reason)
            .expect(200)
            .await;
    }
    let index = |name: &str| roster.iter().position(|profile| profile.name == name).unwrap();
    let growth = &world.owned[&Company::Growth]["partner_uuid"];
    let administrator = world.principals[index("administrator of Growth")].token.clone().unwrap();
    let user = |name: &str| world.person(index(name)).unwrap();
    by_chief("admin_users_lock").path("user_uuid", user("locked by staff")).json(&reason).expect(200).await;
    for (name, operation) in [
        ("suspended by the team", "partner_team_members_suspend"),
        ("removed from the team", "partner_team_members_remove"),
    ] {
        let call = harness.call(operation).token(&administrator).path("partner_uuid", growth);
        let answer = call.path("user_uuid", user(name)).send().await;
        assert!(answer.status < 300, "{operation}: {}", answer.text());
    }
    let closing = world.principals[index("administrator of Closing")].token.clone().unwrap();
    let call = harness.call("partner_account_request_closure").token(&closing).json(&json!({}));
    call.path("partner_uuid", &world.owned[&Company::Closing]["partner_uuid"]).expect(200).await;
    let (client_id, _) = world.secret(index("disabled client")).unwrap();
    let client =
        world.text(&format!("select client_uuid::text from machine_client where client_id = '{client_id}'")).await;
    by_chief("admin_machine_clients_disable").path("client_uuid", client).json(&reason).expect(200).await;
    for (index, profile) in roster.iter().enumerate().filter(|(_, profile)| profile.standing != Standing::Good) {
        let Some(token) = world.principals[index].token.clone() else { continue };
        let is_refused = async || harness.call("system_me_get").token(&token).send().await.status >= 400;
        harness.soon(&profile.name, is_refused).await;
    }
}
