-- Keys by which another system signs people in here, each once. The rows stay, as a record of who had whom signed in; the key is kept only as a hash.
CREATE TABLE authentication_sso_token (
  key_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  expired boolean NOT NULL DEFAULT false,
  created_by text NOT NULL,
  updated_by text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX authentication_sso_token__user_id ON authentication_sso_token (user_id);
