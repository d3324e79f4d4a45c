//! Tests of concurrent uploads: slow bodies and expensive images of one partner do not block responses to others.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::imagery::{harness, png, put};
use crate::harness::people::Person;
use crate::harness::{Harness, WAITING};

/// The partners that keep the service busy.
const CROWD: [&str; 4] = ["Ems Kassen", "Elbe Kassen", "Eider Kassen", "Oste Kassen"];

async fn crowd(harness: &Harness) -> Vec<Person> {
    let mut crowd = Vec::new();
    for name in CROWD {
        crowd.push(harness.partner(name).await);
    }
    crowd
}

/// Sends the headers of an upload without its body.
async fn hold(harness: &Harness, person: &Person) -> TcpStream {
    let path = format!("/v1/partner/{}/imagery/LOGO", person.partner_uuid.unwrap());
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: labs\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n",
        person.token
    );
    let mut stream = TcpStream::connect(harness.base_url.trim_start_matches("http://")).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn stalled_uploads_of_four_accounts_do_not_block_fifth() {
    let (harness, fifth) = harness().await;
    let crowd = crowd(&harness).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        for person in &crowd {
            held.push(hold(&harness, person).await);
        }
    }
    assert_eq!(put(&harness, &fifth, "LOGO", png(256, 256, 1)).await.status, 200, "others have places of their own");
    // They get a response long before the one-minute limit of an upload. An upload without a free slot gets a 503 and
    // may be retried.
    let told = join_all(held.iter_mut().map(|stream| async {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }));
    let told = tokio::time::timeout(std::time::Duration::from_secs(40), told).await.expect("everybody is told");
    let slow = told.iter().filter(|answer| answer.starts_with("HTTP/1.1 400") && answer.contains("too slowly")).count();
    let turned_away = told.iter().filter(|answer| answer.starts_with("HTTP/1.1 503")).count();
    assert!(slow >= 6 && slow + turned_away == 16, "{slow} were slow and {turned_away} were turned away: {told:?}");
    assert_eq!(put(&harness, &crowd[0], "LOGO", png(256, 256, 1)).await.status, 200, "their places are free again");
}

#[tokio::test]
async fn expensive_images_of_four_accounts_barely_delay_fifth() {
    let (harness, fifth) = harness().await;
    let crowd = crowd(&harness).await;
    let photo = image::RgbImage::from_fn(2_000, 2_000, |x, y| image::Rgb([(x / 8) as u8, (y / 8) as u8, 90]));
    let mut large = std::io::Cursor::new(Vec::new());
    photo.write_to(&mut large, image::ImageFormat::Jpeg).unwrap();
    let large = large.into_inner();
    let (done, all, is_over) = ([0; 4].map(AtomicUsize::new), AtomicUsize::new(0), AtomicBool::new(false));
    let flood = crowd.iter().zip(&done).flat_map(|(person, done)| (0..3).map(move |_| (person, done)));
    let flood = join_all(flood.map(|(person, done)| async {
        while !is_over.load(Ordering::Relaxed) {
            if put(&harness, person, "LOGO", large.clone()).await.status == 200 {
                done.fetch_add(1, Ordering::Relaxed);
                all.fetch_add(1, Ordering::Relaxed);
            }
        }
    }));
    let other = async {
        while done.iter().any(|done| done.load(Ordering::Relaxed) == 0) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let before = all.load(Ordering::Relaxed);
        let small = put(&harness, &fifth, "LOGO", png(256, 256, 1)).await;
        let meanwhile = all.load(Ordering::Relaxed) - before;
        is_over.store(true, Ordering::Relaxed);
        (small.status, meanwhile)
    };
    let (_, (status, meanwhile)) = tokio::join!(flood, other);
    assert_eq!(status, 200);
    assert!(meanwhile <= 3, "{meanwhile} expensive pictures came before a small one");
}

#[tokio::test]
async fn daily_upload_quota_counts_replaced_images() {
    let (harness, owner) = harness().await;
    // The limit is three megabytes a day. Each logo with its renditions takes a little more than half a megabyte.
    harness.sql("update tier_feature set value = '1' where feature_code = 'media_megabytes'").await;
    let mut brought = 0;
    let mut refused = None;
    for shade in 0..9 {
        let answer = put(&harness, &owner, "LOGO", noise(shade)).await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
        brought += 1;
    }
    let refused = refused.expect("no nine of them fit into a day");
    assert!(brought >= 2, "some did: {brought}");
    assert_eq!((refused.status, refused.code(), &refused.json["budget"]), (429, "RATE_LIMITED", &"daily".into()));
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    let used = "select used from partner_daily_use where what = 'UPLOADS'";
    let day = harness.number(used).await;
    assert!(day <= 3 * 1024 * 1024, "{day}");
    let kept = harness.objects().await;
    let answers = join_all((0..4).map(|shade| put(&harness, &owner, "BANNER", noise(100 + shade)))).await;
    assert!(answers.iter().all(|answer| answer.status == 422 || answer.status == 429), "{answers:?}");
    assert_eq!(harness.objects().await, kept, "what is refused lies nowhere");
    let other = harness.partner("Weser Software").await;
    assert_eq!(put(&harness, &other, "LOGO", noise(200)).await.status, 200, "others have days of their own");
    harness.advance(wait).await;
    let owner = harness.sign_in(&owner.email).await;
    assert_eq!(put(&harness, &owner, "LOGO", noise(201)).await.status, 200, "the next day is another");
}

#[tokio::test]
async fn concurrent_uploads_respect_daily_quota() {
    let (harness, owner) = harness().await;
    harness.sql("update tier_feature set value = '1' where feature_code = 'media_megabytes'").await;
    assert_eq!(put(&harness, &owner, "LOGO", noise(1)).await.status, 200);
    let one = harness.number("select used from partner_daily_use").await;
    // Only one more fits. All uploads find enough space before any of them uses it.
    harness.sql(&format!("update partner_daily_use set used = 3 * 1024 * 1024 - {}", one + one / 2)).await;
    let held = harness.hold("select from subscription for update").await;
    let uploads = join_all((2..5).map(|shade| put(&harness, &owner, "LOGO", noise(shade))));
    let others = async {
        harness.until(WAITING, 3).await;
        held.roll_back().await;
    };
    let (answers, ()) = tokio::join!(uploads, others);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.status == 200 || answer.code() == "RATE_LIMITED"), "{answers:?}");
    assert!(harness.number("select used from partner_daily_use").await <= 3 * 1024 * 1024);
}

/// Returns an image that no encoder can compress well, different for each seed.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D ^ (seed + 1);
    let picture = image::RgbImage::from_fn(400, 400, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        image::Rgb([state as u8, (state >> 8) as u8, (state >> 16) as u8])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}
