-- Texts are indexed under a rowid that names their session (`search/document.ts`), so that a search reads hits session by session
-- and need not look up the event of each. Words of one and two characters have an index of their own, because the trigrams that
-- begin with them are too many to read. Everything said is indexed anew in the background; titles, which are short, at once.
drop table said_terms;
insert into said (said) values ('delete-all');

create virtual table said_short using fts5 (grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

insert into said (rowid, text) select seq * 16777216, folded(title) from sessions where title <> '';
insert into said_short (rowid, grams) select seq * 16777216, short_grams(folded(title)) from sessions where title <> '';

update indexed set seq = 0;
