-- Passkeys (WebAuthn credentials). What is stored is public: the private half never leaves the person's device.
CREATE TABLE authentication_passkey (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- chosen by the authenticator; its own proof of which key is meant
  credential_id bytea NOT NULL,
  -- what authenticators know the person by: random, so that it tells nobody who they are
  user_handle bytea NOT NULL,
  -- the name of the site that it was made for; it proves nothing elsewhere
  rp_id text NOT NULL,
  -- COSE key
  public_key bytea NOT NULL,
  -- how often the authenticator says it was used; 0 for those that do not count
  counter bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_used timestamptz
);
CREATE UNIQUE INDEX authentication_passkey__credential_id__unique ON authentication_passkey (credential_id);
CREATE INDEX authentication_passkey__user_id ON authentication_passkey (user_id);
