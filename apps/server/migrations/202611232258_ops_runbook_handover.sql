-- Files that steps of runbooks put on machines: sealed, since nobody knows what is in them.
CREATE TABLE ops_runbook_file (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  name text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL,
  content_sealed bytea NOT NULL,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ops_runbook_file__date_created ON ops_runbook_file (date_created);

-- What a run hands to its machines besides the text: which files, and secrets of which accounts, never themselves.
ALTER TABLE ops_command_execution ADD COLUMN handed jsonb;

ALTER TABLE kernel_secret_look DROP CONSTRAINT kernel_secret_look_how_check;
ALTER TABLE kernel_secret_look ADD CONSTRAINT kernel_secret_look_how_check CHECK (how IN ('component', 'reveal', 'export', 'run'));
