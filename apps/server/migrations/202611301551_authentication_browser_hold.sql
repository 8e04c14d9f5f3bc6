-- The key that the client had proven when it asked for a browser, as ssh-keygen prints it: NULL
-- where it came without one.
ALTER TABLE authentication_browser_sign_in ADD COLUMN key_fingerprint text;

-- A confirmation in a browser that holds on for one key of its person at one address, so that tools
-- which connect often do not ask each time.
CREATE TABLE authentication_browser_hold (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  key_fingerprint text NOT NULL,
  remote_addr text NOT NULL,
  program text NOT NULL,
  -- As it was when they confirmed: a second factor just proven, a provider that had let them into
  -- that browser, and the provider's names for that session.
  mfa boolean NOT NULL,
  outside boolean NOT NULL,
  outside_keys text[] NOT NULL DEFAULT '{}',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz,
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_browser_hold__user_id
  ON authentication_browser_hold (user_id, key_fingerprint, remote_addr);
CREATE INDEX authentication_browser_hold__outside_keys ON authentication_browser_hold USING gin (outside_keys);
CREATE INDEX authentication_browser_hold__date_expired ON authentication_browser_hold (date_expired);

-- Another key, or none: what was confirmed for the old one must not return with it.
CREATE FUNCTION authentication_browser_hold_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM authentication_browser_hold WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER end_browser_hold AFTER UPDATE OF public_key_hash_md5 ON users_user FOR EACH ROW
  WHEN (OLD.public_key_hash_md5 <> NEW.public_key_hash_md5) EXECUTE FUNCTION authentication_browser_hold_end();

CREATE OR REPLACE VIEW authentication_sign_in AS
  SELECT c.id, c.kind, c.user_id, u.name || '(' || u.username || ')' AS "user", c.remote_addr, c.user_agent,
    c.date_created, c.date_last_seen, c.date_expired
  FROM (
    SELECT id, 'browser' AS kind, user_id, remote_addr, user_agent, date_created, date_last_seen,
      NULL::timestamptz AS date_expired
    FROM authentication_session WHERE date_expired > now()
    UNION ALL
    SELECT id, 'token', user_id, remote_addr, user_agent, date_created, date_last_seen, NULL
    FROM authentication_bearer_token WHERE date_expired > now()
    UNION ALL
    SELECT id, 'private_token', user_id, remote_addr, user_agent, created, date_last_seen, NULL
    FROM authentication_private_token
    UNION ALL
    SELECT id, kind, user_id, remote_addr, user_agent, date_created, date_last_seen, NULL
    FROM authentication_open_connection WHERE date_expired > now()
    UNION ALL
    SELECT id, 'browser_hold', user_id, remote_addr, program || ' ' || key_fingerprint, date_created, date_last_seen,
      date_expired
    FROM authentication_browser_hold WHERE date_expired > now()
  ) c JOIN users_user u ON u.id = c.user_id;

CREATE OR REPLACE FUNCTION authentication_end_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE OLD.kind
    WHEN 'browser' THEN DELETE FROM authentication_session WHERE id = OLD.id;
    WHEN 'token' THEN DELETE FROM authentication_bearer_token WHERE id = OLD.id;
    WHEN 'private_token' THEN DELETE FROM authentication_private_token WHERE id = OLD.id;
    WHEN 'browser_hold' THEN DELETE FROM authentication_browser_hold WHERE id = OLD.id;
    ELSE DELETE FROM authentication_open_connection WHERE id = OLD.id;
  END CASE;
  RETURN OLD;
END $$;
