-- Keys of the TLS certificates that servers of targets have shown, as assets_host_key has those of SSH.
CREATE TABLE assets_server_key (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL,
  target uuid NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  fingerprint text NOT NULL,
  state text NOT NULL CHECK (state IN ('pinned', 'refused')),
  accepted_by text,
  date_accepted timestamptz,
  date_first_seen timestamptz NOT NULL DEFAULT now(),
  date_last_seen timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX assets_server_key__target__unique ON assets_server_key (target, host, port, fingerprint);
