-- Whether a token to set a new password was made by a sign-in, whose password was right: its person is signed in with the new one.
ALTER TABLE authentication_reset_token ADD COLUMN is_sign_in boolean NOT NULL DEFAULT false;
