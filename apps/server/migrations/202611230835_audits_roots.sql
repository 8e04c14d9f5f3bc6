-- Secrets that were handed out are chained as the other logs are (domains/audits/chain.ts).
ALTER TABLE kernel_secret_look ADD COLUMN chain_number bigint;
ALTER TABLE kernel_secret_look ADD COLUMN chain_hash bytea;
CREATE INDEX kernel_secret_look__unsealed ON kernel_secret_look (id) WHERE chain_number IS NULL;
CREATE UNIQUE INDEX kernel_secret_look__chain_number__unique ON kernel_secret_look (chain_number);

-- What the chains were at the end of each day, signed (domains/audits/roots.ts).
CREATE TABLE audits_root (
  number bigint PRIMARY KEY,
  body text NOT NULL,
  signature text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE audits_root_key (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  public_key text NOT NULL,
  private_key_sealed bytea NOT NULL
);
