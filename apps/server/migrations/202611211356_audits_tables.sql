-- What people did: logins, changes, files moved, passwords changed (contract/audits.yaml).
-- chain_number and chain_hash are filled in by the sealing job (domains/audits/chain.ts); until then a row is not yet sealed.

CREATE TABLE audits_login_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  username text NOT NULL,
  type text NOT NULL DEFAULT 'W' CHECK (type IN ('W', 'T', 'U')),
  ip text NOT NULL,
  city text,
  user_agent text,
  mfa integer NOT NULL DEFAULT 2 CHECK (mfa IN (0, 1, 2)),
  reason text NOT NULL DEFAULT '',
  backend text NOT NULL DEFAULT '',
  status boolean NOT NULL DEFAULT true,
  datetime timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_login_log__datetime ON audits_login_log (datetime DESC, username, id DESC);
CREATE INDEX audits_login_log__username ON audits_login_log (username, datetime DESC);
CREATE INDEX audits_login_log__search ON audits_login_log USING gin (username gin_trgm_ops, ip gin_trgm_ops, city gin_trgm_ops);

CREATE TABLE audits_operate_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  "user" text NOT NULL,
  action text NOT NULL CHECK (action IN ('create', 'update', 'delete')),
  resource_type text NOT NULL,
  resource text NOT NULL,
  remote_addr text,
  datetime timestamptz NOT NULL DEFAULT now(),
  org_id uuid NOT NULL,
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_operate_log__org_id__datetime ON audits_operate_log (org_id, datetime DESC, id DESC);
CREATE INDEX audits_operate_log__datetime ON audits_operate_log (datetime DESC, id DESC);
CREATE INDEX audits_operate_log__search ON audits_operate_log USING gin (resource gin_trgm_ops);

CREATE TABLE audits_ftp_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  "user" text NOT NULL,
  remote_addr text,
  asset text NOT NULL,
  "system_user" text NOT NULL,
  org_id uuid NOT NULL,
  operate text NOT NULL,
  filename text NOT NULL,
  is_success boolean NOT NULL DEFAULT true,
  date_start timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_ftp_log__org_id__date_start ON audits_ftp_log (org_id, date_start DESC, id DESC);
CREATE INDEX audits_ftp_log__date_start ON audits_ftp_log (date_start DESC, id DESC);
CREATE INDEX audits_ftp_log__search ON audits_ftp_log USING gin ("user" gin_trgm_ops, asset gin_trgm_ops, "system_user" gin_trgm_ops, filename gin_trgm_ops);

CREATE TABLE audits_password_change_log (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  "user" text NOT NULL,
  change_by text NOT NULL,
  remote_addr text,
  datetime timestamptz NOT NULL DEFAULT now(),
  chain_number bigint,
  chain_hash bytea
);
CREATE INDEX audits_password_change_log__datetime ON audits_password_change_log (datetime DESC, id DESC);
CREATE INDEX audits_password_change_log__user ON audits_password_change_log ("user", datetime DESC);

-- One chain per log. The sealing job finds its work by the rows without a number, verification walks by number.
CREATE INDEX audits_login_log__unsealed ON audits_login_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_operate_log__unsealed ON audits_operate_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_ftp_log__unsealed ON audits_ftp_log (id) WHERE chain_number IS NULL;
CREATE INDEX audits_password_change_log__unsealed ON audits_password_change_log (id) WHERE chain_number IS NULL;
CREATE UNIQUE INDEX audits_login_log__chain_number__unique ON audits_login_log (chain_number);
CREATE UNIQUE INDEX audits_operate_log__chain_number__unique ON audits_operate_log (chain_number);
CREATE UNIQUE INDEX audits_ftp_log__chain_number__unique ON audits_ftp_log (chain_number);
CREATE UNIQUE INDEX audits_password_change_log__chain_number__unique ON audits_password_change_log (chain_number);

-- Both ends of each chain, sealed under the key outside the database: who can only write to the database cannot forge them.
CREATE TABLE audits_chain (
  log text PRIMARY KEY,
  ends_sealed bytea NOT NULL
);
