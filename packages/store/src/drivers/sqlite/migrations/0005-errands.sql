-- Sessions whose agent has tasks or alarms under way, and which agent that is. It goes with its session.
create table errands (
  session integer primary key references sessions (seq) on delete cascade,
  agent text not null
) strict;
