//! Checkpoints of the audit log: the key that signs them, and their name.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::Args;
use labs_schema::audit_chain::transparency::CheckpointSigner;
use labs_schema::transparency::VerifyingKey;

/// Longest file of keys, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Settings of the checkpoints.
#[derive(Args, Clone, Debug)]
pub struct CheckpointArgs {
    /// File of the Ed25519 key that signs checkpoints of the audit log, as `labs audit key` prints it, or PKCS #8 in
    /// PEM; without it, no checkpoints are signed or served
    #[arg(long, env = "LABS_AUDIT_CHECKPOINT_KEY_FILE", value_name = "FILE")]
    audit_checkpoint_key_file: Option<PathBuf>,

    /// Name of the audit log in its checkpoints; without it, the name in the key, or for a key in PEM the host of the base
    /// address and /audit-log
    #[arg(long, env = "LABS_AUDIT_CHECKPOINT_ORIGIN", value_name = "NAME")]
    audit_checkpoint_origin: Option<String>,
}

impl CheckpointArgs {
    /// Returns the name and the keys of the log of a service at this address. `None` means no checkpoints.
    ///
    /// # Errors
    /// If the file cannot be read or used, or users other than its owner can read it.
    pub fn open(&self, base_url: &str) -> anyhow::Result<Option<CheckpointSigner>> {
        let (_, host) = base_url.split_once("://").unwrap_or_default();
        self.open_named(&format!("{host}/audit-log"))
    }

    /// Returns the public keys that verify checkpoints: this one, else those of the configured key.
    ///
    /// # Errors
    /// If no key is given or configured, or it cannot be used.
    pub fn public_keys(&self, given: Option<&str>) -> anyhow::Result<Vec<VerifyingKey>> {
        if let Some(key) = given {
            return Ok(vec![VerifyingKey::parse(key).context("--public-key cannot be used")?]);
        }
        // A command does not know the address of the service, so it cannot name a key in PEM.
        let signer = self.open_named("").context("name the log with LABS_AUDIT_CHECKPOINT_ORIGIN or --public-key")?;
        Ok(signer.context("name the public key of the log with --public-key")?.public_keys())
    }

    fn open_named(&self, fallback: &str) -> anyhow::Result<Option<CheckpointSigner>> {
        let file = self.audit_checkpoint_key_file.as_deref().filter(|file| !file.as_os_str().is_empty());
        let Some(file) = file else { return Ok(None) };
        let origin = self.audit_checkpoint_origin.as_deref().filter(|origin| !origin.is_empty());
        let signer = CheckpointSigner::read(&read_private_file(file)?, origin, fallback);
        let told = || format!("LABS_AUDIT_CHECKPOINT_KEY_FILE names the file {}, which cannot be used", file.display());
        signer.map(Some).with_context(told)
    }
}

/// Reads a file that contains a private key. Only root may give it to a group, as systemd and Kubernetes do.
///
/// # Errors
/// If the file cannot be read, or other users can read it.
pub(crate) fn read_private_file(path: &Path) -> anyhow::Result<String> {
    let cannot = |error: std::io::Error| anyhow!("the key file {} cannot be read ({error})", path.display());
    let file = File::open(path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    let others = if metadata.uid() == 0 { 0o037 } else { 0o077 };
    if metadata.mode() & others != 0 {
        bail!(
            "the key file {} is accessible to users other than its owner: run `chmod 600` on it (root may give it to a \
             group: 0440)",
            path.display()
        );
    }
    let mut text = String::new();
    let bytes = file.take(LONGEST).read_to_string(&mut text).map_err(cannot)?;
    ensure!((bytes as u64) < LONGEST, "the key file {} is too long", path.display());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt as _;

    use labs_schema::transparency::{KeyKind, SigningKey};

    use super::*;

    fn args(file: &Path, origin: Option<&str>) -> CheckpointArgs {
        let origin = origin.map(str::to_owned);
        CheckpointArgs { audit_checkpoint_key_file: Some(file.to_owned()), audit_checkpoint_origin: origin }
    }

    fn write(path: &Path, text: &str) {
        use std::io::Write as _;
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn names(keys: &[VerifyingKey]) -> Vec<&str> {
        keys.iter().map(VerifyingKey::name).collect()
    }

    #[test]
    fn log_is_named_by_setting_key_or_base_url() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("key");
        // Test key of RFC 8410, section 10.3.
        write(
            &path,
            "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END \
             PRIVATE KEY-----\n",
        );
        let of = |origin| args(&path, origin).open("https://labs.example.com").unwrap().unwrap().public_keys();
        assert_eq!(names(&of(None)), ["labs.example.com/audit-log"]);
        assert_eq!(names(&of(Some("labs.example.com/log"))), ["labs.example.com/log"]);
        let unnamed = format!("{:#}", args(&path, None).public_keys(None).unwrap_err());
        assert!(unnamed.starts_with("name the log with LABS_AUDIT_CHECKPOINT_ORIGIN"), "{unnamed}");
        assert_eq!(names(&args(&path, Some("a.example")).public_keys(None).unwrap()), ["a.example"]);
        let (key, private) = SigningKey::generate("labs.example/audit-log", KeyKind::Log).unwrap();
        write(&path, &private);
        assert_eq!(names(&of(None)), ["labs.example/audit-log"]);
        let read = args(&path, None).public_keys(None).unwrap();
        assert_eq!(read, [key.public().clone()]);
        let given = args(&path, None).public_keys(Some("labs.example+00000000+AQ==")).unwrap_err();
        assert_eq!(given.to_string(), "--public-key cannot be used");
        let without = CheckpointArgs { audit_checkpoint_key_file: None, audit_checkpoint_origin: None };
        assert!(without.open("https://labs.example.com").unwrap().is_none());
        assert!(without.public_keys(None).is_err());
    }
}
