-- "Plug": tells a store of this program from any other SQLite file.
pragma application_id = 0x506c7567;

-- Rows refer to each other by `seq`, which is short and grows; `id` is what the world sees.
-- Nothing refers to turns by a foreign key: a turn that is given back is deleted, and the check would read every event.

create table sessions (
  seq integer primary key,
  id text not null unique,
  channel text not null,
  place text not null,
  agent text not null,
  title text not null default '',
  agent_session text,
  created_at integer not null,
  updated_at integer not null,
  last_event integer not null default 0,
  -- Kept here rather than counted, so that a claim reads sessions alone.
  waiting integer not null default 0,
  oldest_waiting integer,
  running integer not null default 0,
  closed integer not null default 0,
  -- Who runs the turn, until when, and how often the session has been claimed.
  node text,
  lease_until integer,
  fence integer not null default 0
) strict;

create unique index sessions_live on sessions (channel, place) where closed = 0;
create index sessions_ready on sessions (oldest_waiting) where waiting > 0 and running = 0 and closed = 0;
create index sessions_running on sessions (lease_until) where running = 1;
create index sessions_recent on sessions (updated_at, seq);

-- A log that only grows, and an index: twice as fast to write as a table that is ordered by session.
create table events (
  seq integer primary key,
  session integer not null references sessions (seq),
  number integer not null,
  turn integer,
  at integer not null,
  body text not null
) strict;

create unique index events_by_number on events (session, number);

-- What a message says is in its event; here is what becomes of it.
create table messages (
  seq integer primary key,
  id text not null unique,
  source text not null unique,
  session integer not null references sessions (seq),
  number integer not null,
  state text not null check (state in ('waiting', 'taken', 'dropped')),
  turn integer
) strict;

create index messages_waiting on messages (session, seq) where state = 'waiting';
create index messages_by_turn on messages (turn) where turn is not null;

create table turns (
  seq integer primary key,
  id text not null unique,
  session integer not null references sessions (seq),
  agent text not null,
  message integer references messages (seq),
  state text not null check (state in ('running', 'success', 'error', 'cancelled', 'timeout', 'interrupted')),
  started_at integer not null,
  ended_at integer,
  -- The event before its first, and its last.
  after_number integer not null,
  end_number integer
) strict;

create index turns_by_session on turns (session, seq);

create table deliveries (
  seq integer primary key,
  id text not null unique,
  session integer not null references sessions (seq),
  turn integer,
  channel text not null,
  place text not null,
  body text not null,
  state text not null check (state in ('pending', 'sending', 'sent', 'unknown', 'failed', 'expired')),
  attempts integer not null default 0,
  next_at integer not null,
  expires_at integer not null,
  node text,
  platform_id text,
  problem text
) strict;

-- Holds only what is still to go out, and all that a take has to look at.
create index deliveries_open on deliveries (channel, place, seq, state, expires_at, next_at)
  where state in ('pending', 'sending');
create index deliveries_by_session on deliveries (session, seq);
create index deliveries_by_state on deliveries (state, seq);

create table media (
  id text primary key,
  session integer not null references sessions (seq),
  name text not null,
  type text not null,
  size integer not null,
  file text not null,
  created_at integer not null
) strict, without rowid;

create table tokens (
  id text primary key,
  hash text not null unique,
  name text not null,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  last_used_at integer
) strict, without rowid;

-- What was said, by `seq` of the event, and titles, by minus `seq` of the session. Trigrams find parts of words, and
-- scripts that put no space between words. The text itself is not kept a second time.
create virtual table said using fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');
create virtual table said_terms using fts5vocab (said, instance);

-- One row that a check writes to.
create table checks (
  only integer primary key check (only = 1),
  at integer not null,
  filler blob not null
) strict;
