-- What the person was signed in with as the session began; unknown of earlier ones.
ALTER TABLE terminal_session ADD COLUMN sign_in_id uuid;
CREATE INDEX terminal_session__sign_in_id ON terminal_session (sign_in_id) WHERE sign_in_id IS NOT NULL;
