-- Values that people have chosen for options of the agent (a JSON object), and the price of all turns.
alter table sessions add column chosen text;
alter table sessions add column cost_amount real not null default 0;
alter table sessions add column cost_currency text;
-- Author of the title: an agent may not replace the title of a person. Titles of earlier versions count as a person's.
alter table sessions add column titled_by text not null default 'person';

-- The lists that the agent has sent last, as JSON. A row of `sessions` is read with each turn, and these lists can be long.
create table offers (
  session integer primary key references sessions (seq),
  options text not null default '[]',
  commands text not null default '[]'
) strict;
