-- Accounts sealed for people who open them together while Sallyport is not there.
CREATE TABLE accounts_break_glass (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  org_id uuid NOT NULL REFERENCES orgs_organization (id),
  name text NOT NULL,
  -- Empty: accounts of every name.
  usernames text[] NOT NULL DEFAULT '{}',
  threshold integer NOT NULL DEFAULT 2 CHECK (threshold >= 2),
  state text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'sealed', 'opened')),
  date_sent timestamptz,
  date_opened timestamptz,
  comment text NOT NULL DEFAULT '',
  created_by text,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_break_glass__org_id__name__unique ON accounts_break_glass (org_id, name);

CREATE TABLE accounts_break_glass_asset (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  asset uuid NOT NULL REFERENCES assets_asset (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, asset)
);
CREATE INDEX accounts_break_glass_asset__asset ON accounts_break_glass_asset (asset);
CALL kernel_guard_organization('accounts_break_glass_asset', 'bundle', 'accounts_break_glass', 'asset', 'assets_asset');

CREATE TABLE accounts_break_glass_app (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  app uuid NOT NULL REFERENCES applications_application (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, app)
);
CREATE INDEX accounts_break_glass_app__app ON accounts_break_glass_app (app);
CALL kernel_guard_organization('accounts_break_glass_app', 'bundle', 'accounts_break_glass', 'app', 'applications_application');

CREATE TABLE accounts_break_glass_holder (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  "user" uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (bundle, "user")
);
CREATE INDEX accounts_break_glass_holder__user ON accounts_break_glass_holder ("user");

-- What files that were given out hold, in whichever of them: it is changed once one was opened.
CREATE TABLE accounts_break_glass_account (
  bundle uuid NOT NULL REFERENCES accounts_break_glass (id) ON DELETE CASCADE,
  -- Of an asset or an application; without a reference, as accounts come and go.
  account uuid NOT NULL,
  asset uuid REFERENCES assets_asset (id) ON DELETE CASCADE,
  app uuid REFERENCES applications_application (id) ON DELETE CASCADE,
  username text NOT NULL,
  has_key boolean NOT NULL,
  date_sent timestamptz NOT NULL,
  PRIMARY KEY (bundle, account)
);
CREATE INDEX accounts_break_glass_account__asset ON accounts_break_glass_account (asset);
CREATE INDEX accounts_break_glass_account__app ON accounts_break_glass_account (app);
CALL kernel_guard_organization('accounts_break_glass_account', 'asset', 'assets_asset', 'bundle', 'accounts_break_glass');
CALL kernel_guard_organization('accounts_break_glass_account', 'app', 'applications_application', 'bundle', 'accounts_break_glass');
