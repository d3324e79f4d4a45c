//! Tests of delivery to a mail server: a small server on the loopback interface with scripted behaviour.
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

/// Behaviour of the server.
#[derive(Clone, Copy)]
enum Mood {
    Accepts,
    RefusesRecipientWith(&'static str),
    HangsAfterData,
    SaysNothing,
}

/// Starts a server for one connection. The handle returns everything that it received.
async fn server(mood: Mood) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    let told = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let (read, mut write) = socket.into_split();
        let mut lines = BufReader::new(read).lines();
        let mut told = String::new();
        if matches!(mood, Mood::SaysNothing) {
            while lines.next_line().await.is_ok_and(|line| line.is_some()) {}
            return told;
        }
        write.write_all(b"220 ready\r\n").await.unwrap();
        let mut is_data = false;
        while let Ok(Some(line)) = lines.next_line().await {
            told.push_str(&line);
            told.push('\n');
            let answer = match (is_data, line.get(..4).unwrap_or(&line)) {
                (true, ".") if matches!(mood, Mood::HangsAfterData) => continue,
                (true, ".") => {
                    is_data = false;
                    "250 taken"
                }
                (true, _) => continue,
                (false, "DATA") => {
                    is_data = true;
                    "354 go on"
                }
                (false, "RCPT") => match mood {
                    Mood::RefusesRecipientWith(answer) => answer,
                    _ => "250 ok",
                },
                (false, "QUIT") => "221 bye",
                (false, _) => "250 ok",
            };
            let _ = write.write_all(format!("{answer}\r\n").as_bytes()).await;
        }
        told
    });
    (url, told)
}

fn mailer(url: &str) -> Mailer {
    let mut mailer = Mailer::smtp(url, letterhead()).unwrap();
    mailer.patience = Duration::from_millis(400);
    mailer
}

#[tokio::test]
async fn mail_reaches_server_with_its_envelope() {
    let (url, told) = server(Mood::Accepts).await;
    let message = message(first_letter("Marta"));
    mailer(&url).send(&message).await.unwrap();
    let told = told.await.unwrap();
    assert!(told.contains("MAIL FROM:<no-reply@labs.example>"), "{told}");
    assert!(told.contains("RCPT TO:<marta@tischwerk.example>"), "{told}");
    assert!(told.contains("Message-ID: <01934f3a-7b1c-7def-8000-1234567890ab@labs.example>"), "{told}");
    assert!(told.contains("\n    https://labs.example/account/verify-email#labs_ot_"), "{told}");
}

#[tokio::test]
async fn permanent_and_temporary_rejections_differ_and_hide_addresses() {
    let moods = [("550 no such user marta@tischwerk.example", true), ("451 later, marta@tischwerk.example", false)];
    for (answer, is_permanent) in moods {
        let (url, _told) = server(Mood::RefusesRecipientWith(answer)).await;
        let error = mailer(&url).send(&message(first_letter("Marta"))).await.unwrap_err();
        let status = answer.split(' ').next().unwrap();
        let detail = format!("the mail server answered {status}");
        assert_eq!(error, DeliveryError { is_permanent, detail });
    }
}

#[tokio::test]
async fn hanging_mail_server_times_out() {
    for mood in [Mood::SaysNothing, Mood::HangsAfterData] {
        let (url, _told) = server(mood).await;
        let error = mailer(&url).send(&message(first_letter("Marta"))).await.unwrap_err();
        assert_eq!(error, temporary_error("the mail server did not answer in time"));
    }
}

#[tokio::test]
async fn mail_readiness_connects_to_server() {
    let (url, told) = server(Mood::Accepts).await;
    assert_eq!(mailer(&url).ready().await, Ok(()));
    assert!(!told.await.unwrap().contains("MAIL FROM"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(mailer(&url).ready().await, Err(temporary_error("no connection to the mail server")));
    let error = mailer(&url).send(&message(first_letter("Marta"))).await.unwrap_err();
    assert_eq!(error, temporary_error("no connection to the mail server"));
}
