-- Deprecations in the contract: the operation, parameter, field or value, its sunset, its replacement, and its
-- remaining callers.
set lock_timeout = '10s';

create table deprecation (
    deprecation_uuid uuid constraint deprecation_pkey primary key,
    operation_id text,
    parameter text,
    schema_name text,
    field text,
    value text,
    reason text not null,
    replacement text not null,
    replacement_operation_id text,
    sunset_at timestamptz not null,
    entry_uuid uuid constraint deprecation_entry_fkey references publication_item on delete set null,
    created_by uuid constraint deprecation_created_by_fkey references person on delete set null,
    created_at timestamptz not null default labs_now(),
    constraint deprecation_target_check check (
        (operation_id is null) = (schema_name is not null) and (schema_name is null) = (field is null)
        and (parameter is null or operation_id is not null)
        and (value is null or parameter is not null or field is not null)),
    constraint deprecation_target_key unique nulls not distinct (operation_id, parameter, schema_name, field, value)
);
create index deprecation_entry_idx on deprecation (entry_uuid);
create index deprecation_created_by_idx on deprecation (created_by);
comment on column deprecation.operation_id is 'The operation, or the one that takes the parameter.';
comment on column deprecation.schema_name is 'The schema of the contract that has the field.';
comment on column deprecation.value is 'The value of the parameter or field that is to go; all of it where there is none.';
comment on column deprecation.replacement is 'What to do instead, in a sentence or two of Markdown.';
comment on column deprecation.entry_uuid is 'The changelog entry that tells of it.';

create table deprecation_use (
    deprecation_uuid uuid not null constraint deprecation_use_deprecation_fkey references deprecation on delete cascade,
    day date not null,
    account text not null,
    client_uuid uuid,
    requests bigint not null constraint deprecation_use_requests_check check (requests > 0),
    last_at timestamptz not null default labs_now(),
    constraint deprecation_use_key unique nulls not distinct (deprecation_uuid, day, account, client_uuid)
) with (fillfactor = 70);
create index deprecation_use_account_idx on deprecation_use (account, day desc);
create index deprecation_use_day_idx on deprecation_use (day);
comment on table deprecation_use is
    'Requests that something deprecated concerned, by day and caller, since it is deprecated.';
comment on column deprecation_use.account is 'As in request_usage; anonymous for all who call without a token.';
comment on column deprecation_use.client_uuid is 'The program that called; none for a person.';

create table deprecation_reminder (
    deprecation_uuid uuid not null
        constraint deprecation_reminder_deprecation_fkey references deprecation on delete cascade,
    partner_uuid uuid not null constraint deprecation_reminder_partner_fkey references partner on delete cascade,
    days_before integer not null,
    sent_at timestamptz not null default labs_now(),
    constraint deprecation_reminder_pkey primary key (deprecation_uuid, partner_uuid, days_before)
);
create index deprecation_reminder_partner_idx on deprecation_reminder (partner_uuid);
comment on table deprecation_reminder is 'Which partners were told how long before the end that they still call it.';

call audit_watch('deprecation', 'deprecation_uuid');

grant select, insert, update, delete on deprecation to labs_service;
grant select, insert, update, delete on deprecation_use to labs_service;
grant select, insert, delete on deprecation_reminder to labs_service;

reset lock_timeout;
