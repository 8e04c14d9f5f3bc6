-- Certificates of authorities that speak ACME (kernel/tls/acme/), shared by the nodes: one of them
-- asks, all of them serve it.
CREATE TABLE kernel_acme (
  -- Address of the authority's directory.
  directory text PRIMARY KEY,
  account_key_sealed bytea NOT NULL,
  -- With its chain, PEM; none before the first.
  certificate text,
  certificate_key_sealed bytea,
  -- How the names were proven the last time: http-01 or tls-alpn-01.
  proof text,
  date_tried timestamptz,
  -- The names that were asked for then, and why it came to nothing; empty where it did not.
  domains text[] NOT NULL DEFAULT '{}',
  error text NOT NULL DEFAULT ''
);

-- What an authority is looking for at this moment; it may ask any node. Nothing of it is secret.
CREATE TABLE kernel_acme_challenge (
  kind text NOT NULL,
  domain text NOT NULL,
  token text NOT NULL,
  answer text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, domain, token)
);
