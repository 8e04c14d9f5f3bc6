-- Recordings that are moved from one storage to another by a background task.
CREATE TABLE terminal_recording_move (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  source uuid NOT NULL REFERENCES terminal_replay_storage (id) ON DELETE CASCADE,
  target uuid NOT NULL REFERENCES terminal_replay_storage (id) ON DELETE CASCADE,
  -- Sessions that began in this time; null without a limit.
  date_from timestamptz,
  date_to timestamptz,
  rate_limit integer NOT NULL DEFAULT 20,
  -- The background task that carries it out now, or did last.
  task uuid NOT NULL DEFAULT gen_random_uuid(),
  amount integer NOT NULL DEFAULT 0,
  moved integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  -- Why it ended before its end; null while it runs, and once all was tried.
  reason text,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_finished timestamptz
);
CREATE INDEX terminal_recording_move__source ON terminal_recording_move (source);
CREATE INDEX terminal_recording_move__target ON terminal_recording_move (target);
CREATE INDEX terminal_recording_move__task ON terminal_recording_move (task);

-- What is left to do of a move, by session: a row goes once nothing is.
CREATE TABLE terminal_recording_move_item (
  move uuid NOT NULL REFERENCES terminal_recording_move (id) ON DELETE CASCADE,
  session uuid NOT NULL REFERENCES terminal_session (id) ON DELETE CASCADE,
  -- waiting; moved, while the source still has it; failed, and why.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'moved', 'failed')),
  reason text,
  date_moved timestamptz,
  PRIMARY KEY (move, session)
);
CREATE INDEX terminal_recording_move_item__session ON terminal_recording_move_item (session);
CREATE INDEX terminal_recording_move_item__state ON terminal_recording_move_item (move, state, session);
