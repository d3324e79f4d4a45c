//! Sample partners with their teams, staff members, and machine clients.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::secret::{SecretKind, SecretText};
use labs_crypto::totp::TotpSeed;
use serde_json::json;
use uuid::Uuid;

use super::data::{AddressData, ClientData, Data, PartnerData, PersonData};
use super::past::{Past, id};
use super::rows::{ClientRow, FactorRow, PartnerRow, PersonRow, RoleGrantRow, Rows, SecretRow, SubscriptionRow, bytes};
use super::sheet::{Key, SignIn};
use crate::operator;
use labs_admin::machine_clients::SHOWN_CHARACTERS;
use labs_identity::auth::mfa;

/// Domain of the staff members.
pub(super) const STAFF_DOMAIN: &str = "labs.example";
/// Passwords that wait to be hashed at the same time.
const AT_ONCE: usize = 16;
/// Seconds in a billing period of a paid tier.
const MONTH: i64 = 30 * 86_400;

/// A user, with their partner.
#[derive(Clone, Copy)]
struct Member {
    person: &'static PersonData,
    partner: Option<&'static PartnerData>,
}

/// Returns the id of a partner.
pub(super) fn partner_uuid(past: Past, partner: &PartnerData) -> Uuid {
    id(partner_since(past, partner), &partner.domain)
}

/// Returns the id of a team member, by the local part of the e-mail address.
pub(super) fn member_uuid(past: Past, partner: &'static PartnerData, local: &str) -> Option<Uuid> {
    let person = partner.team.iter().find(|person| person.local == local)?;
    Some(Member { person, partner: Some(partner) }.uuid(past))
}

/// Returns the ids of the staff members with a role.
pub(super) fn staff_uuids(data: &'static Data, past: Past, role: &str) -> Vec<Uuid> {
    let staff = data.staff.iter().filter(|person| person.role == role);
    staff.map(|person| Member { person, partner: None }.uuid(past)).collect()
}

/// Returns the rows of all users and machine clients, with their credentials.
pub(super) async fn all(services: &Services, data: &'static Data, past: Past) -> Result<(Rows, Vec<SignIn>), Fault> {
    let mut rows = Rows::default();
    for partner in &data.partners {
        rows.partners.push(partner_row(past, partner));
        rows.subscriptions.push(subscription_row(past, partner));
    }
    let mut sign_ins = Vec::new();
    let entering = stream::iter(members(data)).map(|member| enter(services, data, past, member));
    let entered: Vec<Entered> = entering.buffered(AT_ONCE).try_collect().await?;
    for entered in entered {
        rows.people.push(entered.row);
        rows.factors.extend(entered.factor);
        rows.role_grants.extend(entered.grant);
        sign_ins.extend(entered.sign_in);
    }
    for client in &data.clients {
        sign_ins.push(client_rows(data, past, client, &mut rows)?);
    }
    Ok((rows, sign_ins))
}

/// Returns all users. Staff members come first, because nothing can be granted before an administrator exists.
fn members(data: &'static Data) -> Vec<Member> {
    let staff = data.staff.iter().map(|person| Member { person, partner: None });
    let teams = data
        .partners
        .iter()
        .flat_map(|partner| partner.team.iter().map(move |person| Member { person, partner: Some(partner) }));
    staff.chain(teams).collect()
}

fn partner_since(past: Past, partner: &PartnerData) -> Time {
    past.days(partner.days, &partner.domain)
}

fn partner_row(past: Past, partner: &'static PartnerData) -> PartnerRow {
    let AddressData { street, postal_code, city } = &partner.address;
    PartnerRow {
        partner_uuid: partner_uuid(past, partner),
        slug: &partner.slug,
        company_name: &partner.company,
        legal_form: &partner.legal_form,
        registration_number: &partner.registration,
        vat_id: &partner.vat_id,
        country: &partner.country,
        address: json!({ "street": street, "postal_code": postal_code, "city": city }),
        billing_email: format!("billing@{}", partner.domain),
        website: format!("https://{}", partner.domain),
        labels: &partner.labels,
        created_at: partner_since(past, partner),
    }
}

/// Builds the subscription. A paid tier renews monthly since the partner's registration.
fn subscription_row(past: Past, partner: &'static PartnerData) -> SubscriptionRow {
    let started_at = partner_since(past, partner);
    let is_free = partner.tier == "FREE";
    let months = past.now().seconds_since(started_at) / MONTH;
    let period_start = if is_free { started_at } else { started_at.plus_seconds(months * MONTH) };
    let first = partner.team.first().map(|person| Member { person, partner: Some(partner) }.uuid(past));
    SubscriptionRow {
        partner_uuid: partner_uuid(past, partner),
        tier: &partner.tier,
        started_at,
        period_start,
        period_end: (!is_free).then(|| period_start.plus_seconds(MONTH)),
        event_uuid: id(started_at, &format!("subscription of {}", partner.slug)),
        actor_uuid: first.unwrap_or_default(),
    }
}

impl Member {
    fn domain(self) -> &'static str {
        self.partner.map_or(STAFF_DOMAIN, |partner| partner.domain.as_str())
    }

    fn email(self) -> String {
        format!("{}@{}", self.person.local, self.domain())
    }

    /// Returns the time when the user joined. The first administrator has the time of the partner's registration.
    fn since(self, past: Past) -> Time {
        match self.partner {
            Some(partner) if partner.days == self.person.days => partner_since(past, partner),
            _ => past.days(self.person.days, &self.email()),
        }
    }

    fn uuid(self, past: Past) -> Uuid {
        id(self.since(past), &self.email())
    }

    fn note(self) -> String {
        match (self.partner, self.person.state.as_str()) {
            (Some(_), "SUSPENDED") => format!("{}, suspended by the team: cannot sign in", self.person.role),
            (partner, _) => format!("{}: {}", self.person.role, may(&self.person.role, partner.is_some())),
        }
    }
}

/// Describes a role in one line of the credentials sheet.
const fn may(role: &str, is_of_partner: bool) -> &'static str {
    match (role.as_bytes(), is_of_partner) {
        (b"ADMINISTRATOR", true) => "everything of the company, its team and subscription included",
        (b"DEVELOPER", _) => "apps and versions, reads reviews and statistics, asks support, writes on the board",
        (b"EDITOR", true) => "apps, answers reviews, the company's profile, asks support",
        (b"ACCOUNTANT", _) => "the company's data, its subscription and invoices, asks support",
        (b"VIEWER", _) => "reads the data that other team members may change",
        (b"ADMINISTRATOR", false) => "everything, staff and their roles included",
        (b"REVIEWER", _) => "decides on submitted versions and on customers' reviews",
        (b"EDITOR", false) => "writes and releases changelog, blog and developer resources",
        (b"CATALOGUE", _) => "keeps categories, curated collections and tiers",
        (b"SUPPORT", _) => "answers tickets and reads the data for it",
        (b"ACCOUNT_MANAGER", _) => "looks after partners, their people and their subscriptions",
        (b"COMMUNITY", _) => "moderates and answers the feature-request board",
        (b"OPERATOR", _) => "runs the service: programs, budgets, keys, jobs, mail, imports",
        (b"AUDITOR", _) => "reads the audit log and the overview, changes nothing",
        _ => "nothing that this sheet knows of",
    }
}

/// A user with all related rows.
struct Entered {
    row: PersonRow,
    factor: Option<FactorRow>,
    grant: Option<RoleGrantRow>,
    sign_in: Option<SignIn>,
}

async fn enter(services: &Services, data: &'static Data, past: Past, member: Member) -> Result<Entered, Fault> {
    let Member { person, partner } = member;
    let (created_at, person_uuid, email) = (member.since(past), member.uuid(past), member.email());
    // A user who has not yet verified the address has no password.
    let is_verified = person.state != "UNVERIFIED";
    let password = is_verified.then(|| SecretText::new(operator::password()));
    let password_hash = match &password {
        Some(password) => Some(services.passwords.hash(password.clone()).await.map_err(Fault::internal)?),
        None => None,
    };
    let seed = person.factor.then(TotpSeed::random);
    let normalised = EmailAddress::parse(&email).map_err(Fault::internal)?.normalised().to_owned();
    Ok(Entered {
        row: PersonRow {
            person_uuid,
            kind: if partner.is_some() { "PARTNER_USER" } else { "STAFF_USER" },
            partner_uuid: partner.map(|partner| partner_uuid(past, partner)),
            email: email.clone(),
            email_normalised: normalised,
            name: &person.name,
            locale: &person.locale,
            time_zone: &person.time_zone,
            role: partner.is_some().then_some(&person.role),
            state: &person.state,
            password_hash,
            email_verified_at: is_verified.then_some(created_at),
            created_at,
        },
        factor: seed.as_ref().map(|seed| FactorRow {
            person_uuid,
            secret_sealed: bytes(&mfa::seal(&services.key, person_uuid, seed)),
            confirmed_at: created_at,
        }),
        grant: partner.is_none().then(|| RoleGrantRow {
            person_uuid,
            role_code: &person.role,
            // The first administrator was created through the command line and invited the others.
            granted_by: staff_uuids(data, past, "ADMINISTRATOR").into_iter().find(|first| *first != person_uuid),
            granted_at: created_at,
        }),
        sign_in: password.map(|password| SignIn {
            who: person.name.clone(),
            of: partner.map(|partner| partner.company.clone()),
            note: member.note(),
            key: Key::Password { email, password, totp_secret: seed.map(|seed| seed.base32()) },
        }),
    })
}

fn client_rows(data: &'static Data, past: Past, client: &'static ClientData, rows: &mut Rows) -> Result<SignIn, Fault> {
    let created_at = past.days(client.days, &client.client_id);
    let client_uuid = id(created_at, &client.client_id);
    let partner = data.partner(&client.partner);
    let secret = SecretKind::Client.issue();
    let prefix = secret.text.expose().get(..SHOWN_CHARACTERS);
    rows.clients.push(ClientRow {
        client_uuid,
        client_id: &client.client_id,
        partner_uuid: partner.map(|partner| partner_uuid(past, partner)),
        name: &client.name,
        contact_email: &client.contact,
        allowed_scopes: &client.scopes,
        created_at,
    });
    rows.secrets.push(SecretRow {
        secret_uuid: id(created_at, &format!("secret of {}", client.client_id)),
        client_uuid,
        prefix: prefix.ok_or_else(|| Fault::internal("a secret shorter than its prefix"))?.to_owned(),
        secret_sha256: bytes(&secret.digest),
        created_at,
    });
    Ok(SignIn {
        who: client.name.clone(),
        of: partner.map(|partner| partner.company.clone()),
        note: format!("{}: {}", client.scopes.join(" "), client.note),
        key: Key::Secret { client_id: client.client_id.clone(), secret: secret.text },
    })
}
