-- Commands and statements from before they were chained: by and by, in the order of their time, while the server works
-- (domains/audits/backlog.ts). One row while any are left: those after the one place, up to the other.
CREATE TABLE audits_backlog (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  after_time bigint NOT NULL DEFAULT -1,
  after_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  last_time bigint NOT NULL,
  last_id uuid NOT NULL
);
-- None where the oldest is chained already.
INSERT INTO audits_backlog (last_time, last_id)
  SELECT timestamp, id FROM terminal_command
  WHERE NOT EXISTS (SELECT FROM audits_command_entry WHERE row_id =
    (SELECT id FROM terminal_command ORDER BY timestamp, id LIMIT 1))
  ORDER BY timestamp DESC, id DESC LIMIT 1;

-- Chains the next so many; answers how many there were. What was written since then and lies between the two places is
-- chained twice, with the same content, which says the same.
CREATE FUNCTION audits_chain_backlog(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  b audits_backlog;
  done record;
BEGIN
  SELECT * INTO b FROM audits_backlog FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT * FROM terminal_command c
    WHERE (c.timestamp, c.id) > (b.after_time, b.after_id) AND (c.timestamp, c.id) <= (b.last_time, b.last_id)
    ORDER BY c.timestamp, c.id LIMIT most),
  commands AS (
    INSERT INTO audits_command_entry (kind, row_id, body, date)
      SELECT 'command', c.id, encode(sha256(convert_to(jsonb_build_array(c.id, c.org_id, c."user", c.asset, c.system_user,
        c.input, c.output, c.session, c.risk_level, c.rule, c.rule_filter, c.ticket, c.timestamp)::text, 'UTF8')), 'hex'),
        to_timestamp(c.timestamp)
      FROM batch c ORDER BY c.timestamp, c.id),
  statements AS (
    INSERT INTO audits_command_entry (kind, row_id, body, date)
      SELECT 'statement', s.command, encode(sha256(convert_to(jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows,
        s.error, s.code, s.database, s.program)::text, 'UTF8')), 'hex'), to_timestamp(c.timestamp)
      FROM batch c JOIN terminal_statement s ON s.command = c.id ORDER BY c.timestamp, c.id)
  SELECT count(*)::integer AS count, (array_agg(id ORDER BY timestamp DESC, id DESC))[1] AS id, max(timestamp) AS timestamp
    INTO done FROM batch;
  IF done.count < most THEN
    DELETE FROM audits_backlog;
  ELSE
    UPDATE audits_backlog SET after_time = done.timestamp, after_id = done.id;
  END IF;
  RETURN done.count;
END $$;
