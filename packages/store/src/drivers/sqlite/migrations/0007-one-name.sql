-- What was said, so that a repetition is told from something else under the same name; null for what came before this was kept.
alter table commands add column said text;

-- What people send has one name, whether it is a message or a command. A command holds its name among those of the messages,
-- where a message that comes under it runs into it, and looks for nothing. It stands in no log, and so has no number.
insert or ignore into messages (id, source, session, number, state)
select 'command:' || source, source, session, 0, 'dropped' from commands;
