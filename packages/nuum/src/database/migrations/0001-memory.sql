-- "Nuum": tells a memory from any other SQLite file.
pragma application_id = 0x4e75756d;

-- The one agent that this database is. What would have to be counted is kept here, so that nothing reads all messages.
create table agent (
  only integer primary key check (only = 1),
  session text not null,
  created_at integer not null,
  mission text not null default '',
  status text not null default '',
  todos text not null default '[]',
  -- All messages, and what they would take in a prompt in full.
  messages integer not null default 0,
  tokens integer not null default 0,
  -- The last message that a summary stands for, and how many such messages there are.
  covered_to integer not null default 0,
  covered integer not null default 0,
  -- What the messages that no summary stands for take in a prompt, each cut to what one message may take.
  open_tokens integer not null default 0,
  -- How often something was forgotten: what was made from older messages must not be written after that.
  forgettings integer not null default 0
) strict;

create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

-- AUTOINCREMENT, so that the number of a message that is forgotten is never given to another.
create table messages (
  number integer primary key autoincrement,
  at integer not null,
  kind text not null check (kind in ('user', 'assistant', 'call', 'result', 'note')),
  -- What was said; the input of a call as JSON.
  text text not null,
  origin text,
  call_id text,
  name text,
  is_error integer not null default 0,
  -- The message with the call that this is the result of. Models use the id of a call again, so that it does not do.
  call_number integer,
  tokens integer not null,
  shown integer not null
) strict;

create index messages_calls on messages (call_id, number) where kind = 'call';
create index messages_results on messages (call_number) where call_number is not null;

create table summaries (
  number integer primary key autoincrement,
  -- 0 stands for messages, a higher one for summaries of the level below.
  level integer not null,
  from_number integer not null,
  to_number integer not null,
  from_at integer not null,
  to_at integer not null,
  messages integer not null,
  context text not null,
  facts text not null,
  tokens integer not null,
  made_by text not null check (made_by in ('model', 'rules')),
  created_at integer not null,
  -- The summary that stands for this one.
  parent integer references summaries (number)
) strict;

create index summaries_shown on summaries (from_number) where parent is null;
create index summaries_by_parent on summaries (parent) where parent is not null;

create table knowledge (
  id integer primary key,
  slug text not null,
  parent integer references knowledge (id),
  title text not null,
  body text not null,
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  archived_at integer
) strict;

create unique index knowledge_slug on knowledge (slug) where archived_at is null;
create index knowledge_children on knowledge (parent) where parent is not null;

create table knowledge_versions (
  entry integer not null references knowledge (id),
  version integer not null,
  change text not null check (change in ('created', 'updated', 'moved', 'archived')),
  slug text not null,
  parent text,
  title text not null,
  body text not null,
  written_by text not null check (written_by in ('distiller', 'agent', 'research', 'person')),
  from_message integer,
  to_message integer,
  at integer not null,
  primary key (entry, version)
) strict, without rowid;

-- Indexes for search. They hold words alone, of texts that are prepared for them: parts of identifiers, pairs of
-- characters where a script puts no space between words. What was said is not kept a second time.
create virtual table message_words using fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
create virtual table knowledge_words using fts5 (
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');

create trigger messages_forget after delete on messages begin
  delete from message_words where rowid = old.number;
end;

create trigger knowledge_forget after delete on knowledge begin
  delete from knowledge_words where rowid = old.id;
end;
