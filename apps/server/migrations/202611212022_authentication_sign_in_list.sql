-- Everything that a person is signed in with is one list: browsers, bearer tokens, the private token and connections of SSH clients.
ALTER TABLE authentication_bearer_token
  ADD COLUMN user_agent text NOT NULL DEFAULT '',
  ADD COLUMN date_created timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN date_last_seen timestamptz NOT NULL DEFAULT now();

-- Where it was used last; nowhere yet as long as there is no date.
ALTER TABLE authentication_private_token
  ADD COLUMN id uuid NOT NULL DEFAULT uuidv7(),
  ADD COLUMN remote_addr text NOT NULL DEFAULT '',
  ADD COLUMN user_agent text NOT NULL DEFAULT '',
  ADD COLUMN date_last_seen timestamptz;
CREATE UNIQUE INDEX authentication_private_token__id__unique ON authentication_private_token (id);

-- Open connections that are their own sign-in: of SSH clients, and of terminals that were opened by a connection token, whose person has no sign-in of
-- the browser's. The node that carries one renews its lease; without its row it is ended.
CREATE TABLE authentication_open_connection (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  remote_addr text NOT NULL,
  user_agent text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL,
  kind text NOT NULL DEFAULT 'ssh'
);
CREATE INDEX authentication_open_connection__user_id ON authentication_open_connection (user_id);
CREATE INDEX authentication_open_connection__date_expired ON authentication_open_connection (date_expired);
-- Their rows say it now.
ALTER TABLE users_user DROP COLUMN date_sign_ins_ended;

CREATE VIEW authentication_sign_in AS
  SELECT c.id, c.kind, c.user_id, u.name || '(' || u.username || ')' AS "user", c.remote_addr, c.user_agent, c.date_created, c.date_last_seen
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
