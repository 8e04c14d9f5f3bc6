-- Browser sessions, also unfinished sign-ins. The cookie's value is kept only as a hash.
CREATE TABLE authentication_session (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  key_hash bytea NOT NULL,
  user_id uuid REFERENCES users_user (id) ON DELETE CASCADE,
  -- what an unfinished sign-in remembers, such as its sealed transport key
  state jsonb NOT NULL DEFAULT '{}',
  remote_addr text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_session__key_hash__unique ON authentication_session (key_hash);
CREATE INDEX authentication_session__user_id ON authentication_session (user_id);
CREATE INDEX authentication_session__date_expired ON authentication_session (date_expired);

-- Bearer tokens. The same person asking again from the same address gets the same token, hence the sealed copy.
CREATE TABLE authentication_bearer_token (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  token_hash bytea NOT NULL,
  token_sealed bytea NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  remote_addr text NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_bearer_token__token_hash__unique ON authentication_bearer_token (token_hash);
CREATE UNIQUE INDEX authentication_bearer_token__user_id__remote_addr__unique ON authentication_bearer_token (user_id, remote_addr);

CREATE TABLE authentication_access_key (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  secret_sealed bytea NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX authentication_access_key__user_id ON authentication_access_key (user_id);

CREATE TABLE authentication_private_token (
  key_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_private_token__user_id__unique ON authentication_private_token (user_id);

-- One-use tokens that let a person set a new password.
CREATE TABLE authentication_reset_token (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  date_expired timestamptz NOT NULL
);

-- Failed sign-ins by name and address (`kind` login), or by address alone (`kind` ip).
CREATE TABLE authentication_failure (
  kind text NOT NULL,
  username text NOT NULL,
  remote_addr text NOT NULL,
  failures integer NOT NULL,
  date_expired timestamptz NOT NULL,
  PRIMARY KEY (kind, username, remote_addr)
);
CREATE INDEX authentication_failure__date_expired ON authentication_failure (date_expired);
