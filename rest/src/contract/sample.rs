//! The small contract of `rest/tests-fixtures`, for tests of this crate.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::{Contract, assemble::assemble};

/// Returns the folder with its pieces.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests-fixtures/contract")
}

/// SDL without a type that the small contract names: its schemas are complete as written.
pub(crate) const SDL: &str = "scalar JSON";

/// Returns the small contract, assembled and parsed.
pub(crate) fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let assembled = assemble(&folder(), SDL).unwrap_or_else(|problems| panic!("{problems:#?}"));
        Contract::from_yaml(&assembled.yaml).unwrap()
    });
    &CONTRACT
}
