-- What people did: sign-ins, changes, files moved, passwords changed; the hash chains that prove it,
-- and what is forwarded to other systems. Last of all, as its triggers are on tables of others.

-- ---------------------------------------------------------------- logs
-- chain_number and chain_hash are filled in by the sealing job (domains/audits/chain.ts); until then a
-- row is not yet sealed.

CREATE TABLE audits_login_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  username text NOT NULL,
  -- The person, and the organizations that they belonged to at that time, whatever becomes of their
  -- name, of their memberships or of themselves; empty where nobody was known.
  user_id uuid,
  org_ids uuid[] NOT NULL DEFAULT '{}',
  type text NOT NULL DEFAULT 'W' CHECK (type IN ('W', 'T', 'U')),
  ip text NOT NULL,
  city text,
  user_agent text,
  mfa integer NOT NULL DEFAULT 2 CHECK (mfa IN (0, 1, 2)),
  reason text NOT NULL DEFAULT '',
  backend text NOT NULL DEFAULT '',
  status boolean NOT NULL DEFAULT true,
  datetime timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_login_log__datetime ON audits_login_log (datetime DESC, username, id DESC);
CREATE INDEX audits_login_log__username ON audits_login_log (username, datetime DESC);
CREATE INDEX audits_login_log__search
  ON audits_login_log USING gin (username gin_trgm_ops, ip gin_trgm_ops, city gin_trgm_ops);

CREATE TABLE audits_operate_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  "user" text NOT NULL,
  -- By id who did it, and what they were signed in with: that of the row in the sign-in log.
  user_id uuid,
  sign_in_id uuid,
  -- Whoever takes rows or recordings along is written down, too.
  action text NOT NULL CHECK (action IN ('create', 'update', 'delete', 'export', 'download')),
  resource_type text NOT NULL,
  resource text NOT NULL,
  object_type text,
  object_id text,
  changes jsonb,
  remote_addr text,
  datetime timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_operate_log__org_id__datetime ON audits_operate_log (org_id, datetime DESC, id DESC);
CREATE INDEX audits_operate_log__datetime ON audits_operate_log (datetime DESC, id DESC);
CREATE INDEX audits_operate_log__object_id__datetime ON audits_operate_log (object_id, datetime DESC)
  WHERE object_id IS NOT NULL;
CREATE INDEX audits_operate_log__sign_in_id__datetime ON audits_operate_log (sign_in_id, datetime DESC)
  WHERE sign_in_id IS NOT NULL;
CREATE INDEX audits_operate_log__search ON audits_operate_log USING gin (resource gin_trgm_ops);

CREATE TABLE audits_ftp_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  "user" text NOT NULL,
  user_id uuid,
  sign_in_id uuid,
  remote_addr text,
  asset text NOT NULL,
  asset_id uuid,
  "system_user" text NOT NULL,
  session_id uuid,
  operate text NOT NULL,
  filename text NOT NULL,
  is_success boolean NOT NULL DEFAULT true,
  date_start timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_ftp_log__org_id__date_start ON audits_ftp_log (org_id, date_start DESC, id DESC);
CREATE INDEX audits_ftp_log__date_start ON audits_ftp_log (date_start DESC, id DESC);
CREATE INDEX audits_ftp_log__sign_in_id__date_start ON audits_ftp_log (sign_in_id, date_start DESC)
  WHERE sign_in_id IS NOT NULL;
CREATE INDEX audits_ftp_log__search
  ON audits_ftp_log USING gin (
    "user" gin_trgm_ops, asset gin_trgm_ops, "system_user" gin_trgm_ops, filename gin_trgm_ops
  );

CREATE TABLE audits_password_change_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  "user" text NOT NULL,
  -- As in audits_login_log.
  user_id uuid,
  org_ids uuid[] NOT NULL DEFAULT '{}',
  change_by text NOT NULL,
  change_by_id uuid,
  sign_in_id uuid,
  remote_addr text,
  datetime timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_password_change_log__datetime ON audits_password_change_log (datetime DESC, id DESC);
CREATE INDEX audits_password_change_log__user ON audits_password_change_log ("user", datetime DESC);

-- ---------------------------------------------------------------- entries
-- Sessions, their events, links and guests, commands, batch commands, tickets and runs of tasks are
-- chained, too. Some of these rows change (a session ends), and an update of a command's row would
-- touch all its indexes; so what is chained are *entries* beside them: a row's content when it was
-- written, and once more when it had come to its end. They are written by the statement that writes
-- the row: neither is stored without the other.
--
--   kind, row_id   what the row is, and which. An outcome on a machine has no id of its own: its
--                  row_id is the MD5 of run and machine.
--   body           the content itself: what was there can still be read after somebody changed it.
--                  Of commands and statements its SHA-256.
--   date           of the row that retention goes by: that of its session, command, ticket or run.
CREATE TABLE audits_session_entry (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  row_id uuid NOT NULL,
  body text NOT NULL,
  date timestamptz NOT NULL,
  chain_number bigint,
  chain_hash bytea
);
CREATE TABLE audits_command_entry (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  row_id uuid NOT NULL,
  body text NOT NULL,
  date timestamptz NOT NULL,
  chain_number bigint,
  chain_hash bytea
);
CREATE TABLE audits_execution_entry (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  row_id uuid NOT NULL,
  body text NOT NULL,
  date timestamptz NOT NULL,
  chain_number bigint,
  chain_hash bytea
);
CREATE TABLE audits_ticket_entry (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  row_id uuid NOT NULL,
  body text NOT NULL,
  date timestamptz NOT NULL,
  chain_number bigint,
  chain_hash bytea
);
CREATE TABLE audits_run_entry (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  kind text NOT NULL,
  row_id uuid NOT NULL,
  body text NOT NULL,
  date timestamptz NOT NULL,
  chain_number bigint,
  chain_hash bytea
);

-- Sessions. The content of their rows, and of rows below, is written by functions of their domains.
CREATE FUNCTION audits_chain_session() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    VALUES ('session', NEW.id, terminal_session_content(NEW), NEW.date_start);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_session FOR EACH ROW EXECUTE FUNCTION audits_chain_session();
-- At its end, and where something is learnt of it later, such as the checksum of its recording. A
-- heartbeat is neither.
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

-- Who was given a link to a session, and who joined by it or tried to. People may be deleted, which
-- empties `creator` and `joiner`; their names stay, and are chained.
CREATE FUNCTION audits_chain_sharing() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    SELECT 'session_sharing', NEW.id, terminal_sharing_content(NEW), s.date_start
    FROM terminal_session s WHERE s.id = NEW.session;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT OR UPDATE OF action_permission, expired_time ON terminal_session_sharing
  FOR EACH ROW EXECUTE FUNCTION audits_chain_sharing();

CREATE FUNCTION audits_chain_join() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_session_entry (kind, row_id, body, date)
    SELECT 'session_join', NEW.id, terminal_join_content(NEW), s.date_start
    FROM terminal_session s WHERE s.id = NEW.session;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_session_join_record
  FOR EACH ROW EXECUTE FUNCTION audits_chain_join();
-- When they have left.
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished, is_success, reason, date_left ON terminal_session_join_record
  FOR EACH ROW WHEN (NEW.is_finished AND (OLD.is_finished, OLD.is_success, OLD.reason, OLD.date_left)
    IS DISTINCT FROM (NEW.is_finished, NEW.is_success, NEW.reason, NEW.date_left))
  EXECUTE FUNCTION audits_chain_join();

-- Commands, and what there is beside them to statements.
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

-- The date of an entry is looked up by its key. Joined, a plan that was made while there were few
-- commands reads all of them for each batch, until they are analyzed.
CREATE FUNCTION audits_chain_statements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    SELECT 'statement', s.command, encode(sha256(convert_to(jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows,
      s.error, s.code, s.database, s.program)::text, 'UTF8')), 'hex'),
      (SELECT to_timestamp(c.timestamp) FROM terminal_command c WHERE c.id = s.command)
    FROM added s;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON terminal_statement REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_statements();

-- Batch commands.
CREATE FUNCTION audits_chain_execution() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    VALUES ('execution', NEW.id, ops_command_execution_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_command_execution
  FOR EACH ROW EXECUTE FUNCTION audits_chain_execution();
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished ON ops_command_execution
  FOR EACH ROW WHEN (NEW.is_finished) EXECUTE FUNCTION audits_chain_execution();

-- What became of a batch command on a machine, once that is known. A run changes many at once.
CREATE FUNCTION audits_chain_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
      (jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
        encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))
      || CASE WHEN h.command IS NULL THEN '[]' ELSE jsonb_build_array(h.command) END
      || jsonb_build_array(jsonb_build_object('ticket', h.ticket, 'milliseconds', h.milliseconds)))::text,
      e.date_created
    FROM changed h JOIN ops_command_execution e ON e.id = h.execution WHERE h.state NOT IN ('waiting', 'held', 'running');
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER UPDATE ON ops_command_execution_host REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_outcomes();

-- Tickets: each amendment and each verdict is an entry. People may be deleted, which empties
-- `applicant` and `user`; their names stay.
CREATE FUNCTION audits_chain_ticket() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_ticket_entry (kind, row_id, body, date)
    VALUES ('ticket', NEW.id, tickets_ticket_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON tickets_ticket FOR EACH ROW EXECUTE FUNCTION audits_chain_ticket();
CREATE TRIGGER audits_chain_change AFTER UPDATE OF state, status, approval_step, process_map, amended ON tickets_ticket
  FOR EACH ROW WHEN ((OLD.state, OLD.status, OLD.approval_step, OLD.process_map, OLD.amended)
    IS DISTINCT FROM (NEW.state, NEW.status, NEW.approval_step, NEW.process_map, NEW.amended))
  EXECUTE FUNCTION audits_chain_ticket();

CREATE FUNCTION audits_chain_comment() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_ticket_entry (kind, row_id, body, date)
    VALUES ('ticket_comment', NEW.id, tickets_comment_content(NEW), NEW.date_created);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON tickets_comment FOR EACH ROW EXECUTE FUNCTION audits_chain_comment();

-- Runs of tasks. A run stores the outcome on many machines at once.
CREATE FUNCTION audits_chain_run() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
BEGIN
  INSERT INTO audits_run_entry (kind, row_id, body, date)
    VALUES ('task_run', NEW.id, ops_adhoc_execution_content(NEW), NEW.date_start);
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_adhoc_execution FOR EACH ROW EXECUTE FUNCTION audits_chain_run();
CREATE TRIGGER audits_chain_end AFTER UPDATE OF is_finished ON ops_adhoc_execution
  FOR EACH ROW WHEN (NEW.is_finished) EXECUTE FUNCTION audits_chain_run();

CREATE FUNCTION audits_chain_run_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_run_entry (kind, row_id, body, date)
    SELECT 'task_outcome', md5(h.execution::text || h.asset)::uuid, ops_adhoc_outcome_content(h), e.date_start
    FROM added h JOIN ops_adhoc_execution e ON e.id = h.execution;
  RETURN NULL;
END $$;
CREATE TRIGGER audits_chain AFTER INSERT ON ops_adhoc_execution_host REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION audits_chain_run_outcomes();

-- ---------------------------------------------------------------- chains
-- One chain per log. The sealing job finds its work by the rows without a number, verification walks
-- by number.
CREATE INDEX audits_login_log__unsealed ON audits_login_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_operate_log__unsealed ON audits_operate_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_ftp_log__unsealed ON audits_ftp_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_password_change_log__unsealed ON audits_password_change_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_session_entry__unsealed ON audits_session_entry (id) WHERE chain_number IS NULL;
CREATE INDEX audits_command_entry__unsealed ON audits_command_entry (id) WHERE chain_number IS NULL;
CREATE INDEX audits_execution_entry__unsealed ON audits_execution_entry (id) WHERE chain_number IS NULL;
CREATE INDEX audits_ticket_entry__unsealed ON audits_ticket_entry (id) WHERE chain_number IS NULL;
CREATE INDEX audits_run_entry__unsealed ON audits_run_entry (id) WHERE chain_number IS NULL;
CREATE UNIQUE INDEX audits_login_log__chain_number__unique ON audits_login_log (chain_number);
CREATE UNIQUE INDEX audits_operate_log__chain_number__unique ON audits_operate_log (chain_number);
CREATE UNIQUE INDEX audits_ftp_log__chain_number__unique ON audits_ftp_log (chain_number);
CREATE UNIQUE INDEX audits_password_change_log__chain_number__unique ON audits_password_change_log (chain_number);
CREATE UNIQUE INDEX audits_session_entry__chain_number__unique ON audits_session_entry (chain_number);
CREATE UNIQUE INDEX audits_command_entry__chain_number__unique ON audits_command_entry (chain_number);
CREATE UNIQUE INDEX audits_execution_entry__chain_number__unique ON audits_execution_entry (chain_number);
CREATE UNIQUE INDEX audits_ticket_entry__chain_number__unique ON audits_ticket_entry (chain_number);
CREATE UNIQUE INDEX audits_run_entry__chain_number__unique ON audits_run_entry (chain_number);

-- Both ends of each chain, sealed under the key outside the database: who can only write to the
-- database cannot forge them.
CREATE TABLE audits_chain (
  log text PRIMARY KEY,
  ends_sealed bytea NOT NULL
);

-- What the chains were at the end of each day, signed (domains/audits/roots.ts).
CREATE TABLE audits_root (
  number bigint PRIMARY KEY,
  body text NOT NULL,
  signature text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE audits_root_key (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  public_key text NOT NULL,
  private_key_sealed bytea NOT NULL
);

-- ---------------------------------------------------------------- forwarding
-- What is to be sent to other systems (docs/operate-siem.md): noted by the statement that makes it, so
-- that neither is stored without the other, and removed once it was delivered. Each system has its own
-- events that wait, and its own figures: one that is away holds up none.
CREATE TABLE audits_outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  target text NOT NULL,
  category text NOT NULL,
  body jsonb NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audits_outbox__target ON audits_outbox (target, number);

-- Whether there is such a system, and how that goes.
CREATE TABLE audits_forwarding (
  target text PRIMARY KEY CHECK (target IN ('syslog', 'webhook')),
  is_on boolean NOT NULL DEFAULT false,
  sent bigint NOT NULL DEFAULT 0,
  dropped bigint NOT NULL DEFAULT 0,
  date_sent timestamptz,
  date_failed timestamptz,
  error text NOT NULL DEFAULT ''
);
INSERT INTO audits_forwarding (target) VALUES ('syslog'), ('webhook');

CREATE FUNCTION audits_note_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM audits_forwarding WHERE is_on) THEN
    INSERT INTO audits_outbox (target, category, body)
      SELECT f.target, TG_ARGV[0], to_jsonb(added) FROM added CROSS JOIN audits_forwarding f WHERE f.is_on;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION audits_note_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_outbox (target, category, body)
    SELECT f.target, TG_ARGV[0], to_jsonb(NEW) FROM audits_forwarding f WHERE f.is_on;
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
