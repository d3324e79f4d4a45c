-- The weekly board mail, for users who opted in.
set lock_timeout = '10s';

alter table person add column board_mail boolean not null default false;
comment on column person.board_mail is
    'Whether they get the weekly mail about the board. It says the same to everybody who does, whatever they voted for.';
create index person_board_mail_idx on person (person_uuid) where board_mail;

reset lock_timeout;
