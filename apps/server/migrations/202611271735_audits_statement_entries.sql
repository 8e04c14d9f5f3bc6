-- The date of a statement's entry is looked up by its key. Joined, a plan that was made while there were few commands
-- reads all of them for each batch, until they are analysed.
CREATE OR REPLACE FUNCTION audits_chain_statements() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_command_entry (kind, row_id, body, date)
    SELECT 'statement', s.command, encode(sha256(convert_to(jsonb_build_array(s.command, s.text, s.bytes, s.sha256, s.rows,
      s.error, s.code, s.database, s.program)::text, 'UTF8')), 'hex'),
      (SELECT to_timestamp(c.timestamp) FROM terminal_command c WHERE c.id = s.command)
    FROM added s;
  RETURN NULL;
END $$;
