-- Secrets that left Sallyport in clear, to a component, a person or a file: who got which, when and why. They are kept as long as the log of operations.
CREATE TABLE kernel_secret_look (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  how text NOT NULL CHECK (how IN ('component', 'reveal', 'export')),
  reason text NOT NULL,
  owner_kind text NOT NULL,
  owner_id uuid NOT NULL,
  owner text NOT NULL,
  org_id uuid NOT NULL,
  user_id uuid,
  "user" text NOT NULL,
  remote_addr text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX kernel_secret_look__owner ON kernel_secret_look (owner_kind, owner_id, date_created);
CREATE INDEX kernel_secret_look__date_created ON kernel_secret_look (date_created);
