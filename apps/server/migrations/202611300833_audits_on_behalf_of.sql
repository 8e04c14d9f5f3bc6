-- For whom a service identity acted: its owner, or whom its token names; NULL for people.
ALTER TABLE audits_login_log ADD COLUMN on_behalf_of text;
ALTER TABLE audits_operate_log ADD COLUMN on_behalf_of text;
