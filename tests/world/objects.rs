//! Objects of the model's world: one of each kind for three partners, and those that belong to no partner.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::restore::Snapshot;
use super::{World, company_name, end_standings, people};
use crate::harness::people::Person;
use crate::harness::{Answer, Harness, contract};
use crate::marketplace::submittable;
use crate::model::machines::Company;
use crate::model::roster::Profile;
use crate::partner::profile::written;

/// Builds a world and its snapshot.
pub(crate) async fn build(roster: &[Profile]) -> (World, Snapshot) {
    let harness = Harness::new().await;
    harness.sql("update tier set burst_per_second = 100000, daily_requests = 100000000").await;
    let caps = "feature_code in ('apps', 'media_megabytes', 'team_members')";
    harness.sql(&format!("update tier_feature set value = '\"unlimited\"' where {caps}")).await;
    let (administrators, chief, principals, signed_in_at) = people(&harness, roster).await;
    let (owned, shared) = (BTreeMap::new(), BTreeMap::new());
    let mut world = World { harness, principals, owned, shared, chief: chief.uuid, signed_in_at };
    for (company, person) in &administrators {
        let partner = person.partner_uuid.unwrap().to_string();
        world.owned.insert(*company, BTreeMap::from([("partner_uuid", partner), ("email", person.email.clone())]));
    }
    let mut maker = Maker { world, chief };
    maker.share(roster).await;
    for (company, person) in &administrators {
        maker.company(*company, person).await;
    }
    maker.board(&administrators).await;
    let Maker { world, chief } = maker;
    end_standings(&world, &chief, roster).await;
    world.harness.until("select count(*) from mail_message where state = 'QUEUED'", 0).await;
    let snapshot = Snapshot::take(&world.harness).await;
    (world, snapshot)
}

struct Maker {
    world: World,
    chief: Person,
}

impl Maker {
    /// Calls an operation of a partner's administrator or of the chief, with the objects made so far.
    async fn made(&self, company: Company, token: &str, operation: &str, body: Value) -> Answer {
        let operation = contract().operation(operation).unwrap();
        let names = operation.parameters_in(labs_rest::contract::ParameterIn::Path);
        let call = names.fold(self.world.harness.call(&operation.id).token(token), |call, parameter| {
            let value = match parameter.name.as_str() {
                "locale" => "de".to_owned(),
                name => self.world.owned(company, name),
            };
            call.path(&parameter.name, value)
        });
        let call = if body.is_null() { call } else { call.json(&body) };
        let answer = call.send().await;
        assert!(answer.status < 300, "{}: {} {}", operation.id, answer.status, answer.text());
        answer
    }

    fn own(&mut self, company: Company, name: &'static str, value: &str) {
        self.world.owned.get_mut(&company).unwrap().insert(name, value.to_owned());
    }

    /// Makes the objects of a partner.
    async fn company(&mut self, company: Company, person: &Person) {
        let harness = &self.world.harness;
        if matches!(company, Company::Growth | Company::Free | Company::Target | Company::Scale | Company::Closing) {
            written(harness, person).await;
            self.made(company, &person.token, "partner_profile_publish", Value::Null).await;
        }
        if !company.has_objects() {
            return;
        }
        let name = company_name(company);
        let partner = person.partner_uuid.unwrap();
        let slug = self.world.text(&format!("select slug from partner where partner_uuid = '{partner}'")).await;
        self.own(company, "partner_slug", &slug);
        self.team(company, person, name).await;
        self.app(company, person, name).await;
        self.papers(company, person, name).await;
        self.review(company).await;
    }

    async fn team(&mut self, company: Company, person: &Person, name: &str) {
        let harness = &self.world.harness;
        crate::partner::team::colleague(harness, person, &format!("Second-{name}"), "ADMINISTRATOR").await;
        let member = crate::partner::team::colleague(harness, person, &format!("Member-{name}"), "VIEWER").await;
        let program = harness.program(&format!("till of {name}"), &["partner"], person.partner_uuid).await;
        let of_client = format!("from machine_client where client_id = '{}'", program.client_id);
        let client = self.world.text(&format!("select client_uuid::text {of_client}")).await;
        let secret = "select secret_uuid::text from machine_client_secret where client_uuid =";
        let secret = self.world.text(&format!("{secret} '{client}'")).await;
        let session = format!("select session_uuid::text from session where person_uuid = '{}' limit 1", member.uuid);
        let session = self.world.text(&session).await;
        for (parameter, value) in [
            ("user_uuid", member.uuid.to_string()),
            ("client_uuid", client),
            ("secret_uuid", secret),
            ("session_uuid", session),
        ] {
            self.own(company, parameter, &value);
        }
    }

    /// An app with a published version and one that the chief reviews, and an app that was never published.
    async fn app(&mut self, company: Company, person: &Person, name: &str) {
        let (chief, token) = (self.chief.clone(), &person.token);
        let (app, version) = submittable(&self.world.harness, &chief, person, &format!("Table Pilot {name}")).await;
        self.own(company, "app_uuid", &app);
        self.own(company, "version_uuid", &version);
        let german =
            json!({ "name": "Tischpilot", "tagline": "Tische im Blick", "description": "Zeigt freie Tische." });
        self.made(company, token, "marketplace_translations_put", german).await;
        self.review_version(company, token).await;
        self.made(company, &chief.token, "marketplace_submissions_approve", json!({})).await;
        self.made(company, token, "marketplace_versions_publish", json!({})).await;
        let second = json!({ "number": "1.1.0", "release_notes": { "en": "What is new." } });
        let second = self.made(company, token, "marketplace_versions_create", second).await;
        self.own(company, "version_uuid", second.str("uuid"));
        self.review_version(company, token).await;
        let draft = json!({ "name": format!("Draft of {name}") });
        let draft = self.made(company, token, "marketplace_apps_create", draft).await;
        self.own(company, "draft_uuid", draft.str("uuid"));
        self.own(company, "draft_slug", draft.str("slug"));
        let slug = self.made(company, token, "marketplace_apps_get", Value::Null).await;
        self.own(company, "listing_slug", slug.str("slug"));
        let media = self.made(company, token, "marketplace_media_list", Value::Null).await;
        let shots = media.json["data"].as_array().unwrap().iter().filter(|item| item["kind"] == "SCREENSHOT");
        let shots: Vec<&Value> = shots.map(|item| &item["uuid"]).collect();
        self.own(company, "media_uuid", shots[0].as_str().unwrap());
        self.own(company, "screenshots", &json!(shots).to_string());
    }

    async fn review_version(&mut self, company: Company, token: &str) {
        let submitted = self.made(company, token, "marketplace_versions_submit", json!({})).await;
        let submission = submitted.json["review"]["submission_uuid"].as_str().unwrap().to_owned();
        self.own(company, "submission_uuid", &submission);
        let chief = self.chief.token.clone();
        self.made(company, &chief, "marketplace_submissions_claim", Value::Null).await;
    }

    async fn papers(&mut self, company: Company, person: &Person, name: &str) {
        let address = format!("ines.ferrer@{}.example", name.to_lowercase());
        let contact = json!({ "kind": "BILLING", "name": "Ines Ferrer", "email": &address });
        let invitation = json!({ "email": &address, "role": "VIEWER" });
        let ticket = json!({ "subject": "Webhooks are refused", "body": "Since this morning.", "topic": "API" });
        for (parameter, operation, body) in [
            ("contact_uuid", "partner_contacts_create", contact),
            ("export_uuid", "partner_data_exports_create", Value::Null),
            ("invitation_uuid", "partner_invitations_create", invitation),
            ("request_uuid", "subscription_change_requests_create", json!({ "tier_code": "SCALE" })),
            ("ticket_uuid", "partner_support_tickets_open", ticket),
        ] {
            let made = self.made(company, &person.token, operation, body).await;
            self.own(company, parameter, made.str("uuid"));
        }
        let chief = self.chief.token.clone();
        let note = self.made(company, &chief, "admin_notes_create", json!({ "body": "Pays late." })).await;
        self.own(company, "note_uuid", note.str("uuid"));
        if company == Company::Target {
            let (ends, reason) = ("2037-12-31T00:00:00Z", "As agreed.");
            let limit = json!({ "limit": 8, "reason": reason, "expires_at": ends });
            self.made(company, &chief, "admin_entitlements_put_override", limit).await;
            let budget = json!({ "daily_requests": 250_000, "reason": reason, "expires_at": ends });
            self.made(company, &chief, "admin_rate_limits_put_override", budget).await;
        }
        let export = &self.world.owned[&company]["export_uuid"];
        let done = format!("select count(*) from data_export where export_uuid = '{export}' and state = 'SUCCEEDED'");
        self.world.harness.until(&done, 1).await;
    }

    /// A customer review of the app that is published and answered.
    async fn review(&mut self, company: Company) {
        let insert = format!(
            "with said as (
                 insert into customer_review_text (text_uuid, review_uuid, rating, locale)
                 values (labs_uuid(), labs_uuid(), 4, 'en') returning *
             ), replied as (
                 insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind)
                 select labs_uuid(), review_uuid, text_uuid, 'Thanks.', 'PARTNER_USER' from said returning reply_uuid
             )
             insert into customer_review (review_uuid, app_uuid, state, shown_text_uuid, rating, locale, written_at,
                                          has_text, reply_uuid)
             select review_uuid, '{}', 'PUBLISHED', text_uuid, rating, locale, labs_now(), false, reply_uuid
               from said, replied
             returning review_uuid::text || ' ' || shown_text_uuid::text",
            self.world.owned[&company]["app_uuid"]
        );
        let made = self.world.text(&insert).await;
        let (review, text) = made.split_once(' ').unwrap();
        self.own(company, "review_uuid", review);
        self.own(company, "text_uuid", text);
    }

    fn keep(&mut self, name: &'static str, value: &str) {
        self.world.shared.insert(name, value.to_owned());
    }

    /// Makes what belongs to no partner.
    async fn share(&mut self, roster: &[Profile]) {
        for (name, value) in
            [("job_code", "TIDYING"), ("feature_code", "apps"), ("tier_code", "FREE"), ("slug", "first-steps")]
        {
            self.keep(name, value);
        }
        let victim = self.world.harness.staff("Victim", &["labs.admin.overview"]).await;
        self.keep("staff_uuid", &victim.uuid.to_string());
        self.keep("role_code", "T_VICTIM");
        let roles = "insert into staff_role (role_code, name, scopes) values
                     ('SPARE', 'Spare', array['labs.admin.overview']), ('WEAK', 'Weak', array['labs.admin.staff'])";
        self.world.harness.sql(roles).await;
        self.keep("spare_role", "SPARE");
        self.keep("weak_role", "WEAK");
        let denial = json!({ "network": "203.0.113.0/24", "reason": "Tries stolen passwords." });
        let collection = json!({ "titles": { "en": "First week" }, "slug": "first-week", "listings": [],
                                 "shown_from": "2020-01-01T00:00:00Z" });
        let category = json!({ "names": { "en": "Loyalty" } });
        let tier = json!({ "code": "MODEL", "name": "Model", "burst_per_second": 10, "daily_requests": 20_000,
                           "price": { "amount_minor": 0, "currency": "EUR" }, "billing_period": "NONE", "features": [] });
        let deprecation = json!({ "operation_id": "statistics_apps_get", "reason": "Not needed.",
                                  "replacement": "Nothing.", "sunset_at": "2037-01-01T00:00:00Z" });
        let post = json!({ "kind": "BLOG_POST", "title": "A draft", "body": "Something to read." });
        let resource = json!({ "kind": "DEVELOPER_RESOURCE", "title": "Notes", "body": "Something to read." });
        let chief = self.chief.token.clone();
        for (name, operation, body) in [
            ("category_uuid", "marketplace_categories_create", category),
            ("collection_uuid", "marketplace_collections_create", collection),
            ("denial_uuid", "admin_network_denials_create", denial),
            ("deprecation_uuid", "admin_deprecations_create", deprecation),
            ("item_uuid", "publication_items_create", post),
            ("resource_uuid", "publication_items_create", resource),
            ("tier_uuid", "subscription_tiers_create", tier),
            ("topic_uuid", "engagement_topics_create", json!({ "names": { "en": "Payments" } })),
        ] {
            let made = self.made(Company::Growth, &chief, operation, body).await;
            self.keep(name, made.str("uuid"));
        }
        // A tier that grants nothing cannot be offered.
        let features = "insert into tier_feature (tier_uuid, feature_code, value)
                        select model.tier_uuid, f.feature_code, f.value from tier as model, tier as free
                          join tier_feature as f on f.tier_uuid = free.tier_uuid
                         where model.code = 'MODEL' and free.code = 'FREE' on conflict do nothing";
        self.world.harness.sql(features).await;
        self.keep("collection_slug", "first-week");
        self.keep("category_slug", "loyalty");
        self.released(&chief).await;
        let tool = roster.iter().position(|profile| profile.name == "release tool").unwrap();
        let tool = self.world.principals[tool].token.clone().unwrap();
        let entry =
            json!({ "version": "1.4.0", "change": "CHANGED", "title": "The search forgives", "body": "It does." });
        let entry = self.made(Company::Growth, &tool, "publication_changelog_entries_create", entry).await;
        self.keep("entry_uuid", entry.str("uuid"));
        self.rows().await;
    }

    /// Releases an item of each kind under the same slug.
    async fn released(&self, chief: &str) {
        for kind in ["CHANGELOG_ENTRY", "DEVELOPER_RESOURCE", "BLOG_POST"] {
            let mut body = json!({ "kind": kind, "title": "First steps", "slug": "first-steps", "body": "Read it." });
            if kind == "CHANGELOG_ENTRY" {
                body["version"] = json!("1.3.0");
                body["change"] = json!("ADDED");
            }
            let item = self.made(Company::Growth, chief, "publication_items_create", body).await;
            let item = item.str("uuid");
            let on_item = |operation: &str| self.world.harness.call(operation).token(chief).path("item_uuid", item);
            if kind == "DEVELOPER_RESOURCE" {
                let file = on_item("publication_items_put_artefact").query("file_name", "a.txt");
                file.raw("application/octet-stream", "Something to keep.").expect(200).await;
            }
            on_item("publication_items_release").expect(200).await;
        }
    }

    /// Rows that no operation of the contract writes, and ids that only the database names.
    async fn rows(&mut self) {
        for (name, query) in [
            ("record_uuid", "select record_uuid::text from audit_log limit 1"),
            (
                "block_uuid",
                "insert into sign_in_failure (subject, failures, last_failed_at, held_until)
                 values ('account:somebody@held.example', 9, labs_now(), labs_now() + interval '10 days')
                 returning block_uuid::text",
            ),
            (
                "message_uuid",
                "insert into mail_message (message_uuid, kind, recipient, subject, state, content_sealed)
                 values (labs_uuid(), 'NOTICE', 'nobody@held.example', 'A notice', 'FAILED', '\\x00')
                 returning message_uuid::text",
            ),
            (
                "import_uuid",
                "insert into statistic_import (import_uuid, trigger, state, days, ended_at)
                 values (labs_uuid(), 'SCHEDULE', 'SUCCEEDED', array[date '2025-01-01'], labs_now())
                 returning import_uuid::text",
            ),
        ] {
            let value = self.world.text(query).await;
            self.keep(name, &value);
        }
    }

    /// Two feature requests and a comment of one partner, which another one reports.
    async fn board(&mut self, administrators: &BTreeMap<Company, Person>) {
        let author = &administrators[&Company::Growth].token;
        for (name, title) in [("other_request", "Bills in parts"), ("board_request", "Split the bill")] {
            let body = json!({ "title": title, "body": "A bill for each guest." });
            let made = self.made(Company::Growth, author, "engagement_feature_requests_propose", body).await;
            self.keep(name, made.str("uuid"));
        }
        let request = self.world.shared("board_request");
        let comment = self.world.harness.call("engagement_comments_add").path("request_uuid", &request).token(author);
        let comment = comment.json(&json!({ "body": "By course." })).expect(201).await;
        self.keep("comment_uuid", comment.str("uuid"));
        let report = self.world.harness.call("engagement_reports_report_comment");
        let report = report.token(&administrators[&Company::Target].token).path("comment_uuid", comment.str("uuid"));
        let report = report.json(&json!({ "reason": "OFF_TOPIC" })).expect(200).await;
        self.keep("report_uuid", report.str("uuid"));
    }
}
