-- What there is to a statement of a database session beyond its row among the commands, whose text
-- is cut.
CREATE TABLE terminal_statement (
  command uuid PRIMARY KEY REFERENCES terminal_command (id) ON DELETE CASCADE,
  text text NOT NULL,
  bytes bigint NOT NULL,
  sha256 text NOT NULL DEFAULT '',
  milliseconds double precision,
  rows bigint,
  error text,
  code text,
  database text NOT NULL DEFAULT '',
  program text NOT NULL DEFAULT ''
);
CREATE INDEX terminal_statement__text ON terminal_statement USING gin (text gin_trgm_ops);
