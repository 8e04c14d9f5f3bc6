-- A client that sends several messages as its token expires renews it several times at once. For some
-- seconds the refresh token before answers what it has answered already: the new tokens follow from it
-- and this seed.
ALTER TABLE authentication_agent_grant ADD COLUMN previous_hash bytea, ADD COLUMN seed bytea,
  ADD COLUMN date_renewed timestamptz;
