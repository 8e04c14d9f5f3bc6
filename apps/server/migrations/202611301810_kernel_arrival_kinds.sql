-- The kinds of rows that an import brought, and where they are: by this an import can be taken back
-- whole (kernel/arrivals/take-back.ts).
CREATE TABLE kernel_arrival_kind (
  source text NOT NULL,
  kind text NOT NULL,
  table_name text NOT NULL,
  -- row: by its id; part: columns of a row of another kind; pair: by its columns
  form text NOT NULL CHECK (form IN ('row', 'part', 'pair')),
  -- the column of the id; pairs have none
  id_column text,
  -- those whose hash is kernel_arrival.stored, in that order; of a pair those that make it
  columns text[] NOT NULL,
  -- a part that is written without people, as a password by a sign-in
  changes_by_itself boolean NOT NULL DEFAULT false,
  PRIMARY KEY (source, kind)
);
