-- What machines write while a batch command runs there, for whoever looks on; gone once the run is over.
CREATE TABLE ops_command_output (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  execution uuid NOT NULL REFERENCES ops_command_execution (id) ON DELETE CASCADE,
  asset uuid NOT NULL,
  stream text NOT NULL CHECK (stream IN ('stdout', 'stderr')),
  data text NOT NULL
);
CREATE INDEX ops_command_output__execution ON ops_command_output (execution, id);
