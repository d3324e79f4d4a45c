//! Commands for the transparency log of the audit log.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, Subcommand};
use labs_schema::transparency::{KeyKind, SigningKey};
use uuid::Uuid;

use super::{begin, print_lines, run_on_database};
use crate::config::{CheckpointArgs, Common, MediaArgs};
use crate::{wiring, witness};

/// Operations on the transparency log of the audit log.
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Print a new key pair for checkpoints: the private key, then the public key
    #[command(after_help = "Examples:\n  (umask 077; labs audit key --name labs.example.com/audit-log > \
                            checkpoint.key)\n  (umask 077; labs audit key --name witness.example.com --witness > \
                            witness.key)\n\nThe file is the one of LABS_AUDIT_CHECKPOINT_KEY_FILE. Verifiers need its \
                            second line. Needs no database.")]
    Key(AuditKey),

    /// Compare the audit records with the log, from a checkpoint on that was kept elsewhere
    #[command(after_help = "Examples:\n  labs audit verify --since kept.checkpoint\n  labs audit verify --since \
                            kept.checkpoint --public-key labs.example.com/audit-log+1e6d3b2a+AQ…\n\nPrints each \
                            difference with its position, and exits with 1 if there is one. Works while the service \
                            runs.\nWithout --since, it compares every record, and cannot detect that the log was \
                            replaced as a whole.")]
    Verify(AuditVerify),

    /// Print the proof that the log contains an audit record
    #[command(after_help = "Example:\n  labs audit proof 0199c2a4-7b1e-7c53-9d1f-3a8f5f0e6b21 > record.tlog-proof\n\n\
                            operate/verify_audit_log.py verifies the proof. Needs no database.")]
    Proof(AuditProof),

    /// Verify that a log continues its last known checkpoint, and print the cosigned checkpoint
    #[command(after_help = "Example:\n  labs audit witness --url https://labs.example.com/audit-log --key-file \
                            witness.key \\\n    --public-key labs.example.com/audit-log+1e6d3b2a+AQ… --state \
                            witness.state\n\nRun it on another machine, for example every five minutes. It exits with 1 \
                            and cosigns nothing if the log\nwas rolled back or forked. Needs no database.")]
    Witness(AuditWitness),
}

/// A new key pair.
#[derive(Args, Debug)]
pub struct AuditKey {
    /// Name of the log, which is the origin of its checkpoints, or of the witness
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Create a key for a witness
    #[arg(long)]
    pub witness: bool,
}

/// The verification of the records.
#[derive(Args, Debug)]
pub struct AuditVerify {
    /// Database and log settings.
    #[command(flatten)]
    pub common: Common,
    /// Object storage.
    #[command(flatten)]
    pub media: MediaArgs,
    /// Keys of the log.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,
    /// Public key of the log; without it, that of LABS_AUDIT_CHECKPOINT_KEY_FILE
    #[arg(long, value_name = "KEY")]
    pub public_key: Option<String>,
    /// File of a checkpoint that was kept elsewhere
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,
}

/// The proof for a record.
#[derive(Args, Debug)]
pub struct AuditProof {
    /// Folder and log settings.
    #[command(flatten)]
    pub common: Common,
    /// Object storage.
    #[command(flatten)]
    pub media: MediaArgs,
    /// Keys of the log.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,
    /// Public key of the log; without it, that of LABS_AUDIT_CHECKPOINT_KEY_FILE
    #[arg(long, value_name = "KEY")]
    pub public_key: Option<String>,
    /// UUID of the audit record
    #[arg(value_name = "RECORD_UUID")]
    pub record_uuid: Uuid,
}

/// A witness of a log.
#[derive(Args, Debug)]
pub struct AuditWitness {
    /// Address of the log
    #[arg(long, value_name = "URL")]
    pub url: String,
    /// Public key of the log
    #[arg(long, value_name = "KEY")]
    pub public_key: String,
    /// File of the witness's key, as `labs audit key --witness` prints it
    #[arg(long, value_name = "FILE")]
    pub key_file: PathBuf,
    /// File in which the witness keeps the last checkpoint that it cosigned
    #[arg(long, value_name = "FILE")]
    pub state: PathBuf,
}

/// Runs a command, and prints its result.
pub(super) async fn run(command: Audit) -> anyhow::Result<()> {
    match command {
        Audit::Key(AuditKey { name, witness }) => {
            let kind = if witness { KeyKind::Witness } else { KeyKind::Log };
            let (key, private) = SigningKey::generate(&name, kind)?;
            print_lines(&format!("{}\n{}", private.as_str(), key.public()))
        }
        Audit::Verify(words) => {
            let act = async |engine: &_| wiring::audit_log::verify(engine, &words).await;
            let report = run_on_database(&words.common, act).await?;
            print_lines(&report.lines.join("\n"))?;
            ensure!(report.findings == 0, "the audit log was changed: findings: {}", report.findings);
            Ok(())
        }
        Audit::Proof(words) => {
            begin(&words.common, false, false)?;
            print_lines(wiring::audit_log::prove(&words).await?.trim_end())
        }
        Audit::Witness(words) => print_lines(witness::cosign(&words).await?.trim_end()),
    }
}
