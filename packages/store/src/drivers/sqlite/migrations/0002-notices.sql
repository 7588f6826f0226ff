-- Which notices the log has already; what they say is in their event.
create table notices (
  id text primary key,
  session integer not null references sessions (seq),
  number integer not null
) strict, without rowid;
