-- How people and programs sign in, and what they are signed in with.

-- ---------------------------------------------------------------- browsers
-- Browser sessions, also unfinished sign-ins. The cookie's value is kept only as a hash.
CREATE TABLE authentication_session (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  key_hash bytea NOT NULL,
  user_id uuid REFERENCES users_user (id) ON DELETE CASCADE,
  -- What an unfinished sign-in remembers. Secrets inside JSON are {"$sealed": …}, so that a rotation
  -- of the key finds them.
  state jsonb NOT NULL DEFAULT '{}',
  remote_addr text NOT NULL DEFAULT '',
  user_agent text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_session__key_hash__unique ON authentication_session (key_hash);
CREATE INDEX authentication_session__user_id ON authentication_session (user_id);
CREATE INDEX authentication_session__date_expired ON authentication_session (date_expired);
-- Providers end sessions by names of their own.
CREATE INDEX authentication_session__outside_keys
  ON authentication_session USING gin ((state #> '{outside,keys}')) WHERE state ? 'outside';

-- Messages between two pages; whoever knows the code may read one, so they hold nothing about anybody.
CREATE TABLE authentication_flash_message (
  code_hash bytea PRIMARY KEY,
  message jsonb NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_flash_message__date_expired ON authentication_flash_message (date_expired);

-- ---------------------------------------------------------------- tokens and keys
-- Bearer tokens. The same person asking again from the same address gets the same token, hence the
-- sealed copy.
CREATE TABLE authentication_bearer_token (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  token_hash bytea NOT NULL,
  token_sealed bytea NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  remote_addr text NOT NULL,
  -- Where it may be used from: one that was made with a limited key works from that key's addresses.
  ip_group text[] NOT NULL DEFAULT '{*}',
  user_agent text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_bearer_token__token_hash__unique ON authentication_bearer_token (token_hash);
CREATE UNIQUE INDEX authentication_bearer_token__user_id__remote_addr__unique
  ON authentication_bearer_token (user_id, remote_addr);

-- One a person.
CREATE TABLE authentication_private_token (
  id uuid NOT NULL DEFAULT uuidv7(),
  key_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- Where it was used last; nowhere yet as long as there is no date.
  remote_addr text NOT NULL DEFAULT '',
  user_agent text NOT NULL DEFAULT '',
  date_last_seen timestamptz,
  created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_private_token__id__unique ON authentication_private_token (id);
CREATE UNIQUE INDEX authentication_private_token__user_id__unique ON authentication_private_token (user_id);

-- Pairs of id and secret, with which programs sign their requests.
CREATE TABLE authentication_access_key (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  secret_sealed bytea NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  -- Where it may be used from.
  ip_group text[] NOT NULL DEFAULT '{*}',
  -- Which sign-in sees the secret of a new key.
  sign_in_id uuid,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_used timestamptz
);
CREATE INDEX authentication_access_key__user_id ON authentication_access_key (user_id);

-- Signatures of requests that were let in, for as long as their date would still count: a copy of one
-- is refused. Lost in a crash, which is no harm: after the quarter of an hour that follows, their
-- dates are stale anyway.
CREATE UNLOGGED TABLE authentication_used_signature (
  signature_hash bytea PRIMARY KEY,
  remote_addr text NOT NULL,
  date_first timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_used_signature__date_expired ON authentication_used_signature (date_expired);

-- What a client program signs in to a gateway with, instead of a password: for one session of one
-- person, target and system user, for a few minutes, from the address that it was made for. The token
-- is kept only as a hash. What `target` is the type says; an asset that is gone is noticed when the
-- token is used.
CREATE TABLE authentication_connection_token (
  token_hash bytea PRIMARY KEY,
  secret_sealed bytea NOT NULL,
  type text NOT NULL,
  target uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  system_user_id uuid NOT NULL REFERENCES assets_system_user (id) ON DELETE CASCADE,
  creator_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  remote_addr text,
  -- Where it may be used from, as for bearer tokens.
  ip_group text[] NOT NULL DEFAULT '{*}',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_used timestamptz,
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_connection_token__user_id ON authentication_connection_token (user_id);
CREATE INDEX authentication_connection_token__system_user_id ON authentication_connection_token (system_user_id);
CREATE INDEX authentication_connection_token__creator_id ON authentication_connection_token (creator_id);
CREATE INDEX authentication_connection_token__date_expired ON authentication_connection_token (date_expired);

-- Keys by which another system signs people in here, each once. The rows stay, as a record of who had
-- whom signed in; the key is kept only as a hash.
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

-- ---------------------------------------------------------------- passwords, codes and passkeys
-- One-use tokens that let a person set a new password.
CREATE TABLE authentication_reset_token (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- Made by a sign-in whose password was right: its person is signed in with the new one.
  is_sign_in boolean NOT NULL DEFAULT false,
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

-- The last code that was sent to a phone, as a keyed hash: one a minute for each phone, on whatever
-- node, whoever asked for it and what for.
CREATE TABLE authentication_sms_code (
  phone text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- 'mfa' or 'reset'
  purpose text NOT NULL,
  -- the sign-in or browser that asked, and that alone may bring the code
  holder text NOT NULL,
  -- NULL once it was used
  code_hash bytea,
  date_sent timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_sms_code__date_expired ON authentication_sms_code (date_expired);
CREATE INDEX authentication_sms_code__user_id ON authentication_sms_code (user_id);

-- Passkeys (WebAuthn credentials). What is stored is public: the private half never leaves the
-- person's device.
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

-- ---------------------------------------------------------------- directories and providers
-- People as the LDAP directory last listed them, for the import dialog; one row at most, shared by
-- all nodes.
CREATE TABLE authentication_ldap_list (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  state text NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  error text NOT NULL DEFAULT '',
  people jsonb NOT NULL DEFAULT '[]',
  date_started timestamptz NOT NULL DEFAULT now()
);

-- When the periodic import is due, and the times in the settings that this follows from.
CREATE TABLE authentication_ldap_plan (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  plan text NOT NULL,
  date_due timestamptz NOT NULL
);

-- Who of a provider (OpenID, CAS, SAML 2) is who here: a person is known by issuer and subject, never
-- by a name or an address alone, which providers give to others later.
CREATE TABLE authentication_outside_account (
  source text NOT NULL,
  issuer text NOT NULL,
  -- A persistent name of a SAML 2 provider and a user name are apart, even where they read the same.
  kind text NOT NULL DEFAULT 'subject' CHECK (kind IN ('subject', 'username')),
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  date_created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, issuer, kind, subject)
);
CREATE UNIQUE INDEX authentication_outside_account__user_id__unique ON authentication_outside_account (user_id);

-- An administrator who gives somebody another source unties them, and may tie them again by giving
-- the old one back.
CREATE FUNCTION authentication_outside_account_untie() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM authentication_outside_account WHERE user_id = NEW.id AND source <> NEW.source;
  RETURN NULL;
END $$;
CREATE TRIGGER untie_outside_account AFTER UPDATE OF source ON users_user FOR EACH ROW
  WHEN (OLD.source <> NEW.source) EXECUTE FUNCTION authentication_outside_account_untie();

-- Assertions that were taken: each counts once on all nodes. Until the browser has fetched it, a row
-- also holds what the provider said.
CREATE TABLE authentication_saml2_assertion (
  assertion_hash bytea PRIMARY KEY,
  code_hash bytea NOT NULL,
  proof_sealed bytea,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_saml2_assertion__code_hash__unique ON authentication_saml2_assertion (code_hash);
CREATE INDEX authentication_saml2_assertion__date_expired ON authentication_saml2_assertion (date_expired);

-- ---------------------------------------------------------------- all sign-ins as one list
-- Open connections that are their own sign-in: of SSH clients, and of terminals that were opened by a
-- connection token, whose person has no sign-in of the browser's. The node that carries one renews
-- its lease; without its row it is ended.
CREATE TABLE authentication_open_connection (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  kind text NOT NULL DEFAULT 'ssh',
  remote_addr text NOT NULL,
  user_agent text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_open_connection__user_id ON authentication_open_connection (user_id);
CREATE INDEX authentication_open_connection__date_expired ON authentication_open_connection (date_expired);

-- Everything that a person is signed in with: browsers, bearer tokens, the private token and open
-- connections. A row that is deleted here ends that sign-in.
CREATE VIEW authentication_sign_in AS
  SELECT c.id, c.kind, c.user_id, u.name || '(' || u.username || ')' AS "user", c.remote_addr, c.user_agent,
    c.date_created, c.date_last_seen
  FROM (
    SELECT id, 'browser' AS kind, user_id, remote_addr, user_agent, date_created, date_last_seen
    FROM authentication_session WHERE date_expired > now()
    UNION ALL
    SELECT id, 'token', user_id, remote_addr, user_agent, date_created, date_last_seen
    FROM authentication_bearer_token WHERE date_expired > now()
    UNION ALL
    SELECT id, 'private_token', user_id, remote_addr, user_agent, created, date_last_seen
    FROM authentication_private_token
    UNION ALL
    SELECT id, kind, user_id, remote_addr, user_agent, date_created, date_last_seen
    FROM authentication_open_connection WHERE date_expired > now()
  ) c JOIN users_user u ON u.id = c.user_id;

CREATE FUNCTION authentication_end_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE OLD.kind
    WHEN 'browser' THEN DELETE FROM authentication_session WHERE id = OLD.id;
    WHEN 'token' THEN DELETE FROM authentication_bearer_token WHERE id = OLD.id;
    WHEN 'private_token' THEN DELETE FROM authentication_private_token WHERE id = OLD.id;
    ELSE DELETE FROM authentication_open_connection WHERE id = OLD.id;
  END CASE;
  RETURN OLD;
END $$;
CREATE TRIGGER authentication_sign_in__end INSTEAD OF DELETE ON authentication_sign_in
  FOR EACH ROW EXECUTE FUNCTION authentication_end_sign_in();
