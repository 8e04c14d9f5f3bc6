-- Selections of rows kept for a few minutes (kernel/resource/selection.ts). Unlogged: losing them in a crash costs a click.
CREATE UNLOGGED TABLE kernel_selection (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  resources text[] NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE INDEX kernel_selection__date_expired ON kernel_selection (date_expired);
