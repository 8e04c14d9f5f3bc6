-- Where a key may be used from, and when it last was.
ALTER TABLE authentication_access_key
  ADD COLUMN ip_group text[] NOT NULL DEFAULT '{*}',
  ADD COLUMN date_last_used timestamptz;

-- Signatures of requests that were let in, for as long as their date would still count: a copy of one is refused. Lost in a crash, which is no harm:
-- after the quarter of an hour that follows, their dates are stale anyway.
CREATE UNLOGGED TABLE authentication_used_signature (
  signature_hash bytea PRIMARY KEY,
  remote_addr text NOT NULL,
  date_first timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_used_signature__date_expired ON authentication_used_signature (date_expired);
