-- What people told the gateway itself to do, by the name it came under, and what they were answered. It belongs to the
-- session that was live afterwards.
create table commands (
  source text primary key,
  session integer not null references sessions (seq),
  reply text not null
) strict, without rowid;

create index commands_by_session on commands (session);
