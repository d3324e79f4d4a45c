//! Tests of file storage in a bucket that is slow, rejects requests, breaks connections or is missing: the service
//! reports the fault, leaves nothing half done, and recovers as soon as the bucket does. `./test objects` starts the S3
//! server for them, and also runs the other tests of media, data exports and files on it.

mod start;

use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use labs_schema::media::store::archive::ArchiveName;
use reqwest::Response;
use serde_json::{Value, json};

use crate::harness::people::Person;
use crate::harness::{Answer, Call, FaultyBucket, Harness, StoreFault};

/// A service that stores files in a faulty bucket, and a user who uploads files.
struct BucketService {
    bucket: FaultyBucket,
    harness: Harness,
    editor: Person,
    item: String,
}

impl BucketService {
    async fn new() -> Self {
        let bucket = FaultyBucket::start(StoreFault::Nothing).await;
        let harness = Harness::with_media(bucket.place()).await;
        let editor = harness.staff("Edda Editor", &["labs.admin.publication:write"]).await;
        let kit = json!({ "kind": "DEVELOPER_RESOURCE", "title": "Kit", "body": "Something to read." });
        let made = harness.call("publication_items_create").token(&editor.token).json(&kit).expect(201).await;
        let item = made.str("uuid").to_owned();
        Self { bucket, harness, editor, item }
    }

    fn about(&self, operation: &str) -> Call<'_> {
        self.harness.call(operation).path("item_uuid", &self.item).token(&self.editor.token)
    }

    async fn put(&self, content: &str) -> Answer {
        let call = self.about("publication_items_put_artefact").query("file_name", "kit.txt");
        call.query("reason", "Newer.").raw("application/octet-stream", content).send().await
    }

    /// Returns the metadata of the file.
    async fn artefact(&self) -> Value {
        self.about("publication_items_get").expect(200).await.json["artefact"].clone()
    }

    /// Uploads a file and releases it.
    async fn release(&self, content: &str) {
        assert_eq!(self.put(content).await.status, 200);
        self.about("publication_items_release").expect(200).await;
    }

    /// Starts to download the released file.
    async fn download(&self) -> Response {
        let url = format!("{}/v1/publication/public/developer-resources/kit/artefact", self.harness.base_url);
        self.harness.http().get(url).send().await.unwrap()
    }
}

fn text(length: usize) -> String {
    (0..length / 8).map(|number| format!("{number:07}\n")).collect()
}

fn refusal(status: u16, code: &str) -> StoreFault {
    StoreFault::Refusal(status, format!("<Error><Code>{code}</Code><Message>Told to operators.</Message></Error>"))
}

fn ensure_away(answer: &Answer) {
    assert_eq!((answer.status, answer.code()), (503, "UNAVAILABLE"), "{}", answer.text());
    assert!(!answer.header("retry-after").is_empty());
    let said = answer.json["detail"].as_str().unwrap();
    assert!(!said.contains("operators") && !said.contains("127.0.0.1"), "{said}");
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn failing_bucket_stores_no_partial_file_and_recovers() {
    let house = BucketService::new().await;
    let content = text(12_000_000);
    for fault in [
        refusal(503, "SlowDown"),
        refusal(403, "AccessDenied"),
        refusal(404, "NoSuchBucket"),
        StoreFault::RequestsCutAfter(3_000_000),
        StoreFault::AnswersCutAfter(20),
    ] {
        house.bucket.breaks(fault.clone());
        ensure_away(&house.put(&content).await);
        assert_eq!(house.artefact().await, Value::Null, "{fault:?}");
    }
    house.bucket.breaks(StoreFault::Nothing);
    assert!(house.harness.objects().await.is_empty(), "no object was finished");
    house.release(&content).await;
    assert_eq!(house.download().await.text().await.unwrap(), content);
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn download_aborted_by_bucket_never_looks_complete() {
    let house = BucketService::new().await;
    let content = text(12_000_000);
    house.release(&content).await;
    // The service requests the rest a few times.
    house.bucket.breaks(StoreFault::AnswersCutAfter(4_000_000));
    assert_eq!(house.download().await.text().await.unwrap(), content);
    house.bucket.breaks(StoreFault::AnswersCutAfter(400_000));
    let answer = house.download().await;
    assert_eq!((answer.status().as_u16(), answer.content_length()), (200, Some(12_000_000)));
    assert!(answer.bytes().await.is_err(), "the connection is cut");
    house.bucket.breaks(refusal(503, "SlowDown"));
    let call = house.harness.call("publication_public_developer_resources_download");
    ensure_away(&call.path("slug", "kit").send().await);
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn silent_bucket_blocks_no_request_and_fails_readiness() {
    let house = BucketService::new().await;
    house.release("To be read.\n").await;
    house.bucket.breaks(StoreFault::Silence);
    let began = Instant::now();
    let call = house.harness.call("publication_public_developer_resources_download").path("slug", "kit");
    let (read, written, ready) = tokio::join!(call.send(), house.put("Newer.\n"), readiness(&house.harness));
    ensure_away(&read);
    ensure_away(&written);
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
    assert_eq!(ready, json!("FAILING"));
    house.bucket.breaks(StoreFault::Nothing);
    house.harness.soon("readiness is green again", || async { readiness(&house.harness).await == "OK" }).await;
    assert_eq!(house.put("Newer.\n").await.status, 200);
}

/// Returns the readiness result of the file storage.
async fn readiness(harness: &Harness) -> Value {
    let answer = harness.http().get(format!("{}/v1/system/readiness", harness.base_url)).send().await.unwrap();
    let told: Value = answer.json().await.unwrap();
    let mut checks = told["checks"].as_array().unwrap().iter();
    checks.find(|check| check["name"] == "MEDIA_STORE").unwrap()["state"].clone()
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn data_export_is_created_once_bucket_recovers() {
    let house = BucketService::new().await;
    let person = house.harness.partner("Nordsee Kassen").await;
    let own = |operation| {
        let call = house.harness.call(operation).path("partner_uuid", person.partner_uuid.unwrap());
        call.token(&person.token)
    };
    house.bucket.breaks(refusal(503, "SlowDown"));
    let export = own("partner_data_exports_create").expect(202).await.str("uuid").to_owned();
    house.harness.until("select count(*) from data_export where attempts > 0 and error = 'UNAVAILABLE'", 1).await;
    house.bucket.breaks(StoreFault::Nothing);
    // A retry would happen only after ten seconds.
    house.harness.sql("update data_export set claimed_until = labs_now()").await;
    house.harness.until("select count(*) from data_export where state = 'SUCCEEDED'", 1).await;
    let download = || own("partner_data_exports_download").path("export_uuid", &export);
    assert!(download().expect(200).await.bytes.starts_with(b"PK"));
    house.bucket.breaks(refusal(503, "SlowDown"));
    ensure_away(&download().send().await);
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn aborted_upload_leaves_no_billed_parts() {
    let house = BucketService::new().await;
    let media = &house.harness.engine.services().media;
    let mut writer = media.begin_archive(ArchiveName::new([7; 32])).await.unwrap();
    writer.write(text(12_000_000).into()).await.unwrap();
    assert_eq!(house.harness.unfinished().await, 1);
    drop(writer);
    house.harness.soon("its parts are gone", || async { house.harness.unfinished().await == 0 }).await;
}

#[tokio::test]
#[ignore = "needs an S3 server: ./test objects"]
async fn cleanup_reads_every_page_of_object_list() {
    let house = BucketService::new().await;
    let (harness, media) = (&house.harness, &house.harness.engine.services().media);
    house.release("Named by a row.\n").await;
    let named = harness.objects().await;
    // A page of an S3 listing contains a thousand objects.
    let put = |number: u32| async move { media.put(number.to_string().into()).await.unwrap() };
    stream::iter(0..1_100).map(put).buffer_unordered(8).for_each(|_| async {}).await;
    harness.make_older("f", 31).await;
    harness.make_older(&named[0][..4], 31).await;
    let all = harness.objects().await;
    harness.run_job("OBJECTS_SWEEP").await;
    let is_left = |name: &&String| !name.starts_with('f') || named.contains(name);
    let left: Vec<&String> = all.iter().filter(is_left).collect();
    assert!(left.len() < all.len() - 20, "about 70 begin so");
    assert_eq!(harness.objects().await.iter().collect::<Vec<_>>(), left);
}
