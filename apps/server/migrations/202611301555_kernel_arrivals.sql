-- Rows that an import from another product brought (kernel/arrivals/). An import can be repeated: by
-- this it knows what it has stored, and what people have changed here since. An installation without
-- an import has no row here.
CREATE TABLE kernel_arrival (
  -- the product, such as jumpserver
  source text NOT NULL,
  kind text NOT NULL,
  -- the row's id there; a pair has both ids
  key text NOT NULL,
  -- the row's id here
  id text NOT NULL,
  -- keyed hash of the values as they came, secrets included
  digest bytea NOT NULL,
  -- hash of the row's columns as they were stored; NULL: the row was here before and was left as it is
  stored text,
  -- the run that saw the row there last
  run uuid NOT NULL,
  date_arrived timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, kind, key)
);
CREATE INDEX kernel_arrival__id ON kernel_arrival (id);
