-- Who of a provider is who here: a person is known by issuer and subject, never by a name or an address alone, which providers give anew.
CREATE TABLE authentication_openid_account (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  date_created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX authentication_openid_account__user_id__unique ON authentication_openid_account (user_id);

-- An administrator who gives somebody another source unties them, and may tie them anew by giving the old one back.
CREATE FUNCTION authentication_openid_account_untie() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM authentication_openid_account WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER untie_openid AFTER UPDATE OF source ON users_user FOR EACH ROW
  WHEN (OLD.source = 'openid' AND NEW.source <> 'openid') EXECUTE FUNCTION authentication_openid_account_untie();
