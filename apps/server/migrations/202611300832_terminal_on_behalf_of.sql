-- For whom a service identity connected; NULL for people.
ALTER TABLE terminal_session ADD COLUMN on_behalf_of text;
