-- Programs that have registered themselves (RFC 7591) so that people can connect them as their agents.
-- Anybody may register one, so one that nobody connects is forgotten after a day.
CREATE TABLE authentication_agent_program (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- By its own words.
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  -- Address, or IPv6 network, that it registered from.
  network text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_agent_program__network ON authentication_agent_program (network, date_created);
CREATE INDEX authentication_agent_program__date_expired ON authentication_agent_program (date_expired);

-- A program that a person has connected: one access token and one refresh token at a time. All tokens of
-- one grant begin with its family, so that an old one ends it.
CREATE TABLE authentication_agent_grant (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  program uuid NOT NULL REFERENCES authentication_agent_program (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- The organization in which the person agreed: its operate log has the end.
  org_id uuid NOT NULL,
  family_hash bytea NOT NULL,
  access_hash bytea NOT NULL,
  refresh_hash bytea NOT NULL,
  remote_addr text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now(),
  date_access_expired timestamptz NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_agent_grant__family_hash ON authentication_agent_grant (family_hash);
CREATE UNIQUE INDEX authentication_agent_grant__access_hash ON authentication_agent_grant (access_hash);
CREATE UNIQUE INDEX authentication_agent_grant__user_id ON authentication_agent_grant (user_id, program);
CREATE INDEX authentication_agent_grant__program ON authentication_agent_grant (program);
CREATE INDEX authentication_agent_grant__date_expired ON authentication_agent_grant (date_expired);

-- The answer of a person to a program: one exchange, within a minute. It is kept longer, with the grant
-- that it became, so that a second exchange is noticed.
CREATE TABLE authentication_agent_code (
  code_hash bytea PRIMARY KEY,
  program uuid NOT NULL REFERENCES authentication_agent_program (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  org_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  challenge text NOT NULL,
  -- NULL until it is exchanged.
  grant_id uuid,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_agent_code__program ON authentication_agent_code (program);
CREATE INDEX authentication_agent_code__user_id ON authentication_agent_code (user_id);
CREATE INDEX authentication_agent_code__date_expired ON authentication_agent_code (date_expired);

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
    UNION ALL
    SELECT g.id, 'agent', g.user_id, g.remote_addr, p.name, g.date_created, g.date_last_seen, g.date_expired
    FROM authentication_agent_grant g JOIN authentication_agent_program p ON p.id = g.program
    WHERE g.date_expired > now()
  ) c JOIN users_user u ON u.id = c.user_id;

CREATE OR REPLACE FUNCTION authentication_end_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE OLD.kind
    WHEN 'browser' THEN DELETE FROM authentication_session WHERE id = OLD.id;
    WHEN 'token' THEN DELETE FROM authentication_bearer_token WHERE id = OLD.id;
    WHEN 'private_token' THEN DELETE FROM authentication_private_token WHERE id = OLD.id;
    WHEN 'browser_hold' THEN DELETE FROM authentication_browser_hold WHERE id = OLD.id;
    WHEN 'agent' THEN DELETE FROM authentication_agent_grant WHERE id = OLD.id;
    ELSE DELETE FROM authentication_open_connection WHERE id = OLD.id;
  END CASE;
  RETURN OLD;
END $$;
