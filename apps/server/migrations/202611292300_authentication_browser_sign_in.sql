-- Sign-ins of clients without a browser that their person is to confirm in one, until they are over.
CREATE TABLE authentication_browser_sign_in (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  code_hash bytea NOT NULL,
  -- As the client gave them; whether there is such a person is not asked.
  username text NOT NULL,
  remote_addr text NOT NULL,
  program text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'confirmed', 'refused', 'used')),
  -- Who answered, whether they had just proven their second factor, and whether a provider had let
  -- them into that browser.
  user_id uuid REFERENCES users_user (id) ON DELETE CASCADE,
  mfa boolean NOT NULL DEFAULT false,
  outside boolean NOT NULL DEFAULT false,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE UNIQUE INDEX authentication_browser_sign_in__code_hash ON authentication_browser_sign_in (code_hash);
CREATE INDEX authentication_browser_sign_in__remote_addr ON authentication_browser_sign_in (remote_addr);
CREATE INDEX authentication_browser_sign_in__user_id ON authentication_browser_sign_in (user_id);
CREATE INDEX authentication_browser_sign_in__date_expired ON authentication_browser_sign_in (date_expired);
