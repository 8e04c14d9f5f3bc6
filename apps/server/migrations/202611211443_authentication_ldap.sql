-- People as the LDAP directory last listed them, for the import dialog; one row at most, shared by all nodes.
CREATE TABLE authentication_ldap_list (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  state text NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  error text NOT NULL DEFAULT '',
  people jsonb NOT NULL DEFAULT '[]',
  date_started timestamptz NOT NULL DEFAULT now()
);

-- When the periodic import is due, and the times in the settings that this follows from.
CREATE TABLE authentication_ldap_plan (
  "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
  plan text NOT NULL,
  date_due timestamptz NOT NULL
);
