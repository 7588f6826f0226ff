-- Words are folded before they are indexed, and so are those that are looked for. What was said is indexed anew as if it had
-- just been said; titles, which are short, are at once.
insert into said (said) values ('delete-all');

insert into said (rowid, text) select -seq, folded(title) || '  ' from sessions where title <> '';

update indexed set seq = 0;
