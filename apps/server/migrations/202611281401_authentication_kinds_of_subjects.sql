-- A persistent name of a SAML 2 provider and a user name are apart, even where they read the same: whoever got `vic` as a persistent name was taken for the person of the user name `vic`.
ALTER TABLE authentication_outside_account ADD COLUMN kind text NOT NULL DEFAULT 'subject' CHECK (kind IN ('subject', 'username'));
-- Of those who were known before, who is known by their user name.
UPDATE authentication_outside_account a SET kind = 'username'
  FROM users_user u WHERE u.id = a.user_id AND a.source = 'saml2' AND a.subject = u.username;
ALTER TABLE authentication_outside_account DROP CONSTRAINT authentication_outside_account_pkey,
  ADD PRIMARY KEY (source, issuer, kind, subject);
