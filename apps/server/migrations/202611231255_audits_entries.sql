-- Sessions, their events, commands and batch commands are chained, too (domains/audits/chain.ts). Some of these rows change
-- (a session ends), and an update of a command's row would touch all its indexes; so what is chained are *entries* beside
-- them: a row's content when it was written, and once more when it had come to its end. They are written by the
-- statement that writes the row: neither is stored without the other.
--
--   body   of sessions, events and batch commands the content itself: what was there can still be read after somebody
--          changed it. Of commands and statements its SHA-256.
--   date   of the row that retention goes by, which is that of its session or command where it goes with that.
CREATE PROCEDURE audits_add_entries(log text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %1$I (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    kind text NOT NULL,
    row_id uuid NOT NULL,
    body text NOT NULL,
    date timestamptz NOT NULL,
    chain_number bigint,
    chain_hash bytea)', log);
  EXECUTE format('CREATE INDEX %I ON %I (id) WHERE chain_number IS NULL', log || '__unsealed', log);
  EXECUTE format('CREATE UNIQUE INDEX %I ON %I (chain_number)', log || '__chain_number__unique', log);
END $$;
CALL audits_add_entries('audits_session_entry');
CALL audits_add_entries('audits_command_entry');
CALL audits_add_entries('audits_execution_entry');
DROP PROCEDURE audits_add_entries(text);

-- What is chained of a row. Dates are written as in UTC by whoever calls these. deploy/audit/verify-audits.mjs has the
-- same expressions of its own, as a verifier must not ask the database for them.
CREATE FUNCTION terminal_session_content(s terminal_session) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(s.id, s.org_id, s."user", s.asset, s.system_user, s.user_id, s.asset_id, s.target_family,
      s.system_user_id, s.login_from, s.date_start, s.sign_in_id)
    || CASE WHEN s.is_finished THEN jsonb_build_array(s.is_success, s.protocol, s.remote_addr, s.date_end, s.has_replay, s.replay_sha256)
       ELSE '[]' END)::text
$$;
CREATE FUNCTION ops_command_execution_content(e ops_command_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.user_id, e."user", e.remote_addr, e.run_as, e.run_as_display, e.command, e.date_created)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.error, e.date_start, e.date_finished) ELSE '[]' END)::text
$$;

CREATE FUNCTION audits_chain_session() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    VALUES ('session', NEW.id, terminal_session_content(NEW), NEW.date_start);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_session FOR EACH ROW EXECUTE FUNCTION audits_chain_session();
-- At its end, and where something is learnt of it later, such as the checksum of its recording. A heartbeat is neither.
CREATE TRIGGER audits_chain_end
  AFTER UPDATE OF is_finished, is_success, protocol, remote_addr, date_end, has_replay, replay_sha256 ON terminal_session
  FOR EACH ROW WHEN (NEW.is_finished AND
    (OLD.is_finished, OLD.is_success, OLD.protocol, OLD.remote_addr, OLD.date_end, OLD.has_replay, OLD.replay_sha256)
    IS DISTINCT FROM
    (NEW.is_finished, NEW.is_success, NEW.protocol, NEW.remote_addr, NEW.date_end, NEW.has_replay, NEW.replay_sha256))
  EXECUTE FUNCTION audits_chain_session();

CREATE FUNCTION audits_chain_session_events() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    SELECT 'session_event', e.id,
      jsonb_build_array(e.id, e.session, e.event, e."user", e.remote_addr, e.reason, e.date_created)::text, s.date_start
    FROM added e JOIN terminal_session s ON s.id = e.session;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_session_event REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_session_events();

CREATE FUNCTION audits_chain_commands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    SELECT 'command', c.id, encode(sha256(convert_to(jsonb_build_array(c.id, c.org_id, c."user", c.asset, c.system_user,
      c.input, c.output, c.session, c.risk_level, c.rule, c.rule_filter, c.ticket, c.timestamp)::text, 'UTF8')), 'hex'),
      to_timestamp(c.timestamp)
    FROM added c;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_command REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_commands();

CREATE FUNCTION audits_chain_statements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    SELECT 'statement', s.command, encode(sha256(convert_to(jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows,
      s.error, s.code, s.database, s.program)::text, 'UTF8')), 'hex'), to_timestamp(c.timestamp)
    FROM added s JOIN terminal_command c ON c.id = s.command;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_statement REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_statements();

CREATE FUNCTION audits_chain_execution() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    VALUES ('execution', NEW.id, ops_command_execution_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_command_execution FOR EACH ROW EXECUTE FUNCTION audits_chain_execution();
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished ON ops_command_execution
  FOR EACH ROW WHEN (NEW.is_finished) EXECUTE FUNCTION audits_chain_execution();

-- What became of a batch command on a machine, once that is known. A run changes many at once.
CREATE FUNCTION audits_chain_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
      jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
        encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))::text,
      e.date_created
    FROM changed h JOIN ops_command_execution e ON e.id = h.execution WHERE h.state NOT IN ('waiting', 'running');
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER UPDATE ON ops_command_execution_host REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_outcomes();

-- What is there already, as it is now; commands are chained by and by (202611231630_audits_backlog.sql), as there may be
-- millions, and nobody could write meanwhile.
SET LOCAL timezone TO 'UTC';
INSERT INTO audits_session_entry (kind, row_id, body, date)
  SELECT 'session', s.id, terminal_session_content(s), s.date_start FROM terminal_session s ORDER BY s.date_start;
INSERT INTO audits_session_entry (kind, row_id, body, date)
  SELECT 'session_event', e.id,
    jsonb_build_array(e.id, e.session, e.event, e."user", e.remote_addr, e.reason, e.date_created)::text, s.date_start
  FROM terminal_session_event e JOIN terminal_session s ON s.id = e.session ORDER BY s.date_start;
INSERT INTO audits_execution_entry (kind, row_id, body, date)
  SELECT 'execution', e.id, ops_command_execution_content(e), e.date_created FROM ops_command_execution e ORDER BY e.date_created;
INSERT INTO audits_execution_entry (kind, row_id, body, date)
  SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
    jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
      encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))::text,
    e.date_created
  FROM ops_command_execution_host h JOIN ops_command_execution e ON e.id = h.execution
  WHERE h.state NOT IN ('waiting', 'running') ORDER BY e.date_created;
