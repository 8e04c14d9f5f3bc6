-- What a recording's file ends in says of what kind it is; null where nobody has looked yet. A log
-- of statements cannot be played, only downloaded.
ALTER TABLE terminal_session ADD COLUMN replay_suffix text;
