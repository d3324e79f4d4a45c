//! The workflows of the contract (`contract/workflows`), packed as a download.

use std::borrow::Cow;
use std::io::{Cursor, Write};

use bytes::Bytes;
use rust_embed::RustEmbed;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

/// The files at build time of the binary.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../contract/workflows"]
struct Files;

/// Returns a contract's text and the workflows as a ZIP file, with the relative paths of the repository. The bytes are
/// deterministic.
///
/// # Errors
/// If it cannot be packed.
pub(crate) fn workflows(contract: &str) -> Result<Bytes, String> {
    pack(contract).map_err(|error| error.to_string())
}

fn pack(contract: &str) -> ZipResult<Bytes> {
    let mut names: Vec<Cow<'static, str>> = Files::iter().collect();
    names.sort();
    // The current time would make the bytes differ.
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default()).unix_permissions(0o644);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("openapi.yaml", options)?;
    archive.write_all(contract.as_bytes())?;
    for name in names {
        if let Some(file) = Files::get(&name) {
            archive.start_file(format!("workflows/{name}"), options)?;
            archive.write_all(&file.data)?;
        }
    }
    Ok(archive.finish()?.into_inner().into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::contract::Contract;

    #[test]
    fn workflow_archive_is_complete_and_deterministic() {
        let contract = Contract::embedded().unwrap();
        let packed = workflows(contract.text()).unwrap();
        assert!(packed == workflows(contract.text()).unwrap(), "other bytes the second time");
        let mut archive = zip::ZipArchive::new(Cursor::new(packed)).unwrap();
        let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
        assert!(names.iter().any(|name| name == "openapi.yaml"), "{names:?}");
        let mut written = 0;
        for name in names.iter().filter(|name| name.starts_with("workflows/") && name.ends_with(".yaml")) {
            let mut text = String::new();
            archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
            for file in text.lines().filter_map(|line| line.trim().strip_prefix("url: ")) {
                assert_eq!(file, "../openapi.yaml", "{name}");
            }
            for file in text.lines().filter_map(|line| line.split_once("$file('./")?.1.strip_suffix("')")) {
                assert!(names.contains(&format!("workflows/{file}")), "{name} sends {file}");
            }
            for id in text.lines().filter_map(|line| line.trim().strip_prefix("operationId: ")) {
                assert!(contract.operation(id).is_some(), "{name} calls {id}");
            }
            written += 1;
        }
        assert_eq!(written, 14);
    }
}
