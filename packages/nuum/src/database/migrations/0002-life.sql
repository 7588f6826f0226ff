-- Messages that a host was told are taken, up to the moment the model sees them: then they become messages.
create table inbox (
  number integer primary key autoincrement,
  at integer not null,
  text text not null
) strict;

-- What runs beside the conversation. A result stays until a turn has told it.
create table tasks (
  id text primary key,
  kind text not null check (kind in ('research', 'reflect')),
  description text not null,
  status text not null check (status in ('running', 'completed', 'failed', 'cancelled', 'killed')),
  created_at integer not null,
  ended_at integer,
  result text,
  told integer not null default 0
) strict, without rowid;

create index tasks_running on tasks (created_at) where status = 'running';
create index tasks_untold on tasks (ended_at) where told = 0;

-- An alarm rings until a turn about it has come to its end; one that repeats is then set again.
create table alarms (
  id text primary key,
  note text not null,
  fires_at integer not null,
  every text,
  status text not null check (status in ('pending', 'done', 'cancelled')),
  created_at integer not null,
  rung_at integer
) strict, without rowid;

create index alarms_pending on alarms (fires_at) where status = 'pending';
