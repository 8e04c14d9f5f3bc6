-- The language that a person last used the console in: mails to them are written in it.
ALTER TABLE users_user ADD COLUMN language text CHECK (language IN ('cn', 'en'));
