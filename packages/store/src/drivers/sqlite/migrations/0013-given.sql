-- The message was marked before its first byte was written to an agent: after a crash, one that is not marked costs nothing.
alter table messages add column given integer not null default 0;
-- Of earlier versions nobody knows, so that each counts as given.
update messages set given = 1 where state = 'taken';

-- Events name the messages that were taken in, where they counted them before.
update events set body = json_remove(json_set(body, '$.inputs', json('[]')), '$.count')
where body ->> 'type' = 'steered' and body -> 'inputs' is null;
