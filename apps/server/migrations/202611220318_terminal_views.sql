-- What other domains may ask of sessions; the tables themselves are private to terminal.

CREATE VIEW terminal_listed_session AS
  SELECT id, org_id, "user", user_id, asset, asset_id, system_user, system_user_id, login_from, protocol, is_finished, date_start, date_end
  FROM terminal_session;
