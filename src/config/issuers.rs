//! Issuers whose identities machine clients may trust.

use std::path::PathBuf;

use clap::Args;

use super::values::switch;
use crate::issuer_keys::IssuerSettings;

/// Settings of identity issuers.
#[derive(Args, Clone, Debug)]
pub struct IssuerArgs {
    /// Issuers of identity tokens that machine clients may trust, exactly as in `iss`, separated by commas; without it,
    /// every machine client needs a secret
    #[arg(long, env = "LABS_TRUSTED_ISSUERS", value_delimiter = ',', value_name = "URLS")]
    trusted_issuers: Vec<String>,

    /// JSON file with a JWK set for each issuer, read instead of the issuer's server; an issuer that is not in the file is
    /// read from its server
    #[arg(long, env = "LABS_TRUSTED_ISSUER_KEYS_FILE", value_name = "FILE")]
    trusted_issuer_keys_file: Option<PathBuf>,

    /// Allow issuers inside a private network, and plain http:// there
    #[arg(long, env = "LABS_TRUSTED_ISSUERS_ALLOW_PRIVATE", value_parser = switch)]
    trusted_issuers_allow_private: bool,
}

impl IssuerArgs {
    /// Returns the configured issuers.
    ///
    /// # Errors
    /// If an issuer is not an address that the service may call.
    pub fn settle(self) -> anyhow::Result<IssuerSettings> {
        let issuers = self.trusted_issuers.into_iter().filter(|issuer| !issuer.is_empty()).collect();
        IssuerSettings::new(issuers, self.trusted_issuer_keys_file, self.trusted_issuers_allow_private)
    }
}
