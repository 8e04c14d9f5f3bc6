-- Runs of steps: commands by name with variables, shared in the organisation.
CREATE TABLE ops_runbook (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  steps jsonb NOT NULL,
  variables jsonb NOT NULL DEFAULT '[]',
  comment text NOT NULL DEFAULT '',
  version integer NOT NULL DEFAULT 0,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX ops_runbook__org_id__name__unique ON ops_runbook (org_id, name);

-- The newest versions, the current one among them.
CREATE TABLE ops_runbook_version (
  runbook uuid NOT NULL REFERENCES ops_runbook (id) ON DELETE CASCADE,
  version integer NOT NULL,
  steps jsonb NOT NULL,
  variables jsonb NOT NULL,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (runbook, version)
);

ALTER TABLE ops_command_execution ADD COLUMN runbook uuid REFERENCES ops_runbook (id) ON DELETE SET NULL;
ALTER TABLE ops_command_execution ADD COLUMN runbook_display text NOT NULL DEFAULT '';
CREATE INDEX ops_command_execution__runbook ON ops_command_execution (runbook, date_created DESC) WHERE runbook IS NOT NULL;
CALL kernel_guard_organization('ops_command_execution', 'runbook', 'ops_runbook');

-- What runs on this machine, where it differs by machine.
ALTER TABLE ops_command_execution_host ADD COLUMN command text;

-- It is part of the proof of what was done there.
CREATE OR REPLACE FUNCTION audits_chain_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audits_execution_entry (kind, row_id, body, date)
    SELECT 'outcome', md5(h.execution::text || h.asset)::uuid,
      (jsonb_build_array(h.execution, h.asset, h.name, h.state, h.code, h.is_cut, h.error,
        encode(sha256(convert_to(h.stdout, 'UTF8')), 'hex'), encode(sha256(convert_to(h.stderr, 'UTF8')), 'hex'))
      || CASE WHEN h.command IS NULL THEN '[]' ELSE jsonb_build_array(h.command) END)::text,
      e.date_created
    FROM changed h JOIN ops_command_execution e ON e.id = h.execution WHERE h.state NOT IN ('waiting', 'held', 'running');
  RETURN NULL;
END $$;
