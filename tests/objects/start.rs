//! Tests of the startup messages about an unusable bucket.

use crate::front::settings::refusal;
use crate::harness::{FaultyBucket, StoreFault};

/// Returns the output of `labs serve` with a bucket behind this fault, up to its exit.
async fn startup_error(url: &'static str, fault: StoreFault) -> String {
    let bucket = FaultyBucket::start(fault).await;
    let endpoint = bucket.endpoint().to_owned();
    let said = tokio::task::spawn_blocking(move || {
        let variables = [
            ("LABS_MEDIA_URL", url),
            ("AWS_ENDPOINT_URL", &endpoint),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "ada"),
            ("AWS_SECRET_ACCESS_KEY", "hush"),
            ("AWS_SESSION_TOKEN", "hush"),
        ];
        refusal(&variables, &[])
    });
    let said = said.await.unwrap();
    assert!(said.starts_with("labs: The media in s3://") && !said.contains("hush"), "{said}");
    said
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn missing_forbidden_or_silent_bucket_stops_start() {
    let missing = startup_error("s3://nowhere/labs", StoreFault::Nothing);
    // The S3 response to a wrong key, which repeats the signed request.
    let body = "<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>PUT\nx-amz-security-token:hush\n</CanonicalRequest>\
                </Error>";
    let denied = startup_error("s3://labs-test/labs", StoreFault::Refusal(403, body.to_owned()));
    let silent = startup_error("s3://labs-test/labs", StoreFault::Silence);
    let cut = startup_error("s3://labs-test/labs", StoreFault::AnswersCutAfter(10));
    let (missing, denied, silent, cut) = tokio::join!(missing, denied, silent, cut);
    assert!(missing.contains("NoSuchBucket. Create the bucket nowhere, or name another one"), "{missing}");
    assert!(denied.contains("SignatureDoesNotMatch. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), "{denied}");
    for told in [silent, cut] {
        assert!(told.contains("Check AWS_ENDPOINT_URL and AWS_REGION"), "{told}");
    }
}
