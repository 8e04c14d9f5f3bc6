-- The last code that was sent to a phone, as a keyed hash: one a minute for each phone, on whatever node, whoever asked for it and what for.
CREATE TABLE authentication_sms_code (
  phone text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  -- 'mfa' or 'reset'
  purpose text NOT NULL,
  -- the sign-in or browser that asked, and that alone may bring the code
  holder text NOT NULL,
  -- NULL once it was used
  code_hash bytea,
  date_sent timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL
);
CREATE INDEX authentication_sms_code__date_expired ON authentication_sms_code (date_expired);
CREATE INDEX authentication_sms_code__user_id ON authentication_sms_code (user_id);
