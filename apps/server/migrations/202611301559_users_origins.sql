-- Further SAML 2 providers, CAS servers and RADIUS servers make people as directories and OpenID providers do.
ALTER TABLE users_directory DROP CONSTRAINT users_directory_source_check,
  ADD CONSTRAINT users_directory_source_check CHECK (source IN ('ldap', 'openid', 'saml2', 'cas', 'radius'));
