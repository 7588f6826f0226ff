-- To forget a session deletes its rows from each table: without these indexes every one of them was read whole.
create index messages_by_session on messages (session);
create index notices_by_session on notices (session);
create index media_by_session on media (session);

-- The list of one channel.
create index sessions_of_channel on sessions (channel, updated_at, seq);

-- The same table without a foreign key on `message`: to delete a message had to read every turn, to see that none refers to it.
create table turns_without_key (
  seq integer primary key,
  id text not null unique,
  session integer not null references sessions (seq),
  agent text not null,
  message integer,
  state text not null check (state in ('running', 'success', 'error', 'cancelled', 'timeout', 'interrupted')),
  started_at integer not null,
  ended_at integer,
  after_number integer not null,
  end_number integer
) strict;
insert into turns_without_key
select seq, id, session, agent, message, state, started_at, ended_at, after_number, end_number from turns;
drop table turns;
alter table turns_without_key rename to turns;
create index turns_by_session on turns (session, seq);
create index turns_by_agent on turns (session, agent);
