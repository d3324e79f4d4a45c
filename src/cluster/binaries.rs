//! Finds the PostgreSQL programs.

use super::owner::output;
use anyhow::bail;
use std::fs;
use std::path::{Path, PathBuf};

/// Oldest major version with which the migrations are tested.
pub(super) const MAJOR_MIN: u32 = 15;

/// Folder of `postgres` and `initdb`.
#[derive(Clone, Debug)]
pub(super) struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// Finds the first match: the major version that created existing data, else the first version that is new enough.
    ///
    /// If the caller, LABS_PG_BIN or PG_BIN gives a folder, only that one is searched.
    pub(super) async fn find(given: Option<&Path>, made_by: Option<u32>) -> anyhow::Result<Self> {
        let mut seen = Vec::new();
        for folder in candidates(given).await {
            let Some(major) = major(&folder).await else {
                continue;
            };
            if made_by.map_or(major >= MAJOR_MIN, |made_by| major == made_by) {
                return Ok(Self { folder });
            }
            seen.push(format!("{major} in {}", folder.display()));
        }
        let seen = if seen.is_empty() { "none".to_owned() } else { seen.join(", ") };
        match made_by {
            Some(made_by) => bail!(
                "the data folder was created by PostgreSQL {made_by} and needs that version (found: {seen}). Install \
                 it, or set LABS_PG_BIN to the folder of its binaries"
            ),
            None => bail!(
                "PostgreSQL {MAJOR_MIN} or newer is required (found: {seen}). Install it (Debian, Ubuntu: apt-get \
                 install postgresql; macOS: brew install postgresql@17), or set LABS_PG_BIN to the folder of its \
                 binaries"
            ),
        }
    }

    /// Returns the folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of one program.
    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }
}

/// Returns the candidate folders, the most likely first, newer versions before older ones.
async fn candidates(given: Option<&Path>) -> Vec<PathBuf> {
    let named = ["LABS_PG_BIN", "PG_BIN"].into_iter().filter_map(std::env::var_os);
    let named = named.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(only) = given.map(PathBuf::from).or(named.into_iter().next()) {
        // The server is started from another folder.
        return vec![std::path::absolute(&only).unwrap_or(only)];
    }
    let mut candidates = Vec::new();
    if let Ok(folder) = output("pg_config", &["--bindir"]).await {
        candidates.push(folder.into());
    }
    if let Some(path) = std::env::var_os("PATH") {
        candidates.extend(std::env::split_paths(&path));
    }
    for (parent, below) in [
        ("/usr/lib/postgresql", "bin"),
        ("/opt/homebrew/opt", "bin"),
        ("/usr/local/opt", "bin"),
        ("/usr/libexec", ""),
        ("/usr", "bin"),
        ("/usr/local/pgsql", ""),
        ("/Applications/Postgres.app/Contents/Versions", "bin"),
        ("/Library/PostgreSQL", "bin"),
        ("/opt/local/lib", "bin"),
    ] {
        candidates.extend(versions(Path::new(parent)).into_iter().map(|one| one.join(below)));
    }
    candidates.retain(|folder| ["postgres", "initdb"].iter().all(|one| folder.join(one).is_file()));
    candidates.dedup();
    candidates
}

/// Returns the subfolders whose name is, or ends with, a version; the highest first.
fn versions(parent: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            Some((version.parse().ok()?, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, folder)| folder).collect()
}

/// Returns the major version of the programs in a folder: `postgres (PostgreSQL) 15.18 (Debian …)`.
async fn major(folder: &Path) -> Option<u32> {
    let said = output(folder.join("postgres").to_str()?, &["--version"]).await.ok()?;
    let version = said.split_once("(PostgreSQL) ")?.1;
    version.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_postgresql_version_comes_first() {
        let place = tempfile::tempdir().unwrap();
        for name in ["9", "17", "postgresql@16", "doc"] {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        let found = versions(place.path());
        let names: Vec<_> = found.iter().map(|one| one.file_name().unwrap()).collect();
        assert_eq!(names, ["17", "postgresql@16", "9"]);
    }

    #[tokio::test]
    async fn data_of_unavailable_version_are_rejected_by_name() {
        let refusal = Binaries::find(None, Some(9)).await.unwrap_err().to_string();
        assert!(refusal.contains("created by PostgreSQL 9"), "{refusal}");
        let nowhere = Some(Path::new("/nowhere"));
        let refusal = Binaries::find(nowhere, None).await.unwrap_err().to_string();
        assert!(refusal.contains("found: none"), "{refusal}");
    }
}
