-- A refused sign-in stays readable until it expires; the login log has it once.
ALTER TABLE authentication_browser_sign_in ADD COLUMN refusal_logged boolean NOT NULL DEFAULT false;
