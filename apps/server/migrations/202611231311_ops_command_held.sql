-- On machines whose rules want a batch command confirmed, it waits for others to decide on a ticket.
ALTER TABLE ops_command_execution_host ADD COLUMN ticket uuid;
ALTER TABLE ops_command_execution_host DROP CONSTRAINT ops_command_execution_host_state_check;
ALTER TABLE ops_command_execution_host ADD CONSTRAINT ops_command_execution_host_state_check
  CHECK (state IN ('waiting', 'held', 'running', 'success', 'failed', 'skipped'));

-- Of these, too, nothing is known yet that could be chained.
CREATE OR REPLACE FUNCTION audits_chain_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
      jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
        encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))::text,
      e.date_created
    FROM changed h JOIN ops_command_execution e ON e.id = h.execution WHERE h.state NOT IN ('waiting', 'held', 'running');
  RETURN NULL;
END $$;
