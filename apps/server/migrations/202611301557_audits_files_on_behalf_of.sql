-- For whom a service identity moved a file or set a password: its owner, or whom its token names;
-- NULL for people.
ALTER TABLE audits_ftp_log ADD COLUMN on_behalf_of text;
ALTER TABLE audits_password_change_log ADD COLUMN on_behalf_of text;
