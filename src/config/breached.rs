//! List of breached passwords.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use labs_schema::crypto::breached::BreachedPasswords;

/// Setting of the list.
#[derive(Args, Clone, Debug)]
pub struct BreachedArgs {
    /// File of the passwords of known data breaches, ordered by hash, as Have I Been Pwned offers it; without it, only
    /// common passwords are rejected
    #[arg(long, env = "LABS_BREACHED_PASSWORDS_FILE", value_name = "FILE")]
    breached_passwords_file: Option<PathBuf>,
}

impl BreachedArgs {
    /// Opens the list, if one is configured.
    ///
    /// # Errors
    /// If the file cannot be read, or has another form.
    pub fn settle(self) -> anyhow::Result<Option<Arc<BreachedPasswords>>> {
        let Some(file) = self.breached_passwords_file.filter(|file| !file.as_os_str().is_empty()) else {
            return Ok(None);
        };
        let list = BreachedPasswords::open(&file);
        Ok(Some(Arc::new(list.with_context(|| format!("LABS_BREACHED_PASSWORDS_FILE names {}", file.display()))?)))
    }
}
