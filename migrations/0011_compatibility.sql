-- Compatibility: the oldest program that runs on the database after each migration.
-- Oldest program: 11
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

-- A program that does not know a migration reads here whether it may run on the database all the same. A program has the
-- number of its last migration. The program that runs the migrations writes the rows, so that an older program can
-- read them.
create table migration_compatibility (
    version bigint not null,
    oldest_program bigint not null
        constraint migration_compatibility_oldest_program_check check (oldest_program > 0),
    constraint migration_compatibility_pkey primary key (version)
);
grant select on migration_compatibility to labs_service;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
