-- Without quotes SYSTEM_USER is a word of SQL, the name that the database knows the connection by:
-- the view answered that, or nothing, instead of the session's account.
CREATE OR REPLACE VIEW terminal_listed_session AS
  SELECT id, org_id, "user", user_id, asset, asset_id, "system_user", system_user_id, login_from, protocol, is_finished,
    date_start, date_end, target_family
  FROM terminal_session;
