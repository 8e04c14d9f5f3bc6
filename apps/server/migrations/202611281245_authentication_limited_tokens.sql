-- Tokens that were made with an API key which works from some addresses only work from there, too.
ALTER TABLE authentication_connection_token ADD COLUMN ip_group text[] NOT NULL DEFAULT '{*}';
ALTER TABLE authentication_bearer_token ADD COLUMN ip_group text[] NOT NULL DEFAULT '{*}';
-- Which sign-in sees the secret of a new key.
ALTER TABLE authentication_access_key ADD COLUMN sign_in_id uuid;
