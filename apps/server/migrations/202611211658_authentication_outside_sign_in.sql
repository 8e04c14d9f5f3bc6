-- Who of a provider is who here, for OpenID, CAS and SAML 2 alike.
ALTER TABLE authentication_openid_account RENAME TO authentication_outside_account;
ALTER TABLE authentication_outside_account ADD COLUMN source text NOT NULL DEFAULT 'openid';
ALTER TABLE authentication_outside_account ALTER COLUMN source DROP DEFAULT;
ALTER TABLE authentication_outside_account DROP CONSTRAINT authentication_openid_account_pkey;
ALTER TABLE authentication_outside_account ADD PRIMARY KEY (source, issuer, subject);
ALTER TABLE authentication_outside_account RENAME CONSTRAINT authentication_openid_account_user_id_fkey TO authentication_outside_account_user_id_fkey;
ALTER INDEX authentication_openid_account__user_id__unique RENAME TO authentication_outside_account__user_id__unique;

-- An administrator who gives somebody another source unties them, and may tie them anew by giving the old one back.
DROP TRIGGER untie_openid ON users_user;
DROP FUNCTION authentication_openid_account_untie();
CREATE FUNCTION authentication_outside_account_untie() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM authentication_outside_account WHERE user_id = NEW.id AND source <> NEW.source;
  RETURN NULL;
END $$;
CREATE TRIGGER untie_outside_account AFTER UPDATE OF source ON users_user FOR EACH ROW
  WHEN (OLD.source <> NEW.source) EXECUTE FUNCTION authentication_outside_account_untie();

-- Providers end sessions by names of their own.
CREATE INDEX authentication_session__outside_keys ON authentication_session USING gin ((state #> '{outside,keys}')) WHERE state ? 'outside';

-- Messages between two pages; whoever knows the code may read one, so they hold nothing about anybody.
CREATE TABLE authentication_flash_message (
  code_hash bytea PRIMARY KEY,
  message jsonb NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_flash_message__date_expired ON authentication_flash_message (date_expired);
