//! Settings of passwords.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use labs_schema::crypto::breached::BreachedPasswords;
use labs_schema::crypto::password::PasswordOptions;

/// Settings of passwords.
#[derive(Args, Clone, Debug)]
pub struct PasswordArgs {
    /// File of the passwords of known data breaches, ordered by hash, as Have I Been Pwned offers it; without it, only
    /// common passwords are rejected
    #[arg(long, env = "LABS_BREACHED_PASSWORDS_FILE", value_name = "FILE")]
    breached_passwords_file: Option<PathBuf>,
}

impl PasswordArgs {
    /// Opens the list of breached passwords, if one is configured.
    ///
    /// # Errors
    /// If the file cannot be read, or has another form.
    pub fn settle(self) -> anyhow::Result<PasswordOptions> {
        let Some(file) = self.breached_passwords_file.filter(|file| !file.as_os_str().is_empty()) else {
            return Ok(PasswordOptions::default());
        };
        let list = BreachedPasswords::open(&file)
            .with_context(|| format!("LABS_BREACHED_PASSWORDS_FILE names {}", file.display()))?;
        Ok(PasswordOptions { breached: Some(Arc::new(list)), ..PasswordOptions::default() })
    }
}
