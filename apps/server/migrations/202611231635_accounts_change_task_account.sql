-- The changes of an account, for the time line of its life.
CREATE INDEX accounts_change_task__account ON accounts_change_task (account, date_start) WHERE account IS NOT NULL;
