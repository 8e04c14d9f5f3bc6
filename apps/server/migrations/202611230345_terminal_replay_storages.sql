-- Recordings may be stored outside: where such a storage is, with its keys sealed one by one, by the shape of its type.
ALTER TABLE terminal_replay_storage ADD COLUMN meta jsonb NOT NULL DEFAULT '{}';
CREATE UNIQUE INDEX terminal_replay_storage__is_default__unique ON terminal_replay_storage (is_default) WHERE is_default;

-- Where a recording is, when not with the server; and where it is still to be brought.
ALTER TABLE terminal_session ADD COLUMN replay_storage uuid REFERENCES terminal_replay_storage (id);
ALTER TABLE terminal_session ADD COLUMN replay_due uuid REFERENCES terminal_replay_storage (id);
CREATE INDEX terminal_session__replay_storage ON terminal_session (replay_storage) WHERE replay_storage IS NOT NULL;
CREATE INDEX terminal_session__replay_due ON terminal_session (replay_due, terminal) WHERE replay_due IS NOT NULL;
