-- Workloads of build servers and clusters: a token of their provider is exchanged for a short one here
-- (domains/authentication/service-identities/workload/).

CREATE TABLE authentication_trust_rule (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  name text NOT NULL,
  issuer text NOT NULL,
  audience text NOT NULL,
  -- [{claim, value}], of which all must fit.
  claims jsonb NOT NULL,
  is_reusable boolean NOT NULL DEFAULT false,
  -- Public keys, as JSON; empty: they are fetched.
  keys text NOT NULL DEFAULT '',
  ca_certificate text NOT NULL DEFAULT '',
  is_active boolean NOT NULL DEFAULT true,
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_trust_rule__identity__name__unique ON authentication_trust_rule (identity, name);
CREATE INDEX authentication_trust_rule__org_id ON authentication_trust_rule (org_id);
CALL kernel_guard_organization('authentication_trust_rule', 'identity', 'authentication_service_identity');
CALL kernel_keep_for_undo('authentication_trust_rule');

CREATE TABLE authentication_workload_token (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  identity uuid NOT NULL REFERENCES authentication_service_identity (id) ON DELETE CASCADE,
  rule uuid NOT NULL REFERENCES authentication_trust_rule (id) ON DELETE CASCADE,
  -- SHA-256
  token_hash bytea NOT NULL,
  -- The claim `sub`: on whose behalf it acts.
  subject text NOT NULL,
  remote_addr text NOT NULL,
  date_last_used timestamptz,
  date_expired timestamptz NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX authentication_workload_token__token_hash__unique ON authentication_workload_token (token_hash);
CREATE INDEX authentication_workload_token__identity ON authentication_workload_token (identity);
CREATE INDEX authentication_workload_token__rule ON authentication_workload_token (rule);
CREATE INDEX authentication_workload_token__org_id ON authentication_workload_token (org_id);
CREATE INDEX authentication_workload_token__date_expired ON authentication_workload_token (date_expired);
CALL kernel_guard_organization('authentication_workload_token', 'identity', 'authentication_service_identity');
CALL kernel_guard_organization('authentication_workload_token', 'rule', 'authentication_trust_rule');

-- Tokens of providers that were exchanged: each counts once on all nodes, by issuer and `jti`.
CREATE TABLE authentication_used_workload_token (
  token_hash bytea PRIMARY KEY,
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_used_workload_token__date_expired ON authentication_used_workload_token (date_expired);

ALTER TABLE authentication_connection_token ADD COLUMN on_behalf_of text;
