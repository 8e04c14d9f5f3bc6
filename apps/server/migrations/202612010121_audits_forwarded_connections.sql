-- Forwarded connections are chained as the guests of a session are, and told to other systems: what
-- goes through one is not recorded, so its row is the only evidence.
CREATE FUNCTION terminal_forwarded_content(f terminal_forwarded_connection) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(f.id, f.org_id, f.session_id, f."user", f.user_id, f.asset, f.asset_id, f.system_user,
      f.remote_addr, f.destination, f.date_start, f.sign_in_id, f.on_behalf_of)
    || CASE WHEN f.outcome = 'open' THEN '[]'
      ELSE jsonb_build_array(f.outcome, f.reason, f.bytes_sent, f.bytes_received, f.date_end) END)::text
$$;

CREATE FUNCTION audits_chain_forwarded() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    VALUES ('forwarded', NEW.id, terminal_forwarded_content(NEW),
      coalesce((SELECT s.date_start FROM terminal_session s WHERE s.id = NEW.session_id), NEW.date_start));
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_forwarded_connection
  FOR EACH ROW EXECUTE FUNCTION audits_chain_forwarded();
CREATE TRIGGER audits_chain_end AFTER UPDATE OF outcome, reason, bytes_sent, bytes_received, date_end
  ON terminal_forwarded_connection
  FOR EACH ROW WHEN (NEW.outcome <> 'open' AND
    (OLD.outcome, OLD.reason, OLD.bytes_sent, OLD.bytes_received, OLD.date_end)
    IS DISTINCT FROM (NEW.outcome, NEW.reason, NEW.bytes_sent, NEW.bytes_received, NEW.date_end))
  EXECUTE FUNCTION audits_chain_forwarded();

CREATE TRIGGER audits_note AFTER INSERT ON terminal_forwarded_connection REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('forwarded_connection_log');
-- And once more at its end.
CREATE TRIGGER audits_note_end AFTER UPDATE OF outcome ON terminal_forwarded_connection
  FOR EACH ROW WHEN (NEW.outcome <> 'open' AND OLD.outcome = 'open')
  EXECUTE FUNCTION audits_note_row('forwarded_connection_log');

-- Those that are there already are chained as they are now.
SET LOCAL timezone TO 'UTC';
INSERT INTO audits_session_entry (kind, row_id, body, date)
  SELECT 'forwarded', f.id, terminal_forwarded_content(f), coalesce(s.date_start, f.date_start)
  FROM terminal_forwarded_connection f LEFT JOIN terminal_session s ON s.id = f.session_id ORDER BY f.id;
