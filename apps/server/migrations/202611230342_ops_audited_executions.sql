-- What audits ask of batch commands: when one began, and the machines of all runs as a list of their own.
ALTER TABLE ops_command_execution ADD COLUMN date_start timestamptz;
UPDATE ops_command_execution e SET date_start = coalesce((SELECT t.date_started FROM ops_background_task t WHERE t.id = e.id), date_created) WHERE is_finished;

ALTER TABLE ops_command_execution_host ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX ops_command_execution_host__id__unique ON ops_command_execution_host (id);
CREATE INDEX ops_command_execution_host__asset ON ops_command_execution_host (asset);
