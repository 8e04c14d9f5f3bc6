-- Imports that the server carries out by itself (kernel/resource/import-job/), kept for a day.
CREATE TABLE kernel_import_job (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL,
  org_id uuid NOT NULL,
  resource text NOT NULL,
  -- create or update
  mode text NOT NULL,
  -- The caller and the route's parameters, as they were when the import was sent.
  call jsonb NOT NULL,
  parameters jsonb NOT NULL,
  -- The rows, which may hold passwords; gone as soon as the import ends.
  rows_sealed bytea,
  -- waiting, running, done, stopped, interrupted
  status text NOT NULL DEFAULT 'waiting',
  total integer NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  -- When its worker was last heard of.
  date_updated timestamptz NOT NULL DEFAULT now(),
  -- No further result comes after this.
  date_finished timestamptz
);
CREATE INDEX kernel_import_job__user_id ON kernel_import_job (user_id) WHERE date_finished IS NULL;
CREATE INDEX kernel_import_job__date_created ON kernel_import_job (date_created);

CREATE TABLE kernel_import_result (
  job uuid NOT NULL REFERENCES kernel_import_job (id) ON DELETE CASCADE,
  -- Place among the rows that were sent, from 0.
  index integer NOT NULL,
  -- The body of the refusal as JSON; NULL when the row was stored. Text: its escapes may name characters that jsonb refuses.
  errors text,
  PRIMARY KEY (job, index)
);
