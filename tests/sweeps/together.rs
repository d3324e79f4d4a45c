//! Tests of audited reads that share a transaction: each is answered and recorded as if it ran alone.

use futures_util::future::join_all;
use uuid::Uuid;

use crate::harness::people::Person;
use crate::harness::{Answer, Harness};

struct Office {
    harness: Harness,
    operator: Person,
    clients: Vec<Uuid>,
}

impl Office {
    async fn new() -> Self {
        let harness = Harness::new().await;
        harness.sql("update tier set burst_per_second = 100000").await;
        let operator = harness.staff("Olga Operator", &["labs.admin.clients"]).await;
        for name in ["storefront", "release tool", "ledger"] {
            harness.program(name, &["storefront"], None).await;
        }
        let mut owner = harness.owner().await;
        let clients = sqlx::query_scalar("select client_uuid from machine_client").fetch_all(&mut owner).await.unwrap();
        Self { harness, operator, clients }
    }

    /// Reads each of these machine clients, all at once.
    async fn read(&self, clients: &[Uuid]) -> Vec<Answer> {
        join_all(clients.iter().map(|client| {
            let call = self.harness.call("admin_machine_clients_get").path("client_uuid", client);
            call.token(&self.operator.token).send()
        }))
        .await
    }

    /// Returns the number of audit records of this request with this outcome.
    async fn records(&self, answer: &Answer, outcome: &str) -> i64 {
        let request = answer.header("x-request-id");
        self.harness
            .number(&format!("select count(*) from audit_log where request_id = '{request}' and outcome = '{outcome}'"))
            .await
    }
}

#[tokio::test]
async fn concurrent_reads_get_their_response_and_audit_record() {
    let office = Office::new().await;
    let nobody = Uuid::from_u128(0x0198_0000_0000_7000_8000_0000_0000_0001);
    let asked: Vec<Uuid> = office.clients.iter().chain([&nobody]).cycle().take(40).copied().collect();
    let answers = office.read(&asked).await;
    for (client, answer) in asked.iter().zip(&answers) {
        if *client == nobody {
            assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND"));
            assert_eq!(office.records(answer, "REFUSED").await, 1);
        } else {
            assert_eq!((answer.status, answer.str("uuid")), (200, client.to_string().as_str()));
            assert_eq!(office.records(answer, "SUCCEEDED").await, 1);
        }
    }
    assert_eq!(
        office.harness.number("select count(*) from audit_log where operation = 'admin_machine_clients_get'").await,
        40
    );
    let transactions = "select count(distinct xmin::text) from audit_log where operation = 'admin_machine_clients_get'";
    let transactions = office.harness.number(transactions).await;
    assert!(transactions < 40, "nobody shared a transaction");
}

#[tokio::test]
async fn read_that_cannot_be_audited_does_not_affect_others() {
    let office = Office::new().await;
    let unlucky = office.clients[0];
    office
        .harness
        .sql(&format!(
            "create function broken() returns trigger language plpgsql as
                 'begin if new.target_uuid = ''{unlucky}'' then raise exception ''no''; end if; return new; end';
             create trigger broken before insert on audit_log for each row execute function broken()"
        ))
        .await;
    let asked: Vec<Uuid> = office.clients.iter().cycle().take(30).copied().collect();
    for (client, answer) in asked.iter().zip(&office.read(&asked).await) {
        if *client == unlucky {
            assert_eq!((answer.status, answer.code()), (503, "AUDIT_UNAVAILABLE"));
        } else {
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(office.records(answer, "SUCCEEDED").await, 1);
        }
    }
}
