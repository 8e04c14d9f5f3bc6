-- A connection token starts one session, from the address that it was made for (contract/authentication.yaml).
ALTER TABLE authentication_connection_token
  ADD COLUMN remote_addr text,
  ADD COLUMN date_used timestamptz;
