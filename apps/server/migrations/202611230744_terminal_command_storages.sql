-- Commands may be stored outside: where such a storage is, with its password sealed by itself.
ALTER TABLE terminal_command_storage ADD COLUMN meta jsonb NOT NULL DEFAULT '{}';
CREATE UNIQUE INDEX terminal_command_storage__is_default__unique ON terminal_command_storage (is_default) WHERE is_default;

-- The storage that a command is still to be brought to; it is with the server until then.
ALTER TABLE terminal_command ADD COLUMN due uuid REFERENCES terminal_command_storage (id);
CREATE INDEX terminal_command__due ON terminal_command (due, timestamp) WHERE due IS NOT NULL;
