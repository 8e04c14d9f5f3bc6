-- SHA-256 of a session's recording as text: what its file must still say. NULL until it is known.
ALTER TABLE terminal_session ADD COLUMN replay_sha256 text;
