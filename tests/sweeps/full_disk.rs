//! Full-disk test: no response without an audit record if the disk has no space for the record.
//!
//! The test limits the size of a file. The limit stops the growth of a table like a full disk does, with the same
//! failing system call, and needs no special privileges. It starts a separate server under that limit and fills the
//! audit log until not even the smallest record fits.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs_schema::open::DatabaseUrls;

use super::audit::{all_is_done, nothing_is_done};
use super::{Cast, contents};
use crate::harness::Harness;

/// The limit in the shell's units (512 or 1,024 bytes, depending on the shell): 20 or 40 MB, more than the 16 MB of a
/// WAL segment.
const LARGEST_FILE: u32 = 40_960;

/// Fills the table's pages completely with the smallest possible records. Large records come first, because that is
/// faster.
const FILL: &str = r"
create procedure fill(padding integer, most integer) language plpgsql as $$
begin
    for turn in 1..10000 loop
        begin
            insert into audit_log (record_uuid, operation, channel, outcome, actor_kind, actor_label)
            select labs_uuid(), '', 'JOB', 'SUCCEEDED', 'SYSTEM',
                (select string_agg(md5(random()::text || part), '') from generate_series(1, padding) as part)
            from generate_series(1, most) as n;
        exception when others then
            if sqlerrm not like 'could not extend%' then
                raise;
            end if;
            return;
        end;
    end loop;
    raise exception 'the audit log does not become full: %, %, %', padding, most, pg_relation_size('audit_log_first');
end $$;
call fill(50, 500);
call fill(50, 1);
call fill(0, 50);
call fill(0, 1);
drop procedure fill;
";

#[tokio::test]
async fn no_response_if_audit_log_disk_is_full() {
    let binaries = limited_binaries(&Harness::new().await).await;
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open(directory.path()).unwrap();
    let settings = Settings {
        durable: false,
        binaries: Some(binaries.path().to_owned()),
        // Autovacuum must not free space.
        extra: vec![("autovacuum".to_owned(), "off".to_owned())],
    };
    let cluster = Cluster::start(&folder, &settings).await.unwrap();
    labs::wiring::migrate(&DatabaseUrls::new(cluster.url())).await.unwrap();
    let cast = Cast::within(Harness::over(cluster.url().to_owned(), &[]).await).await;
    let before = contents(&cast.harness).await;

    cast.harness.sql(FILL).await;
    let (full, records) = (size(&cast).await, count(&cast).await);
    assert!(full > 16 * 1024 * 1024, "it became full after {full} bytes");
    nothing_is_done(&cast).await;
    assert_eq!(contents(&cast.harness).await, before, "a call without a record changed something");
    assert_eq!((size(&cast).await, count(&cast).await), (full, records), "there was room after all");

    cast.harness.sql("truncate audit_log cascade").await;
    all_is_done(&cast).await;
    cluster.stop().await.unwrap();
}

/// Returns a folder with the server's programs; the server itself runs under the limit. The server's user must be able
/// to enter the folder.
async fn limited_binaries(harness: &Harness) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap();
    let real: String = sqlx::query_scalar("select setting from pg_config where name = 'BINDIR'")
        .fetch_one(&mut harness.owner().await)
        .await
        .unwrap();
    let script = |program: &str, before: &str| {
        let path = folder.path().join(program);
        let real = Path::new(&real).join(program);
        fs::write(&path, format!("#!/bin/sh\n{before}\nexec '{}' \"$@\"\n", real.display())).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    };
    script("initdb", "");
    script("postgres", &format!("ulimit -f {LARGEST_FILE}"));
    folder
}

async fn size(cast: &Cast) -> i64 {
    cast.harness.number("select pg_relation_size('audit_log_first')").await
}

async fn count(cast: &Cast) -> i64 {
    cast.harness.number("select count(*) from audit_log").await
}
