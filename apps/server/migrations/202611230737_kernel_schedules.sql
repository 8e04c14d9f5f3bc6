-- What comes by the clock: whether it does, and when it did last. Which schedules there are is in
-- the code.
CREATE TABLE kernel_schedule (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  last_run_at timestamptz,
  total_run_count bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX kernel_schedule__name__unique ON kernel_schedule (name);
