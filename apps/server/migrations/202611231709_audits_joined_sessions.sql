-- Who was given a link to a session, and who joined by it or tried to, is chained with the sessions (202611231255). People
-- may be deleted, which empties `creator` and `joiner`; their names stay, and are what is chained. Codes are not.
CREATE FUNCTION terminal_join_content(j terminal_session_join_record) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(j.id, j.org_id, j.session, j.sharing, j.joiner_display, j.remote_addr, j.login_from, j.date_joined)
    || CASE WHEN j.is_finished THEN jsonb_build_array(j.is_success, j.reason, j.date_left) ELSE '[]' END)::text
$$;
CREATE FUNCTION terminal_sharing_content(s terminal_session_sharing) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(s.id, s.org_id, s.session, s.created_by, s.action_permission, s.expired_time, s.date_created)::text
$$;

CREATE FUNCTION audits_chain_join() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    SELECT 'session_join', NEW.id, terminal_join_content(NEW), s.date_start FROM terminal_session s WHERE s.id = NEW.session;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_session_join_record FOR EACH ROW EXECUTE FUNCTION audits_chain_join();
-- When they have left.
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished, is_success, reason, date_left ON terminal_session_join_record
  FOR EACH ROW WHEN (NEW.is_finished AND (OLD.is_finished, OLD.is_success, OLD.reason, OLD.date_left)
    IS DISTINCT FROM (NEW.is_finished, NEW.is_success, NEW.reason, NEW.date_left))
  EXECUTE FUNCTION audits_chain_join();

CREATE FUNCTION audits_chain_sharing() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    SELECT 'session_sharing', NEW.id, terminal_sharing_content(NEW), s.date_start FROM terminal_session s WHERE s.id = NEW.session;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT OR UPDATE OF action_permission, expired_time ON terminal_session_sharing
  FOR EACH ROW EXECUTE FUNCTION audits_chain_sharing();

-- What is there already, as it is now.
SET LOCAL timezone TO 'UTC';
INSERT INTO audits_session_entry (kind, row_id, body, date)
  SELECT 'session_sharing', h.id, terminal_sharing_content(h), s.date_start
  FROM terminal_session_sharing h JOIN terminal_session s ON s.id = h.session ORDER BY h.date_created;
INSERT INTO audits_session_entry (kind, row_id, body, date)
  SELECT 'session_join', j.id, terminal_join_content(j), s.date_start
  FROM terminal_session_join_record j JOIN terminal_session s ON s.id = j.session ORDER BY j.date_created;
