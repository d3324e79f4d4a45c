//! What is said at the start of a bucket that cannot be used.

use crate::front::settings::refusal;
use crate::harness::{FaultyBucket, StoreFault};

/// What `labs serve` says of a bucket behind this fault, before it gives up.
async fn told(url: &'static str, fault: StoreFault) -> String {
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
async fn a_bucket_that_is_not_there_lets_nobody_in_or_says_nothing_ends_the_start() {
    let missing = told("s3://nowhere/labs", StoreFault::Nothing);
    // As S3 answers a wrong key, repeating what was signed.
    let body = "<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>PUT\nx-amz-security-token:hush\n</CanonicalRequest>\
                </Error>";
    let denied = told("s3://labs-test/labs", StoreFault::Refusal(403, body.to_owned()));
    let silent = told("s3://labs-test/labs", StoreFault::Silence);
    let cut = told("s3://labs-test/labs", StoreFault::AnswersCutAfter(10));
    let (missing, denied, silent, cut) = tokio::join!(missing, denied, silent, cut);
    assert!(missing.contains("NoSuchBucket. Create the bucket nowhere, or name another one"), "{missing}");
    assert!(denied.contains("SignatureDoesNotMatch. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), "{denied}");
    for told in [silent, cut] {
        assert!(told.contains("Check AWS_ENDPOINT_URL and AWS_REGION"), "{told}");
    }
}
