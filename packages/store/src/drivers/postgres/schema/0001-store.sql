-- Rows refer to each other by `seq`, which is short and grows; `id` is what the world sees. A text of any length is indexed by
-- its key (`keyOf`), because an index entry has at most 2,704 bytes.

create table sessions (
  seq bigint generated always as identity primary key,
  id text not null unique,
  channel text not null,
  place text not null,
  place_key text not null,
  agent text not null,
  title text not null default '',
  titled_by text not null default 'person',
  agent_session text,
  -- A JSON object.
  chosen text,
  cost_amount double precision not null default 0,
  cost_currency text,
  created_at bigint not null,
  updated_at bigint not null,
  last_event bigint not null default 0,
  -- Kept here rather than counted, so that a claim reads sessions alone.
  waiting integer not null default 0,
  oldest_waiting bigint,
  -- Of the oldest waiting message.
  principal text not null default '',
  rank bigint not null default 0,
  running boolean not null default false,
  closed boolean not null default false,
  -- Who holds the lease, until when, and how often the session has been claimed.
  node text,
  lease_until bigint,
  fence bigint not null default 0,
  -- The last `Turns.record` of the holder: when its answer was lost, the holder asks whether it was committed.
  record_id text,
  record_first bigint,
  record_at bigint
) with (
  -- No index has a column that `record` changes in the middle of a turn, so that the row is updated within its page.
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create unique index sessions_live on sessions (channel, place_key) where not closed;
create index sessions_ready on sessions (rank, oldest_waiting) where waiting > 0 and not running and not closed;
create index sessions_of_principal on sessions (principal, rank) where waiting > 0;
create index sessions_running on sessions (seq) where running;
create index sessions_recent on sessions (updated_at, seq);
create index sessions_of_channel on sessions (channel, updated_at, seq);

-- `body` is text: `jsonb` would reorder the fields.
create table events (
  session bigint not null references sessions (seq),
  number bigint not null,
  turn bigint,
  at bigint not null,
  type text not null,
  body text not null,
  primary key (session, number)
);

-- What a message says is in its event; here is what becomes of it.
create table messages (
  seq bigint generated always as identity primary key,
  id text not null unique,
  source_key text not null unique,
  session bigint not null references sessions (seq),
  number bigint not null,
  principal text not null default '',
  state text not null check (state in ('waiting', 'taken', 'dropped')),
  turn bigint,
  given boolean not null default false
) with (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index messages_waiting on messages (session, seq) where state = 'waiting';
create index messages_of_principal on messages (principal) where state = 'waiting';
create index messages_by_turn on messages (turn) where turn is not null;
create index messages_by_number on messages (session, number);

create table turns (
  seq bigint generated always as identity primary key,
  id text not null unique,
  session bigint not null references sessions (seq),
  agent text not null,
  message bigint,
  state text not null check (state in ('running', 'success', 'error', 'cancelled', 'timeout', 'interrupted')),
  started_at bigint not null,
  ended_at bigint,
  -- The event before its first, and its last.
  after_number bigint not null,
  end_number bigint,
  -- As `sessions.record_id`, of the call that ended the turn: the session may have another holder since.
  end_record text
);

create index turns_by_session on turns (session, seq);
create index turns_by_agent on turns (session, agent);

create table deliveries (
  seq bigint generated always as identity primary key,
  id text not null unique,
  session bigint not null references sessions (seq),
  turn bigint,
  channel text not null,
  place text not null,
  place_key text not null,
  body text not null,
  state text not null check (state in ('pending', 'sending', 'sent', 'unknown', 'failed', 'expired')),
  attempts integer not null default 0,
  next_at bigint not null,
  expires_at bigint not null,
  node text,
  platform_id text,
  problem text,
  settled_by text,
  settled_at bigint
) with (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create index deliveries_open on deliveries (channel, place_key, seq) where state in ('pending', 'sending');
create index deliveries_sending on deliveries (node) where state = 'sending';
create index deliveries_expiring on deliveries (expires_at) where state = 'pending';
create index deliveries_by_session on deliveries (session, seq);
create index deliveries_by_state on deliveries (state, seq);

create table commands (
  source_key text primary key,
  session bigint not null references sessions (seq),
  said text not null,
  reply text not null
);

create index commands_by_session on commands (session);

-- Which notes the log has already.
create table notices (
  id_key text primary key,
  session bigint not null references sessions (seq),
  number bigint not null
);

create index notices_by_session on notices (session);

create table asks (
  seq bigint generated always as identity primary key,
  id text not null,
  id_key text not null unique,
  session bigint not null references sessions (seq),
  turn bigint not null,
  question text not null,
  state text not null check (state in ('open', 'answered', 'expired', 'withdrawn', 'void')),
  asked_at bigint not null,
  ended_at bigint,
  answer text
);

create index asks_by_session on asks (session, seq);
create index asks_by_state on asks (state, seq);
create index asks_open_of_turn on asks (turn) where state = 'open';

-- The lists that the agent has sent last, as JSON.
create table offers (
  session bigint primary key references sessions (seq),
  options text not null default '[]',
  commands text not null default '[]'
);

create table errands (
  session bigint primary key references sessions (seq),
  agent text not null
);

create table media (
  id text primary key,
  session bigint not null references sessions (seq),
  name text not null,
  type text not null,
  size bigint not null,
  file text not null,
  created_at bigint not null
);

create index media_by_session on media (session);

create table tokens (
  id text primary key,
  hash text not null unique,
  name text not null,
  scopes text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint
);

create table people (
  seq bigint generated always as identity primary key,
  channel text not null,
  sender text not null,
  name text not null,
  place text not null,
  state text not null check (state in ('asking', 'paired')),
  code text,
  asked_at bigint not null,
  expires_at bigint,
  paired_at bigint,
  paired_by text,
  unique (channel, sender)
);

create index people_by_code on people (code) where code is not null;
create index people_asking on people (channel, expires_at) where state = 'asking';
create index people_by_state on people (state, seq);

create table invitations (
  code text primary key,
  channel text not null,
  made_by text not null,
  expires_at bigint not null
);

create table spending (
  day text not null,
  principal text not null,
  turns bigint not null,
  amount double precision not null,
  currency text,
  primary key (day, principal)
);

-- What a search compares: folded texts of messages, by the number of their event, and of titles, by 0.
create table said (
  session bigint not null references sessions (seq),
  number bigint not null,
  text text not null,
  primary key (session, number)
);

-- One row that a check writes to.
create table checks (
  only_one integer primary key check (only_one = 1),
  at bigint not null,
  filler text not null
);
alter table checks alter column filler set storage external;
