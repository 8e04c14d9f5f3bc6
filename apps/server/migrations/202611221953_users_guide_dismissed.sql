-- Organisations in which a person has sent the guide to the first session away.
ALTER TABLE users_user ADD COLUMN guide_dismissed_in uuid[] NOT NULL DEFAULT '{}';
