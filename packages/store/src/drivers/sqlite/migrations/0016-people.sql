-- People of channels. A request has a code until it is accepted or expires.
create table people (
  seq integer primary key,
  channel text not null,
  sender text not null,
  name text not null,
  place text not null,
  state text not null check (state in ('asking', 'paired')),
  code text,
  asked_at integer not null,
  expires_at integer,
  paired_at integer,
  paired_by text,
  unique (channel, sender)
) strict;
create index people_by_code on people (code) where code is not null;
create index people_asking on people (channel, expires_at) where state = 'asking';
create index people_by_state on people (state, seq);

-- Codes that pair the first person who sends them.
create table invitations (
  code text primary key,
  channel text not null,
  made_by text not null,
  expires_at integer not null
) strict, without rowid;

-- What each principal has used up on a day, for budgets.
create table spending (
  day text not null,
  principal text not null,
  turns integer not null,
  amount real not null,
  currency text,
  primary key (day, principal)
) strict, without rowid;
