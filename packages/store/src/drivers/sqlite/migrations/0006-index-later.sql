-- The `seq` of the last event whose words can be looked for; those after it are indexed many at a time, a little later.
create table indexed (
  only integer primary key check (only = 1),
  seq integer not null
) strict;

insert into indexed select 1, coalesce(max(seq), 0) from events;
