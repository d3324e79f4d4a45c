//! Attacks by a superuser of the database. Each is a script, as an attacker would run it: `{p}` is the attacked position,
//! `{q}` the one after it.

use std::fs;

use super::{Logged, copy};

/// Computes the whole chain again, so that it is correct.
const RESEAL: &str = "
    do $$
    declare
        seal record;
        before bytea := decode(repeat('00', 32), 'hex');
    begin
        for seal in select s.record_uuid, c.digest from audit_seal as s join audit_canonical as c using (record_uuid)
                     order by s.position loop
            update audit_seal set previous_hash = before, hash = sha256(before || seal.digest)
             where record_uuid = seal.record_uuid;
            before := sha256(before || seal.digest);
        end loop;
    end $$;";

const CHANGE: &str = "update audit_log set actor_label = 'Somebody else'
                       where record_uuid = (select record_uuid from audit_seal where position = {p});";

const CHANGE_DIFFERENCE: &str = "update audit_change set after = after || '{\"slug\": \"other\"}'
                                  where record_uuid = (select record_uuid from audit_seal where position = {p});";

const DELETE: &str = "
    delete from audit_change where record_uuid in (select record_uuid from audit_seal where position = {p});
    delete from audit_log where record_uuid in (select record_uuid from audit_seal where position = {p});";

const DELETE_SEAL: &str = "delete from audit_seal where position = {p};";

const CLOSE_GAP: &str = "
    update audit_seal set position = position + 1000000 where position > {p};
    update audit_seal set position = position - 1000001 where position > 1000000;";

/// Inserts a record and its seal; later seals move up.
const INSERT: &str = "
    update audit_seal set position = position + 1000000 where position >= {p};
    update audit_seal set position = position - 999999 where position > 1000000;
    insert into audit_log (record_uuid, recorded_at, transaction_id, operation, channel, outcome, actor_kind, actor_label)
    select '01900000-0000-7000-8000-000000000005', recorded_at, transaction_id, 'admin_partners_get', 'REST', 'SUCCEEDED',
           'SYSTEM', 'Nobody'
      from audit_log join audit_seal using (record_uuid) where position = {q};
    insert into audit_seal (position, record_uuid, previous_hash, hash, settled_below)
    select {p}, '01900000-0000-7000-8000-000000000005', previous_hash, hash, settled_below from audit_seal
     where position = {q};";

/// Inserts a record that the sealer does not find, because its transaction is old.
const INSERT_UNSEALED: &str = "
    insert into audit_log (record_uuid, recorded_at, transaction_id, operation, channel, outcome, actor_kind, actor_label)
    values ('01900000-0000-7000-8000-000000000005', labs_now() - interval '1 minute', '3', 'admin_partners_get', 'REST',
            'SUCCEEDED', 'SYSTEM', 'Nobody');";

const SWAP: &str = "
    update audit_seal set position = 1000000 where position = {p};
    update audit_seal set position = {p} where position = {q};
    update audit_seal set position = {q} where position = 1000000;";

const OLD_DUMP: &str = "
    delete from audit_change where record_uuid in (select record_uuid from audit_seal where position >= {p});
    delete from audit_log where record_uuid in (select record_uuid from audit_seal where position >= {p});
    delete from audit_seal where position >= {p};";

const DELETE_ALL: &str = "delete from audit_change; delete from audit_log; delete from audit_seal;";

/// An attack: its name, its scripts, the kind of the finding at the attacked position, and whether the service refuses to
/// sign. It does not refuse if the seals of the chain are intact, because it does not read all records each minute.
const ATTACKS: [(&str, &[&str], &str, bool); 12] = [
    ("change a record", &[CHANGE], "ALTERED", false),
    ("change a difference", &[CHANGE_DIFFERENCE], "ALTERED", false),
    ("change a record and re-seal everything", &[CHANGE, RESEAL], "ALTERED", true),
    ("delete a record", &[DELETE], "MISSING", false),
    ("delete a record and its seal", &[DELETE, DELETE_SEAL], "MISSING", false),
    ("delete a record and re-seal everything", &[DELETE, DELETE_SEAL, CLOSE_GAP, RESEAL], "MISSING", true),
    ("insert a record", &[INSERT], "INSERTED", true),
    ("insert a record and re-seal everything", &[INSERT, RESEAL], "INSERTED", true),
    ("reorder records", &[SWAP], "REORDERED", false),
    ("reorder records and re-seal everything", &[SWAP, RESEAL], "REORDERED", true),
    ("restore an old dump", &[OLD_DUMP], "ROLLED BACK", true),
    ("restore an old dump and re-seal everything", &[OLD_DUMP, RESEAL], "ROLLED BACK", true),
];

/// Runs an attack at a position.
async fn attack(logged: &Logged, scripts: &[&str], place: u64) {
    let script = scripts.concat().replace("{p}", &place.to_string()).replace("{q}", &(place + 1).to_string());
    logged.harness.sql(&format!("set session_replication_role = replica; {script}")).await;
}

#[tokio::test]
async fn each_attack_is_found_at_its_position() {
    let logged = Logged::new().await;
    let kept = logged.checkpoint().await;
    let place = logged.size(&kept) + 3;
    let last = logged.record(7).await;
    let current = logged.checkpoint().await;
    logged.dump().await;
    for (name, scripts, kind, is_refused) in ATTACKS {
        attack(&logged, scripts, place).await;
        for since in [None, Some(kept.as_str())] {
            let found = logged.verify(since).await;
            assert!(found.iter().any(|(word, first, _)| (*word, *first) == (kind, place)), "{name}: {found:?}");
            assert!(found.iter().all(|(_, first, _)| *first >= place), "{name}: {found:?}");
        }
        assert_eq!(logged.publish().await.is_err(), is_refused, "{name}");
        assert_eq!(logged.get("checkpoint").await.text().await.unwrap(), current, "{name}");
        logged.restore().await;
        assert_eq!(logged.verify(Some(&kept)).await, [], "after {name}");
    }
    attack(&logged, &[INSERT_UNSEALED], place).await;
    assert_eq!(logged.verify(None).await, [("INSERTED", 1, last)]);
    logged.restore().await;
    attack(&logged, &[DELETE_ALL], place).await;
    assert_eq!(logged.verify(None).await, [("ROLLED BACK", 1, last)]);
    assert!(logged.publish().await.is_err());
}

#[tokio::test]
async fn change_of_current_record_is_found_after_its_first_checkpoint() {
    let logged = Logged::new().await;
    let kept = logged.checkpoint().await;
    let last = logged.record(1).await;
    // The seal is covered by the checkpoint although the record changed before it was signed.
    attack(&logged, &[CHANGE], last).await;
    logged.publish().await.unwrap();
    assert_eq!(logged.verify(Some(&kept)).await, [("ALTERED", last, last)]);
}

#[tokio::test]
async fn service_over_restored_old_dump_signs_nothing() {
    let logged = Logged::new().await;
    logged.record(2).await;
    logged.dump().await;
    let last = logged.record(4).await;
    let kept = logged.checkpoint().await;
    logged.restore().await;
    let fault = logged.publish().await.unwrap_err();
    assert!(fault.for_log().contains(&format!("covers {last} positions")), "{}", fault.for_log());
    // The chain grows beyond its former end, with other records.
    let grown = logged.record(6).await;
    assert!(grown > last);
    let fault = logged.publish().await.unwrap_err();
    assert!(fault.for_log().contains("differs from its last checkpoint"), "{}", fault.for_log());
    assert_eq!(logged.get("checkpoint").await.text().await.unwrap(), kept);
    let found = logged.verify(None).await;
    let begin = last - 3;
    assert!(found.contains(&("ROLLED BACK", begin, last)) && found.contains(&("INSERTED", begin, begin)), "{found:?}");
    // The job fails, which is what the operator's alert watches.
    logged.harness.sql("update job set paused_at = null, paused_because = null, next_run_at = labs_now()").await;
    let failed = "select least(count(*), 1) from job_run where job = 'AUDIT_CHECKPOINT' and state = 'FAILED'";
    logged.harness.until(failed, 1).await;
}

#[tokio::test]
async fn rollback_and_fork_with_stored_files_are_found_by_kept_checkpoint() {
    let logged = Logged::new().await;
    logged.record(3).await;
    let old = logged.checkpoint().await;
    let folder = logged.place.path().join("old");
    logged.dump().await;
    copy(&logged.folder(), &folder);
    let last = logged.record(4).await;
    let kept = logged.checkpoint().await;
    // The attacker restores an older state of database and files together, so the service cannot notice it.
    logged.restore().await;
    fs::remove_dir_all(logged.folder()).unwrap();
    copy(&folder, &logged.folder());
    assert_eq!(logged.checkpoint().await, old);
    assert_eq!(logged.verify(Some(&kept)).await, [("ROLLED BACK", logged.size(&old) + 1, last)]);
    assert_eq!(logged.verify(Some(&old)).await, []);
    logged.record(6).await;
    let forked = logged.checkpoint().await;
    assert!(logged.size(&forked) > last, "the service continues the older state");
    let found = logged.verify(Some(&kept)).await;
    assert_eq!((found.len(), found[0].0), (1, "FORKED"), "{found:?}");
    assert_eq!(logged.verify(Some(&old)).await, [], "a checkpoint from before the fork cannot show it");
    // A checkpoint that the log signed later is not one that continues the kept one either.
    fs::remove_file(logged.folder().join("checkpoint")).unwrap();
    assert_eq!(logged.verify(Some(&kept)).await, [("ROLLED BACK", 1, last)]);
}

#[tokio::test]
async fn altered_files_are_found_and_not_continued() {
    let logged = Logged::new().await;
    let kept = logged.checkpoint().await;
    let size = logged.record(4).await;
    logged.checkpoint().await;
    let tile = logged.folder().join(format!("tile/0/000.p/{size}"));
    let content = fs::read(&tile).unwrap();
    let mut altered = content.clone();
    altered[40] ^= 1;
    fs::write(&tile, &altered).unwrap();
    assert_eq!(logged.verify(Some(&kept)).await[0].0, "FORKED");
    let fault = logged.publish().await.unwrap_err();
    assert!(fault.for_log().contains("do not belong to its checkpoint"), "{}", fault.for_log());
    fs::write(&tile, &content).unwrap();
    let checkpoint = logged.folder().join("checkpoint");
    let signed = fs::read_to_string(&checkpoint).unwrap();
    fs::write(&checkpoint, signed.replacen(&format!("\n{size}\n"), &format!("\n{}\n", size - 1), 1)).unwrap();
    assert_eq!(logged.verify(Some(&kept)).await[0].0, "FORKED", "its signature is not valid");
    assert!(logged.publish().await.unwrap_err().for_log().contains("no valid signature"));
}
