-- Which person said what became of a delivery that nobody could tell of, and when.
alter table deliveries add column settled_by text;
alter table deliveries add column settled_at integer;
