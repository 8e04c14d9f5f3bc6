-- What a client program signs in to a gateway with, instead of a password: for one person, target and system user, for a few minutes. The token is kept
-- only as a hash. What `target` is the type says; an asset that is gone is noticed when the token is used.
CREATE TABLE authentication_connection_token (
  token_hash bytea PRIMARY KEY,
  secret_sealed bytea NOT NULL,
  type text NOT NULL,
  target uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  system_user_id uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE,
  creator_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_connection_token__user_id ON authentication_connection_token (user_id);
CREATE INDEX authentication_connection_token__system_user_id ON authentication_connection_token (system_user_id);
CREATE INDEX authentication_connection_token__creator_id ON authentication_connection_token (creator_id);
CREATE INDEX authentication_connection_token__date_expired ON authentication_connection_token (date_expired);
