-- How the steps of a task's version switch the user: `{"method", "user", "pass"}`, sealed (contract/ops.yaml `adhoc` become).
ALTER TABLE ops_adhoc ADD COLUMN become_sealed bytea;
