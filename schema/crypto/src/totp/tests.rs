use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// The seed of RFC 6238, appendix B.
fn seed() -> TotpSeed {
    TotpSeed::from_bytes(b"12345678901234567890").unwrap()
}

const NOW: i64 = 1_800_000_015;
const STEP: i64 = NOW / 30;

#[test]
fn codes_match_rfc_vectors() {
    // The RFC prints eight digits; a six-digit code is their end.
    let vectors = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];
    for (second, code) in vectors {
        assert_eq!(seed().code_at(second), code);
        assert_eq!(seed().check(code, second, None), Some(second / 30));
    }
}

#[test]
fn codes_one_step_before_and_after_are_accepted() {
    for (offset, accepted) in [(-61, false), (-30, true), (0, true), (30, true), (61, false)] {
        let code = seed().code_at(NOW + offset);
        let step = seed().check(&code, NOW, None);
        assert_eq!(step, accepted.then_some((NOW + offset) / 30), "{offset}");
    }
}

#[test]
fn used_and_earlier_steps_are_rejected() {
    let code = seed().code_at(NOW);
    assert_eq!(seed().check(&code, NOW, Some(STEP - 1)), Some(STEP));
    assert_eq!(seed().check(&code, NOW, Some(STEP)), None);
    assert_eq!(seed().check(&code, NOW, Some(STEP + 1)), None);
    let earlier = seed().code_at(NOW - 30);
    assert_eq!(seed().check(&earlier, NOW, Some(STEP)), None);
    let next = seed().code_at(NOW + 30);
    assert_eq!(seed().check(&next, NOW, Some(STEP)), Some(STEP + 1));
}

#[test]
fn spaces_and_hyphens_in_code_are_ignored() {
    let code = seed().code_at(NOW);
    let (head, tail) = code.split_at(3);
    for written in [format!("{head} {tail}"), format!("{head}-{tail}"), format!(" {code}")] {
        assert_eq!(seed().check(&written, NOW, None), Some(STEP), "{written}");
    }
}

#[test]
fn wrong_or_malformed_code_is_rejected() {
    let code = seed().code_at(NOW);
    let other = TotpSeed::from_bytes(&[9; 20]).unwrap();
    assert_eq!(other.check(&code, NOW, None), None);
    let (head, _) = code.split_at(5);
    for wrong in ["", "0", head, &format!("{code}0"), "+12345", "abcdef", "１２３４５６"] {
        assert_eq!(seed().check(wrong, NOW, None), None, "{wrong}");
    }
}

#[test]
fn spaces_in_typed_code_are_ignored() {
    let code = seed().code_at(NOW);
    let (head, tail) = code.split_at(3);
    assert_eq!(seed().check(&format!(" {head} {tail} "), NOW, None), Some(STEP));
}

#[test]
fn extreme_times_do_not_panic() {
    for now in [0, 1, 29, 30, -1, i64::MIN / 2, i64::MAX / 64] {
        let _ = seed().check("000000", now, None);
    }
}

#[test]
fn seeds_are_random_160_bits_and_debug_hides_them() {
    assert_eq!(TotpSeed::random().bytes().len(), 20);
    assert_ne!(TotpSeed::random().bytes(), TotpSeed::random().bytes());
    assert!(TotpSeed::from_bytes(&[0; 19]).is_none());
    assert!(TotpSeed::from_bytes(&[0; 21]).is_none());
    assert_eq!(format!("{:?}", seed()), "TotpSeed([redacted])");
}

#[test]
fn otpauth_uri_is_encoded_for_authenticators() {
    let uri = seed().otpauth_uri("Labs & Söhne: DE", "anna@x.example");
    assert_eq!(
        uri.expose(),
        "otpauth://totp/Labs%20%26%20S%C3%B6hne%20%20DE:anna%40x.example\
         ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Labs%20%26%20S%C3%B6hne%20%20DE\
         &algorithm=SHA1&digits=6&period=30"
    );
}

#[test]
fn qr_code_is_a_png_with_white_border() {
    let uri = seed().otpauth_uri("Labs", "anna@x.example");
    let picture = qr_data_uri(&uri).unwrap();
    let encoded = picture.expose().strip_prefix("data:image/png;base64,").unwrap();
    let png = STANDARD.decode(encoded).unwrap();
    let decoded = image::load_from_memory_with_format(&png, ImageFormat::Png).unwrap();
    let gray = decoded.to_luma8();
    let code = QrCode::new(uri.expose()).unwrap();
    let width = code.width() as u32;
    assert_eq!(gray.dimensions(), ((width + 8) * 6, (width + 8) * 6));
    assert_eq!(gray.get_pixel(23, 23).0, [255], "quiet zone");
    assert_eq!(gray.get_pixel(24, 24).0, [0], "corner of the finder");
    for (at, color) in (0u32..).zip(code.to_colors()) {
        let pixel = gray.get_pixel((at % width + 4) * 6 + 3, (at / width + 4) * 6 + 3);
        assert_eq!(pixel.0 == [0], color == Color::Dark);
    }
}

#[test]
fn overlong_text_has_no_qr_code() {
    assert!(qr_data_uri(&SecretText::new("x".repeat(5_000))).is_none());
}

#[test]
fn recovery_set_has_ten_distinct_readable_codes() {
    let set = RecoveryCode::new_set();
    let shown: HashSet<String> = set.iter().map(|code| code.to_text().expose().to_owned()).collect();
    assert_eq!(shown.len(), 10);
    for code in shown {
        let (first, second) = code.split_once('-').unwrap();
        assert_eq!((first.len(), second.len()), (5, 5));
        assert!(code.bytes().all(|b| b == b'-' || CROCKFORD.contains(&b)));
    }
}

#[test]
fn recovery_codes_use_all_characters() {
    let seen: HashSet<char> = (0..100)
        .flat_map(|_| RecoveryCode::new_set())
        .flat_map(|code| code.0.expose().chars().collect::<Vec<_>>())
        .collect();
    assert_eq!(seen.len(), 32);
}

#[test]
fn typed_recovery_code_is_normalized() {
    let key = MasterKey::from_bytes([1; 32]);
    let code = RecoveryCode::parse("01234-5ABCD").unwrap();
    for typed in ["012345ABCD", "o1234 5abcd", " 0i234-5aBcD ", "OL234--5ABCD"] {
        let read = RecoveryCode::parse(typed).unwrap();
        assert_eq!(read.digest(&key), code.digest(&key), "{typed}");
    }
    for wrong in ["", "0123-5ABC", "01234-5ABCDE", "01234-5ABCU", "01234_5ABCD", "０1234-5ABCD"] {
        assert!(RecoveryCode::parse(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn recovery_digests_differ_by_code_and_key() {
    let code = RecoveryCode::parse("01234-5ABCD").unwrap();
    let other = RecoveryCode::parse("01234-5ABCE").unwrap();
    let key = MasterKey::from_bytes([1; 32]);
    assert_ne!(code.digest(&key), other.digest(&key));
    assert_ne!(code.digest(&key), code.digest(&MasterKey::from_bytes([2; 32])));
    assert!(!format!("{code:?}").contains("01234"));
}

proptest! {
    #[test]
    fn totp_code_never_validates_twice(start in 0i64..2_000_000_000, uses in prop::collection::vec(-90i64..90, 1..20)) {
        let seed = TotpSeed::from_bytes(&[7; 20]).unwrap();
        let mut last = None;
        let mut used = HashSet::new();
        for offset in uses {
            let code = seed.code_at(start + 100 + offset);
            if let Some(step) = seed.check(&code, start + 100, last) {
                prop_assert!(used.insert(step), "a step was used twice");
                prop_assert!(last.is_none_or(|last| step > last));
                last = Some(step);
            }
        }
    }

    #[test]
    fn arbitrary_typed_text_does_not_panic(typed in "\\PC{0,30}") {
        let _ = RecoveryCode::parse(&typed);
        prop_assert_eq!(seed().check(&typed, NOW, None), None);
    }
}

#[test]
fn typed_seed_is_parsed() {
    let seed = TotpSeed::from_bytes(b"12345678901234567890").unwrap();
    let typed = "gezd gnbv gy3t qojq GEZDGNBVGY3TQOJQ";
    assert_eq!(TotpSeed::from_base32(typed).map(|read| read.bytes().to_vec()), Some(seed.bytes().to_vec()));
    for wrong in ["", "GEZDGNBV", "not a seed value!", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1"] {
        assert!(TotpSeed::from_base32(wrong).is_none(), "{wrong}");
    }
}
