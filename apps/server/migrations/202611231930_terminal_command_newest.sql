-- Pages and counts of commands from an index alone, however many there are: of an organisation, newest first; and of
-- dangerous ones, which are few and far between, so that each was a page of the table to read.
-- A table that is large gets them while people work (domains/terminal/commands/late-indexes.ts): made here, nobody could
-- store a command meanwhile.
DO $$
BEGIN
  IF pg_relation_size('terminal_command') > 64 * 1024 * 1024 THEN
    RETURN;
  END IF;
  CREATE INDEX terminal_command__newest ON terminal_command (org_id, timestamp DESC, id DESC) WHERE due IS NULL;
  CREATE INDEX terminal_command__risky ON terminal_command (timestamp DESC, id DESC)
    INCLUDE (org_id, "user", asset, "system_user", input, session, risk_level, ticket, due) WHERE risk_level = 5;
  DROP INDEX terminal_command__org_id__timestamp, terminal_command__dangerous;
END $$;
-- Such an index answers alone for pages that vacuum has seen; by default that waits for a fifth of all rows to be new.
ALTER TABLE terminal_command SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000);
