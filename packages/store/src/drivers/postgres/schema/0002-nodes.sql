-- The gateways that use this database. `seq` is the key of the advisory lock that a live one holds.
create table nodes (
  seq integer generated always as identity primary key,
  name text not null unique,
  version text not null,
  url text,
  started_at bigint not null,
  seen_at bigint not null,
  running integer not null default 0,
  residents integer not null default 0,
  draining boolean not null default false,
  -- Null while it is alive.
  ended_at bigint,
  died boolean not null default false
) with (fillfactor = 50);

-- What one node asks another. The asker removes the row with its answer.
create table node_questions (
  id text primary key,
  node text not null,
  question text not null,
  -- A JSON object with `answer` or `problem`.
  answer text,
  asked_at bigint not null
);

create index node_questions_open on node_questions (node) where answer is null;

-- `Turns.recover` frees the leases that a dead node kept after its turns.
create index sessions_of_node on sessions (node) where node is not null and not running;
