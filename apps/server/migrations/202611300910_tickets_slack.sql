-- Accounts in Slack that decide for people by the buttons of cards, once their person has bound them.
CREATE TABLE tickets_slack_account (
  user_id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  slack_id text NOT NULL,
  slack_name text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tickets_slack_account__slack_id ON tickets_slack_account (team_id, slack_id);

-- Accounts that have pressed a button and wait to be bound.
CREATE TABLE tickets_slack_binding (
  code_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  slack_id text NOT NULL,
  slack_name text NOT NULL,
  date_expired timestamptz NOT NULL
);
CREATE INDEX tickets_slack_binding__user_id ON tickets_slack_binding (user_id);

-- Signatures of calls that have come, for as long as they would be taken.
CREATE TABLE tickets_slack_call (
  signature_hash bytea PRIMARY KEY,
  date_expired timestamptz NOT NULL
);
