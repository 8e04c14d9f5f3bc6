-- What is to be told to another system (docs/operate-siem.md): noted by the statement that makes it, so that neither is
-- stored without the other, and removed once it was delivered.
CREATE TABLE audits_outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  category text NOT NULL,
  body jsonb NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);

-- Whether there is anybody to tell, and how that goes.
CREATE TABLE audits_forwarding (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  is_on boolean NOT NULL DEFAULT false,
  sent bigint NOT NULL DEFAULT 0,
  dropped bigint NOT NULL DEFAULT 0,
  date_sent timestamptz,
  date_failed timestamptz,
  error text NOT NULL DEFAULT ''
);
INSERT INTO audits_forwarding DEFAULT VALUES;

CREATE FUNCTION audits_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT is_on FROM audits_forwarding) THEN
    INSERT INTO audits_outbox (category, body) SELECT TG_ARGV[0], to_jsonb(added) FROM added;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION audits_note_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT is_on FROM audits_forwarding) THEN
    INSERT INTO audits_outbox (category, body) VALUES (TG_ARGV[0], to_jsonb(NEW));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audits_note AFTER INSERT ON audits_login_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('login_log');
CREATE TRIGGER audits_note AFTER INSERT ON audits_operate_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('operation_log');
CREATE TRIGGER audits_note AFTER INSERT ON audits_ftp_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('ftp_log');
CREATE TRIGGER audits_note AFTER INSERT ON audits_password_change_log REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('password_change_log');
CREATE TRIGGER audits_note AFTER INSERT ON terminal_command REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('session_command_log');
CREATE TRIGGER audits_note AFTER INSERT ON terminal_session REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_note_added('host_session_log');
-- And once more at its end.
CREATE TRIGGER audits_note_end AFTER UPDATE OF is_finished ON terminal_session
  FOR EACH ROW WHEN (NEW.is_finished AND NOT OLD.is_finished) EXECUTE FUNCTION audits_note_row('host_session_log');
