-- Bytes of media files, where the gateway has no other place for them. Without a reference to `media`: the file is stored
-- before its record, and removed after it.
create table small_files (
  name text primary key,
  at bigint not null,
  bytes bytea not null
);
-- Media are compressed already, and a range of an uncompressed value is read without the rest.
alter table small_files alter column bytes set storage external;
