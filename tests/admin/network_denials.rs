//! Tests of network denials: the service rejects every request from the network, on every path and replica, until the
//! denial ends.

use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, Harness, behind_a_proxy};

struct Gate {
    harness: Harness,
    guard: Person,
}

impl Gate {
    async fn new(flags: &[&str]) -> Self {
        let harness = Harness::with(flags).await;
        harness.sql("update tier set burst_per_second = 100000").await;
        let guard = harness.staff("Greta Guard", &["labs.admin.security:write", "labs.admin.audit"]).await;
        Self { harness, guard }
    }

    fn call(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).token(&self.guard.token)
    }

    async fn deny(&self, network: &str) -> Answer {
        let body = json!({ "network": network, "reason": "Tries stolen passwords." });
        self.call("admin_network_denials_create").json(&body).send().await
    }

    async fn lift(&self, denial: &str) -> Answer {
        self.call("admin_network_denials_delete").path("denial_uuid", denial).send().await
    }
}

/// An anonymous request to a replica through the proxy.
async fn stranger(at: &Harness, from: &str) -> Answer {
    at.call("subscription_public_tiers_list").header("x-forwarded-for", from).send().await
}

fn error(answer: &Answer) -> (u16, &str, &str) {
    let error = &answer.json["errors"][0];
    (answer.status, error["pointer"].as_str().unwrap_or_default(), error["code"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn denied_network_is_rejected_on_every_replica_until_denial_ends() {
    let gate = Gate::new(&behind_a_proxy()).await;
    let partner = gate.harness.partner("Nordsee Kassen").await;
    let twin = gate.harness.twin(&behind_a_proxy()).await;
    let made = gate.deny("198.51.100.0/24").await;
    assert_eq!((made.status, &made.json["in_force"], &made.json["expires_at"]), (201, &json!(true), &Value::Null));
    assert_eq!(made.json["created_by"]["name"], "Greta Guard");
    let denial = made.str("uuid");
    assert_eq!(made.header("location"), format!("/v1/admin/network-denials/{denial}"));
    for replica in [&gate.harness, &twin] {
        replica.soon("the network is refused", async || stranger(replica, "198.51.100.7").await.status == 403).await;
        let refused = stranger(replica, "198.51.100.7").await;
        assert_eq!((refused.code(), refused.str("operation_id")), ("NETWORK_DENIED", "subscription_public_tiers_list"));
        // A valid token makes no difference, nor does an unknown path. Requests from another network are accepted.
        let me = replica.call("system_me_get").token(&partner.token);
        assert_eq!(me.header("x-forwarded-for", "198.51.100.7").send().await.code(), "NETWORK_DENIED");
        assert_eq!(stranger(replica, "198.51.101.7").await.status, 200);
        // The last hop before the proxy counts. Values that the client itself sent in the header are ignored.
        assert_eq!(stranger(replica, "203.0.113.9, 198.51.100.7").await.status, 403);
        assert_eq!(stranger(replica, "198.51.100.7, 203.0.113.9").await.status, 200);
        for path in ["/", "/reference", "/playground/graphql", "/v1/nothing"] {
            let request = replica.http().get(format!("{}{path}", replica.base_url));
            let page = request.header("x-forwarded-for", "198.51.100.7").send().await.unwrap();
            assert_eq!(page.status(), 403, "{path}");
        }
        let health = replica.call("system_health_get").header("x-forwarded-for", "198.51.100.7");
        health.expect(200).await;
        replica.call("system_readiness_get").header("x-forwarded-for", "198.51.100.7").expect(403).await;
    }
    let log =
        gate.call("admin_audit_records_list").query("operation", "admin_network_denials_create").expect(200).await;
    let record = &log.json["data"][0];
    assert_eq!(
        (&record["reason"], &record["target"]["label"]),
        (&json!("Tries stolen passwords."), &json!("198.51.100.0/24"))
    );
    assert_eq!(record["changes"][0]["thing"], "network_denial");

    assert_eq!(gate.lift(denial).await.status, 204);
    for replica in [&gate.harness, &twin] {
        replica.soon("it is answered again", async || stranger(replica, "198.51.100.7").await.status == 200).await;
    }
    assert_eq!(gate.lift(denial).await.status, 404);
}

#[tokio::test]
async fn forwarded_address_is_ignored_without_trusted_proxy() {
    // Without trusted proxies, the service ignores forwarded headers.
    let gate = Gate::new(&[]).await;
    assert_eq!(gate.deny("198.51.100.0/24").await.status, 201);
    let list = async || {
        let call = gate.call("admin_network_denials_list").header("x-forwarded-for", "198.51.100.7");
        call.send().await.status
    };
    assert_eq!(list().await, 200);
    assert_eq!(stranger(&gate.harness, "198.51.100.7").await.status, 200, "the connection comes from elsewhere");
}

#[tokio::test]
async fn too_wide_and_own_networks_cannot_be_denied() {
    let gate = Gate::new(&behind_a_proxy()).await;
    for (network, code) in [
        ("0.0.0.0/0", "TOO_WIDE"),
        ("::/0", "TOO_WIDE"),
        ("2001:db8::/31", "TOO_WIDE"),
        ("10.0.0.0/7", "TOO_WIDE"),
        ("198.51.100.7/24", "HOST_BITS"),
        ("somewhere", "FORMAT"),
        ("127.0.0.0/8", "OWN_NETWORK"),
    ] {
        assert_eq!(error(&gate.deny(network).await), (422, "/network", code), "{network}");
    }
    let body = json!({ "network": "203.0.113.0/24", "reason": "Why" });
    let own = gate.call("admin_network_denials_create").header("x-forwarded-for", "203.0.113.9").json(&body);
    assert_eq!(error(&own.send().await).2, "OWN_NETWORK", "the address behind the proxy counts");
    for server in ["127.0.0.1/32", "::1/128"] {
        let body = json!({ "network": server, "reason": "Why" });
        let remote = gate.call("admin_network_denials_create").header("x-forwarded-for", "203.0.113.9").json(&body);
        assert_eq!(error(&remote.send().await), (422, "/network", "LOOPBACK"), "{server}");
    }
    let past = json!({ "network": "203.0.113.0/24", "reason": "Why", "expires_at": "2020-01-01T00:00:00Z" });
    let past = gate.call("admin_network_denials_create").json(&past).send().await;
    assert_eq!(error(&past), (422, "/expires_at", "PAST"));
    assert_eq!(gate.harness.number("select count(*) from network_denial").await, 0);
}

#[tokio::test]
async fn denial_ends_at_its_end_date_and_can_be_recreated() {
    let gate = Gate::new(&behind_a_proxy()).await;
    let end = gate.harness.clock.now().plus_seconds(60).to_string();
    let body = json!({ "network": "2001:db8:40::/48", "reason": "Crawls.", "expires_at": end });
    let deny = async || gate.call("admin_network_denials_create").json(&body).send().await;
    assert_eq!(deny().await.status, 201);
    let inside = "2001:db8:40:1::7";
    let refused = async || stranger(&gate.harness, inside).await.status == 403;
    gate.harness.soon("the network is refused", refused).await;
    let again = deny().await;
    assert_eq!((again.status, again.code()), (409, "CONFLICT"));
    gate.harness.advance(61).await;
    assert_eq!(stranger(&gate.harness, inside).await.status, 200, "nobody had to lift it");
    let list = |query: (&'static str, &'static str)| gate.call("admin_network_denials_list").query(query.0, query.1);
    let total = async |query| list(query).query("include_total", true).expect(200).await.json["page"]["total"].clone();
    assert_eq!(total(("in_force", "true")).await, 0);
    assert_eq!(total(("in_force", "false")).await, 1);
    assert_eq!(gate.deny("2001:db8:40::/48").await.status, 201, "in place of the one that is over");
    assert_eq!(gate.deny("2001:db8::/32").await.status, 201, "a wider one beside it");
    assert_eq!(total(("address", "2001:db8:40:1::7")).await, 2);
    assert_eq!(total(("address", "2001:db8:41::7")).await, 1);
    assert_eq!(list(("address", "nowhere")).expect(422).await.json["errors"][0]["parameter"], "address");
    let first = list(("sort", "created_at")).query("limit", 1).expect(200).await;
    assert_eq!(first.json["data"][0]["network"], "2001:db8:40::/48");
    let cursor = first.json["page"]["next_cursor"].as_str().unwrap();
    let second = list(("sort", "created_at")).query("limit", 1).query("cursor", cursor).expect(200).await;
    assert_eq!(second.json["data"][0]["network"], "2001:db8::/32");
}
