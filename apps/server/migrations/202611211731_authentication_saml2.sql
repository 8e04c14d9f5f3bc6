-- Assertions that were taken: each counts once on all nodes. Until the browser has fetched it, a row also holds what the provider said.
CREATE TABLE authentication_saml2_assertion (
  assertion_hash bytea PRIMARY KEY,
  code_hash bytea NOT NULL,
  proof_sealed bytea,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_saml2_assertion__code_hash__unique ON authentication_saml2_assertion (code_hash);
CREATE INDEX authentication_saml2_assertion__date_expired ON authentication_saml2_assertion (date_expired);
