-- Whom a message counts for when turns are shared out.
alter table messages add column principal text not null default '';
create index messages_of_principal on messages (principal) where state = 'waiting';

-- The principal of the oldest message that waits, and the place of the session in the order in which sessions are answered
-- (`statements/sessions/rank.ts`).
alter table sessions add column principal text not null default '';
alter table sessions add column rank integer not null default 0;
drop index sessions_ready;
create index sessions_ready on sessions (rank, oldest_waiting) where waiting > 0 and running = 0 and closed = 0;
create index sessions_of_principal on sessions (principal, rank) where waiting > 0;
