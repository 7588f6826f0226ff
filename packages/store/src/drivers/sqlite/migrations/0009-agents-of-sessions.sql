-- Which agents a session has had is asked for everything that a reader with a restricted token reads of it.
create index turns_by_agent on turns (session, agent);
