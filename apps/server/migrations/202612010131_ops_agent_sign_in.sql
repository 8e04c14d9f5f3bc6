-- The sign-in by which an agent began a batch command, which ends with it: its kind, and its hash in hex
-- or its id. NULL for all others.
ALTER TABLE ops_command_execution ADD COLUMN sign_in_source text, ADD COLUMN sign_in_key text;
