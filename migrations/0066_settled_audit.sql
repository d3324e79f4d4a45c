-- A regular export of the audit log is complete, the service role cannot prevent the sealing of a record, and the
-- records of one session are found without reading the whole log.
set lock_timeout = '10s';

-- Returns the latest moment, at most the requested one, up to which every record is committed. A record has the time at
-- which its transaction began, so an open transaction may still add a record to the past. The function waits for
-- transactions that end within a fifth of a second. A transaction that has written nothing within a minute only reads,
-- as a backup or a data export does: every request ends long before.
--
-- The service role may not see when other transactions began; the owner, as whom the function runs, may.
create function audit_settled(wanted timestamptz) returns timestamptz
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
    declare
        -- The service's time may be ahead of the database's.
        ahead constant interval := public.labs_now() - now();
        moment constant timestamptz := least(wanted - ahead, now());
        oldest timestamptz;
    begin
        for attempt in 1..10 loop
            perform pg_stat_clear_snapshot();
            select min(a.xact_start) into oldest
            from pg_stat_activity as a
            where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
                and a.xact_start < moment
                and (a.backend_xid is not null or a.xact_start > clock_timestamp() - interval '1 minute');
            exit when oldest is null or attempt = 10;
            perform pg_sleep(0.02);
        end loop;
        return coalesce(oldest, moment) + ahead;
    end $$;
revoke execute on function audit_settled from public;
grant execute on function audit_settled to labs_service;

-- The database sets the time and the transaction of a record: the sealer searches by transaction, exports by time.
revoke insert on audit_log from labs_service;
grant insert (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope, target_kind,
    target_uuid, target_label, partner_uuid, reason, request_id, address, parameters) on audit_log to labs_service;

create index security_event_session_idx on security_event (session_uuid, occurred_at desc, event_uuid desc)
    where session_uuid is not null;

reset lock_timeout;
