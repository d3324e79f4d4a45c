//! Tests of the messages about unusable settings.

use std::process::Command;
use std::sync::Arc;

use super::{LABS, Service, said, serve};

/// Returns the output of `labs serve` with these variables and flags, up to its exit.
pub(crate) fn refusal(variables: &[(&str, &str)], flags: &[&str]) -> String {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve(&Command::new(LABS), "127.0.0.1:0", place.path());
    let output = command.envs(variables.iter().copied()).args(flags).output().unwrap();
    assert!(!output.status.success(), "{variables:?} {flags:?}");
    assert!(!place.path().join("postgres").exists(), "nothing was started");
    said(&output)
}

/// Unusable settings: variable, value, and part of the message.
const UNUSABLE: &[(&str, &str, &str)] = &[
    ("LABS_BREACHED_PASSWORDS_FILE", "/no/such/list", "LABS_BREACHED_PASSWORDS_FILE names /no/such/list"),
    ("DATABASE_URL", "postgres://ada:hush@labs.invalid/shop", "The database shop at labs.invalid:5432 cannot"),
    ("DATABASE_URL", "mysql://ada:hush@db/shop", "the database shop at db by mysql://, but Labs supports only"),
    ("DATABASE_URL", "postgres://ada:1/hush@db/shop", "DATABASE_URL cannot be parsed"),
    ("LABS_EMPTY", "maybe", "LABS_EMPTY=maybe: write true or false."),
    ("LABS_MCP", "maybe", "LABS_MCP=maybe: write true or false."),
    ("LABS_LOG_REQUESTS", "perhaps", "LABS_LOG_REQUESTS=perhaps: write true or false."),
    ("LABS_METRICS_LISTEN", "9100", "LABS_METRICS_LISTEN=9100: this is not an address with a port"),
    ("LABS_CORS_ORIGINS", "example.com", "for example https://example.com."),
    ("LABS_SECURITY_CONTACT", "security@example.com", "for example mailto:security@example.com, or an https address."),
    ("LABS_LOG", "x=y=z", "LABS_LOG=x=y=z: \"y=z\" is not a level: write off, error, warn, info, debug or trace"),
    ("LABS_LOG", "warning", "LABS_LOG=warning: \"warning\" is neither a level nor a module that logs: write off,"),
    ("LABS_LOG", "infoo", "Did you mean info?"),
    ("LABS_LOG", "info,html5ever=trace", "html5ever is logged at off at most, because its lines quote users' texts."),
    ("LABS_LOG_FORMAT", "xml", "LABS_LOG_FORMAT=xml: write text or json."),
    ("LABS_BASE_URL", "labs.example", "LABS_BASE_URL=labs.example: write http:// or https:// and a host"),
    ("LABS_BASE_URL", "https://labs.example/v1", "no path, for example https://labs.example.com."),
    ("LABS_MAIL_FROM", "labs", "LABS_MAIL_FROM=labs: write a name and an address, for example Labs <no-reply@"),
    ("LABS_DATABASE_CONNECTIONS", "200", "LABS_DATABASE_CONNECTIONS=200: write a whole number from 4 to 80."),
    ("LABS_ANONYMOUS_PER_SECOND", "0", "LABS_ANONYMOUS_PER_SECOND=0: write a whole number from 1 to"),
    ("LABS_ANONYMOUS_PER_DAY", "0", "LABS_ANONYMOUS_PER_DAY=0: write a whole number from 1 to"),
    ("LABS_PICTURES_PER_SECOND", "0", "LABS_PICTURES_PER_SECOND=0: write a whole number from 1 to"),
    ("LABS_OWN_PER_SECOND", "0", "LABS_OWN_PER_SECOND=0: write a whole number from 1 to"),
    ("LABS_ATTEMPTS_PER_MINUTE", "0", "LABS_ATTEMPTS_PER_MINUTE=0: write a whole number from 1 to"),
    ("LABS_STOP_GRACE_SECONDS", "5s", "LABS_STOP_GRACE_SECONDS=5s: write a whole number from 0 to 300."),
    ("LABS_CORS_ORIGINS", "*", "LABS_CORS_ORIGINS=*: an origin must not contain *: write http:// or https://"),
    ("LABS_CORS_ORIGINS", "https://*.example.com", "for example https://shop.example.com,https://admin.example.com."),
    (
        "DATABASE_URL",
        "postgres://ada:hush@db/shop?sslmod=require",
        "DATABASE_URL contains the parameter sslmod, which is unknown. Did you mean sslmode?",
    ),
    (
        "DATABASE_URL",
        "postgres://ada:hush@db/shop?sslmode=full",
        "DATABASE_URL has an unknown value of sslmode. Write one of disable, allow, prefer, require, verify-ca,",
    ),
    ("LABS_SMTP_URL", "ada:hush@mail", "LABS_SMTP_URL is not the address of a mail server"),
    ("LABS_MEDIA_URL", "s3://ada:hush@shop/media", "LABS_MEDIA_URL must not contain a user, password or port"),
    ("LABS_MEDIA_URL", "https://s3.example/shop", "set AWS_ENDPOINT_URL to its address"),
    ("LABS_MEDIA_PUBLIC_URL", "http://cdn.example", "LABS_MEDIA_PUBLIC_URL is http://"),
    ("LABS_DATABASE_PASSWORD_FILE", "/nowhere", "LABS_DATABASE_PASSWORD_FILE requires DATABASE_URL"),
];

#[test]
fn unusable_setting_is_rejected_with_its_name_and_fix() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let unreachable = format!("postgres://ada:hush@{closed}/shop");
    let said = format!("The database shop at {closed} cannot be reached");
    let cases = UNUSABLE.iter().copied().chain([("DATABASE_URL", unreachable.as_str(), said.as_str())]);
    for (variable, value, said) in cases {
        let told = refusal(&[(variable, value)], &[]);
        assert!(told.starts_with("labs: ") && told.contains(said) && !told.contains("hush"), "{variable}: {told}");
    }
}

#[test]
fn misspelt_database_url_parameter_stops_start() {
    let good = "postgres://ada:hush@127.0.0.1:1/shop";
    let misspelt = format!("{good}?sslrootcrt=/etc/ca.pem");
    for setting in ["LABS_MIGRATE_URL", "LABS_LISTEN_DATABASE_URL", "LABS_READ_DATABASE_URLS"] {
        let told = refusal(&[("DATABASE_URL", good), (setting, &misspelt)], &[]);
        let said = format!("{setting} contains the parameter sslrootcrt, which is unknown. Did you mean sslrootcert?");
        assert!(told.contains(&said) && !told.contains("hush"), "{told}");
    }
}

#[test]
fn unusable_bucket_stops_start_with_advice() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{closed}");
    let bucket = [("LABS_MEDIA_URL", "s3://shop/labs"), ("AWS_ENDPOINT_URL", &endpoint), ("AWS_ACCESS_KEY_ID", "ada")];
    let (secret, plainly) = (("AWS_SECRET_ACCESS_KEY", "hush"), ("AWS_ALLOW_HTTP", "true"));
    for (variables, flags, said) in [
        (&[secret][..], &[][..], "write https://, or set AWS_ALLOW_HTTP=true if the connection is secure without TLS"),
        (
            &[plainly],
            &[],
            "The media in s3://shop/labs cannot be accessed: the object storage failed: Generic S3 error: Missing",
        ),
        (&[secret, plainly], &[], "Check AWS_ENDPOINT_URL and AWS_REGION"),
        (&[secret, plainly], &["--media-folder", "media"], "LABS_MEDIA_URL and LABS_MEDIA_FOLDER both name the place"),
    ] {
        let told = refusal(&[&bucket, variables].concat(), flags);
        assert!(told.starts_with("labs: ") && told.contains(said) && !told.contains("hush"), "{told}");
    }
}

#[test]
fn host_name_listens_and_unknown_variable_is_reported_without_value() {
    let place = tempfile::tempdir().unwrap();
    let mut command = serve(&Command::new(LABS), "localhost:0", place.path());
    command.env("LABS_EMPTI", "hush").env("LABS_TEST_SOMETHING", "7").env("LABS_PORT", "tcp://10.0.0.7:80");
    let service = Service::run(command.arg("--empty"));
    let log = Arc::clone(&service.log);
    assert!(service.answers());
    service.stop();
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert!(log.contains("LABS_EMPTI is not a setting and has no effect. Did you mean LABS_EMPTY?"), "{log}");
    assert!(!log.contains("hush") && !log.contains("LABS_TEST_SOMETHING") && !log.contains("LABS_PORT"), "{log}");
}
