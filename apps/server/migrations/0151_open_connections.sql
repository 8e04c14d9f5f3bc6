-- Terminals that were opened by a connection token are listed and ended like connections of SSH clients: their person has no sign-in of the browser's.
ALTER TABLE authentication_ssh_connection RENAME TO authentication_open_connection;
ALTER INDEX authentication_ssh_connection_pkey RENAME TO authentication_open_connection_pkey;
ALTER INDEX authentication_ssh_connection__user_id RENAME TO authentication_open_connection__user_id;
ALTER INDEX authentication_ssh_connection__date_expired RENAME TO authentication_open_connection__date_expired;
ALTER TABLE authentication_open_connection ADD COLUMN kind text NOT NULL DEFAULT 'ssh';

CREATE OR REPLACE VIEW authentication_sign_in AS
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

CREATE OR REPLACE FUNCTION authentication_end_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE OLD.kind
    WHEN 'browser' THEN DELETE FROM authentication_session WHERE id = OLD.id;
    WHEN 'token' THEN DELETE FROM authentication_bearer_token WHERE id = OLD.id;
    WHEN 'private_token' THEN DELETE FROM authentication_private_token WHERE id = OLD.id;
    ELSE DELETE FROM authentication_open_connection WHERE id = OLD.id;
  END CASE;
  RETURN OLD;
END $$;
