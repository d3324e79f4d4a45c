use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

fn key() -> MasterKey {
    MasterKey::from_bytes([7; 32])
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn sealed_value_opens() {
    let sealed = key().seal("totp-seed", b"seed");
    assert_eq!(key().open("totp-seed", &sealed).unwrap().as_slice(), b"seed");
    assert!(!sealed.windows(4).any(|window| window == b"seed"));
}

#[test]
fn sealed_empty_value_opens() {
    let sealed = key().seal("empty", b"");
    assert_eq!(sealed.len(), 1 + 12 + 16);
    assert!(key().open("empty", &sealed).unwrap().is_empty());
}

#[test]
fn same_text_seals_differently_each_time() {
    assert_ne!(key().seal("a", b"text"), key().seal("a", b"text"));
}

#[test]
fn other_purpose_or_key_cannot_open() {
    let sealed = key().seal("totp-seed/1", b"seed");
    assert_eq!(key().open("totp-seed/2", &sealed), Err(OpenError));
    let other = MasterKey::from_bytes([8; 32]);
    assert_eq!(other.open("totp-seed/1", &sealed), Err(OpenError));
}

proptest! {
    #[test]
    fn any_changed_byte_is_rejected(at in 0usize..33, by in 1u8..=255) {
        let mut sealed = key().seal("a", b"text");
        *sealed.get_mut(at).unwrap() ^= by;
        prop_assert_eq!(key().open("a", &sealed), Err(OpenError));
    }

    #[test]
    fn truncated_or_invented_value_is_rejected(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert_eq!(key().open("a", &bytes), Err(OpenError));
    }
}

#[test]
fn macs_differ_by_purpose_key_and_content() {
    let mac = key().mac("cursor", b"text");
    assert_eq!(mac, key().mac("cursor", b"text"));
    assert_ne!(mac, key().mac("refresh", b"text"));
    assert_ne!(mac, key().mac("cursor", b"texu"));
    assert_ne!(mac, MasterKey::from_bytes([8; 32]).mac("cursor", b"text"));
    let mac_key = key().mac_key("cursor");
    assert!(mac_key.verifies(b"text", &mac));
    assert!(!mac_key.verifies(b"text", &mac[..16]));
    assert!(!mac_key.verifies(b"texu", &mac));
}

/// Loads a file with these keys, newest first.
fn of_file(keys: &[u8]) -> Result<MasterKey, KeyFileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let lines: Vec<String> = keys.iter().map(|byte| hex::encode([*byte; 32])).collect();
    write_new(&path, format!("{}\n", lines.join("\n")).as_bytes()).unwrap();
    load(&path)
}

#[test]
fn first_key_seals_and_all_keys_open() {
    let (old, both, new) = (of_file(&[1]).unwrap(), of_file(&[2, 1]).unwrap(), of_file(&[2]).unwrap());
    let of_old = old.seal("a", b"text");
    assert_eq!(both.open("a", &of_old).unwrap().as_slice(), b"text");
    assert_eq!(new.open("a", &both.seal("a", b"text")).unwrap().as_slice(), b"text");
    let anew = both.reseal("a", &of_old).unwrap().expect("an older key sealed it");
    assert_eq!(new.open("a", &anew).unwrap().as_slice(), b"text");
    assert_eq!(both.reseal("a", &anew), Ok(None));
    assert_eq!(new.reseal("a", &of_old), Err(OpenError));
    let tag = old.mac_key("a").tag(b"text");
    assert!(both.mac_key("a").verifies(b"text", &tag) && !new.mac_key("a").verifies(b"text", &tag));
}

#[test]
fn pseudonyms_survive_key_rotation() {
    let old = of_file(&[1]).unwrap();
    let kept = of_file(&[2, 1]).unwrap().named_by(&old.naming_sealed()).unwrap();
    let new = of_file(&[2]).unwrap().named_by(&kept.naming_sealed()).unwrap();
    assert_eq!(new.mac("voter", b"ada"), old.mac("voter", b"ada"));
    assert!(of_file(&[3]).unwrap().named_by(&kept.naming_sealed()).is_err());
}

#[test]
fn key_file_has_one_to_eight_keys() {
    assert!(of_file(&[1, 2, 3, 4, 5, 6, 7, 8]).is_ok());
    assert!(matches!(of_file(&[1, 2, 3, 4, 5, 6, 7, 8, 9]), Err(KeyFileError::Form(_))));
}

#[test]
fn sealing_and_signing_use_different_keys() {
    let info_of_mac = key().mac("a", b"");
    let sealing: hmac::Key = derive_key(&[7; 32], "seal", "a", HMAC_SHA256);
    assert_ne!(hmac::sign(&sealing, b"").as_ref(), info_of_mac);
}

#[test]
fn debug_output_hides_keys() {
    let hex_of_it = "0707";
    let text = format!("{:?} {:?}", key(), key().mac_key("a"));
    assert!(!text.contains(hex_of_it) && !text.contains("7, 7"));
    assert!(text.contains("redacted"));
}

#[test]
fn fingerprint_identifies_key() {
    assert_eq!(key().fingerprint(), key().fingerprint());
    assert_eq!(key().fingerprint().len(), 32);
    assert_ne!(key().fingerprint(), MasterKey::from_bytes([8; 32]).fingerprint());
}

#[test]
fn missing_key_file_is_created_private_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secrets/deep/master.key");
    let first = MasterKey::load_or_create(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let second = MasterKey::load_or_create(&path).unwrap();
    assert_eq!(first.fingerprint(), second.fingerprint());
    let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing staged is left behind");
}

#[test]
fn two_new_keys_differ() {
    let folder = tempfile::tempdir().unwrap();
    let one = MasterKey::load_or_create(&folder.path().join("one")).unwrap();
    let two = MasterKey::load_or_create(&folder.path().join("two")).unwrap();
    assert_ne!(one.fingerprint(), two.fingerprint());
}

#[test]
fn concurrent_starts_create_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = Arc::new(folder.path().join("a/master.key"));
    let starters: Vec<_> = (0..16)
        .map(|_| {
            let path = Arc::clone(&path);
            std::thread::spawn(move || MasterKey::load_or_create(&path).unwrap().fingerprint())
        })
        .collect();
    let mut names: Vec<_> = starters.into_iter().map(|starter| starter.join().unwrap()).collect();
    names.dedup();
    assert_eq!(names.len(), 1);
}

#[test]
fn key_file_readable_by_others_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    MasterKey::load_or_create(&path).unwrap();
    let is_refused = |bits: u32| {
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        matches!(MasterKey::load_or_create(&path), Err(KeyFileError::Open(_)))
    };
    for bits in [0o604, 0o620, 0o660, 0o666] {
        assert!(is_refused(bits), "{bits:o}");
    }
    let is_of_root = fs::metadata(&path).unwrap().uid() == 0;
    assert_eq!(is_refused(0o440), !is_of_root, "root may give it to a group");
}

#[test]
fn damaged_key_file_is_rejected_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let good = "ab".repeat(32);
    for text in ["", "ab", &format!("{good}cd\n"), &"zz".repeat(32), &"é".repeat(32)] {
        let path = folder.path().join("master.key");
        let _ = fs::remove_file(&path);
        write_new(&path, text.as_bytes()).unwrap();
        let refused = MasterKey::load_or_create(&path);
        assert!(matches!(refused, Err(KeyFileError::Form(_))), "{text:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn handmade_key_file_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    write_new(&path, "07".repeat(32).as_bytes()).unwrap();
    let loaded = MasterKey::load_or_create(&path).unwrap();
    assert_eq!(loaded.fingerprint(), key().fingerprint());
}
