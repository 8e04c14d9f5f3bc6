-- Tickets, what was said about them, and runs of tasks are chained as well, by entries beside their rows as sessions are
-- (202611231255_audits_entries.sql). People may be deleted, which empties `applicant` and `user`; their names stay.
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
CALL audits_add_entries('audits_ticket_entry');
CALL audits_add_entries('audits_run_entry');
DROP PROCEDURE audits_add_entries(text);

-- A ticket: what was asked, and how it stands. Each verdict is an entry.
CREATE FUNCTION tickets_ticket_content(t tickets_ticket) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(t.id, t.org_id, t.type, t.title, t.applicant_display, t.meta, t.comment, t.serial_num, t.time_zone,
    t.date_created, t.state, t.status, t.approval_step, t.process_map)::text
$$;
CREATE FUNCTION tickets_comment_content(c tickets_comment) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(c.id, c.ticket, c.user_display, c.body, c.action, c.date_created)::text
$$;
-- A run of a task, and what became of it on a machine; of what was written there the SHA-256.
CREATE FUNCTION ops_adhoc_execution_content(e ops_adhoc_execution) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT (jsonb_build_array(e.id, e.org_id, e.task_display, e.hosts_amount, e.date_start)
    || CASE WHEN e.is_finished THEN jsonb_build_array(e.is_success, e.date_finished) ELSE '[]' END)::text
$$;
CREATE FUNCTION ops_adhoc_outcome_content(h ops_adhoc_execution_host) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(h.execution, h.asset, h.name, h.is_success,
    encode(sha256(convert_to(h.results::text, 'UTF8')), 'hex'))::text
$$;

CREATE FUNCTION audits_chain_ticket() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_ticket_entry (kind, row_id, body, date)
    VALUES ('ticket', NEW.id, tickets_ticket_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON tickets_ticket FOR EACH ROW EXECUTE FUNCTION audits_chain_ticket();
CREATE TRIGGER audits_chain_verdict AFTER UPDATE OF state, status, approval_step, process_map ON tickets_ticket
  FOR EACH ROW WHEN ((OLD.state, OLD.status, OLD.approval_step, OLD.process_map)
    IS DISTINCT FROM (NEW.state, NEW.status, NEW.approval_step, NEW.process_map))
  EXECUTE FUNCTION audits_chain_ticket();

CREATE FUNCTION audits_chain_comment() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_ticket_entry (kind, row_id, body, date)
    VALUES ('ticket_comment', NEW.id, tickets_comment_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON tickets_comment FOR EACH ROW EXECUTE FUNCTION audits_chain_comment();

CREATE FUNCTION audits_chain_run() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_run_entry (kind, row_id, body, date)
    VALUES ('task_run', NEW.id, ops_adhoc_execution_content(NEW), NEW.date_start);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_adhoc_execution FOR EACH ROW EXECUTE FUNCTION audits_chain_run();
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished ON ops_adhoc_execution
  FOR EACH ROW WHEN (NEW.is_finished) EXECUTE FUNCTION audits_chain_run();

-- A run stores many at once.
CREATE FUNCTION audits_chain_run_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_run_entry (kind, row_id, body, date)
    SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, ops_adhoc_outcome_content(h), e.date_start
    FROM added h JOIN ops_adhoc_execution e ON e.id = h.execution;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_adhoc_execution_host REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_run_outcomes();

-- What is open now, as it stands: few rows, and nobody writes meanwhile. What has come to its end follows in a transaction
-- of its own (202611231926_audits_tickets_and_runs_before.sql), during which everybody may write.
SET LOCAL timezone TO 'UTC';
INSERT INTO audits_ticket_entry (kind, row_id, body, date)
  SELECT 'ticket', t.id, tickets_ticket_content(t), t.date_created FROM tickets_ticket t
  WHERE t.status = 'open' ORDER BY t.date_created;
INSERT INTO audits_run_entry (kind, row_id, body, date)
  SELECT 'task_run', e.id, ops_adhoc_execution_content(e), e.date_start FROM ops_adhoc_execution e
  WHERE NOT e.is_finished ORDER BY e.date_start;
