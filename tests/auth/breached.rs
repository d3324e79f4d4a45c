//! Tests of the list of breached passwords: no operation that sets a password accepts one of them.

use std::io::Write as _;

use serde_json::json;

use super::faults;
use crate::harness::Harness;
use crate::harness::people::PASSWORD;

/// A password that the estimator accepts, and its line in a list.
const BREACHED: &str = "seventeen umbrellas under a viaduct";
const DIGEST: &str = "1937C0A979EC6A8E5EB428C55837E20E42624030";

#[tokio::test]
async fn password_of_a_data_breach_cannot_be_chosen() {
    let mut list = tempfile::NamedTempFile::new().unwrap();
    list.write_all(format!("{DIGEST}:3\n").as_bytes()).unwrap();
    let harness = Harness::with(&["--breached-passwords-file", list.path().to_str().unwrap()]).await;
    let person = harness.partner("Nordsee Kassen").await;

    let administrator = json!({ "name": "Bo Brand", "email": "bo@alpenglut.example", "password": BREACHED });
    let body = json!({ "company_name": "Alpenglut", "country": "DE", "administrator": administrator,
                       "accept_terms": true });
    let refused = harness.call("auth_registrations_create").json(&body).expect(422).await;
    assert_eq!(faults(&refused), [("/administrator/password", "TOO_COMMON")]);

    let body = json!({ "current_password": PASSWORD, "new_password": BREACHED });
    let change = harness.call("auth_passwords_change").token(&person.token).json(&body);
    assert_eq!(faults(&change.expect(422).await), [("/new_password", "TOO_COMMON")]);
    harness.sign_in(&person.email).await;
}
