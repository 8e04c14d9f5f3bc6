-- Commands that are stored together are chained together: a flood of statements had an entry for each
-- command and each statement, twice written (chained later), and took more time for them than for all
-- else. An entry of several has a line of each row in its body: id, Unix seconds, SHA-256. Its own date
-- is that of the newest: retention removes it once it has removed them all. Entries of one row stay as
-- they were.
CREATE OR REPLACE FUNCTION audits_chain_commands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    WITH said AS (
      SELECT c.id, c.timestamp, encode(sha256(convert_to(jsonb_build_array(c.id, c.org_id, c."user", c.asset, c.system_user,
        c.input, c.output, c.session, c.risk_level, c.rule, c.rule_filter, c.ticket, c.timestamp)::text, 'UTF8')), 'hex') AS body
      FROM added c)
    SELECT CASE count(*) WHEN 1 THEN 'command' ELSE 'commands' END, (array_agg(said.id))[1],
      CASE count(*) WHEN 1 THEN min(said.body)
        ELSE string_agg(said.id || ' ' || said.timestamp || ' ' || said.body, E'\n') END,
      to_timestamp(max(said.timestamp))
    FROM said HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION audits_chain_statements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    WITH said AS (
      SELECT s.command AS id, (SELECT c.timestamp FROM terminal_command c WHERE c.id = s.command) AS timestamp,
        encode(sha256(convert_to(jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows, s.error, s.code, s.database,
          s.program)::text, 'UTF8')), 'hex') AS body
      FROM added s)
    SELECT CASE count(*) WHEN 1 THEN 'statement' ELSE 'statements' END, (array_agg(said.id))[1],
      CASE count(*) WHEN 1 THEN min(said.body)
        ELSE string_agg(said.id || ' ' || said.timestamp || ' ' || said.body, E'\n') END,
      to_timestamp(max(said.timestamp))
    FROM said HAVING count(*) > 0;
  RETURN NULL;
END $$;
-- Sums do not become smaller by packing them.
ALTER TABLE audits_command_entry ALTER COLUMN body SET STORAGE EXTERNAL;
