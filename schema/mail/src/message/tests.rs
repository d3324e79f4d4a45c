use super::*;

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_795_267_500 + second).unwrap()
}

/// Returns one content of every kind; `text` replaces every text that users write.
pub(crate) fn one_of_each(text: &str) -> Vec<MailContent> {
    let text = || text.to_owned();
    let asking = [
        Asking::VerifyEmail { name: text(), company: text(), registered_at: None },
        Asking::ResetPassword { name: text() },
        Asking::ConfirmNewEmail { name: text() },
        Asking::CancelEmailChange { name: text() },
        Asking::Invitation { company: text(), inviter: Some(text()), role: "EDITOR".to_owned() },
        Asking::FirstAdministrator { company: text() },
        Asking::StaffInvitation { name: text(), inviter: text() },
    ];
    let mut telling = vec![
        Notice::AlreadyRegistered { name: text() },
        Notice::EmailTaken { name: text() },
        Notice::PartnerSuspended { name: text(), company: text(), reason: text() },
        Notice::PartnerReinstated { name: text(), company: text() },
        Notice::NameDecided { name: text(), company: text(), wanted: text(), reason: None },
        Notice::NameDecided { name: text(), company: text(), wanted: text(), reason: Some(text()) },
        Notice::DataExport { name: text(), company: text(), until: Some(at(0)) },
        Notice::DataExport { name: text(), company: text(), until: None },
    ];
    for decision in Decision::ALL {
        telling.push(Notice::SubmissionDecided { name: text(), app: text(), version: text(), decision });
    }
    for step in super::super::closing::tests::steps(text()) {
        telling.push(Notice::PartnerClosing { name: text(), company: text(), step });
    }
    for news in super::super::subscription::SubscriptionNews::ALL {
        let (at, reason) = (Some(at(0)), Some(text()));
        let notice = SubscriptionNotice { name: text(), company: text(), news, tier: text(), at, reason };
        telling.push(Notice::Subscription(notice));
    }
    for event in EVENTS {
        telling.push(Notice::Security { name: text(), event, occurred_at: at(0) });
    }
    telling.extend(VersionReview::one_of_each(&text()).into_iter().map(Notice::VersionReview));
    telling.extend(ListingNotice::one_of_each(&text()).into_iter().map(Notice::Listing));
    telling.extend(Membership::one_of_each(&text()).into_iter().map(Notice::Membership));
    telling.extend(Ticket::one_of_each(&text()).into_iter().map(Notice::Ticket));
    telling.extend(DeprecationNotice::one_of_each(&text()).into_iter().map(Notice::Deprecation));
    telling.extend(QuotaNotice::one_of_each(&text()).into_iter().map(Notice::Quota));
    telling.extend(BoardWeek::one_of_each(&text()).into_iter().map(Notice::BoardWeek));
    telling.extend(BoardNotice::one_of_each(&text()).into_iter().map(Notice::Board));
    telling.extend(ReviewNotice::one_of_each(&text()).into_iter().map(Notice::Review));
    let token = || SecretText::new("labs_ot_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ0123456789-_");
    let asking = asking.map(|about| MailContent::with_token(about, token(), at(3_600)));
    asking.into_iter().chain(telling.into_iter().map(MailContent::Telling)).collect()
}

const EVENTS: [SecurityEvent; 12] = [
    SecurityEvent::PasswordChanged,
    SecurityEvent::PasswordReset,
    SecurityEvent::SecondFactorEnabled,
    SecurityEvent::SecondFactorDisabled,
    SecurityEvent::SecondFactorReset,
    SecurityEvent::RecoveryCodeUsed,
    SecurityEvent::RecoveryCodesRegenerated,
    SecurityEvent::WrongCodes,
    SecurityEvent::RefreshReused,
    SecurityEvent::EmailChanged,
    SecurityEvent::AccountLocked,
    SecurityEvent::AccountUnlocked,
];

#[test]
fn sealed_mail_message_opens_unchanged() {
    let key = MasterKey::from_bytes([1; 32]);
    let row = Uuid::from_u128(5);
    for letter in one_of_each("Jörg \"Jo\" O'Neil") {
        let opened = MailContent::open(&key, row, &letter.seal(&key, row)).unwrap();
        match (&letter, &opened) {
            (MailContent::Telling(one), MailContent::Telling(two)) => assert_eq!(one, two),
            (
                MailContent::Asking { about: one, token: first, expires_at: soon },
                MailContent::Asking { about: two, token: second, expires_at: late },
            ) => {
                assert_eq!((one, soon), (two, late));
                assert!(first.same_as(second));
            }
            _ => panic!("{letter:?} became {opened:?}"),
        }
    }
}

#[test]
fn sealed_mail_message_hides_content_and_is_bound_to_row() {
    let key = MasterKey::from_bytes([1; 32]);
    for letter in one_of_each("Marta") {
        let sealed = letter.seal(&key, Uuid::from_u128(5));
        assert!(!sealed.windows(5).any(|window| window == b"Marta"));
        let moved = MailContent::open(&key, Uuid::from_u128(6), &sealed);
        assert!(matches!(moved, Err(OpenError)));
    }
}

#[test]
fn mail_message_debug_hides_token() {
    for letter in one_of_each("Marta") {
        assert!(!format!("{letter:?}").contains("labs_ot_"));
    }
}

#[test]
fn mail_kinds_match_their_serialized_names() {
    for letter in one_of_each("Marta") {
        let json = match &letter {
            MailContent::Asking { about, .. } => serde_json::to_value(about),
            MailContent::Telling(notice) => serde_json::to_value(notice),
        };
        let json = json.unwrap();
        // Some contents have a separate kind, because they are counted separately.
        let apart = [
            ("event", WRONG_CODES, WRONG_CODES),
            ("news", "SHOWN", CUSTOMER_REVIEW),
            ("news", "FLAG_UPHELD", "REVIEW_FLAG"),
            ("news", "FLAG_DISMISSED", "REVIEW_FLAG"),
        ];
        let kind = apart.iter().find(|(field, word, _)| json[field] == **word).map(|(.., kind)| *kind);
        assert_eq!(kind.or(json["kind"].as_str()), Some(letter.kind()));
    }
}

#[test]
fn language_tag_selects_locale() {
    for tag in ["de", "de-AT", "DE", "de_CH"] {
        assert_eq!(Locale::of(tag), Locale::German, "{tag}");
    }
    for tag in ["en", "en-GB", "fr", "", "den", "d"] {
        assert_eq!(Locale::of(tag), Locale::English, "{tag}");
    }
}
