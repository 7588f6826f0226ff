-- Questions of agents to people. Each is an event, too; here is what became of it.
create table asks (
  seq integer primary key,
  id text not null unique,
  session integer not null references sessions (seq),
  turn integer not null,
  question text not null,
  state text not null check (state in ('open', 'answered', 'expired', 'withdrawn', 'void')),
  asked_at integer not null,
  ended_at integer,
  answer text
) strict;

create index asks_by_session on asks (session, seq);
create index asks_by_state on asks (state, seq);
create index asks_open_of_turn on asks (turn) where state = 'open';
