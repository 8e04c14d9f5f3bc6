-- Addresses behind the buttons of cards in messengers: one use, for one person, ticket, level and
-- decision.
CREATE TABLE tickets_decision_link (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  code_hash bytea NOT NULL,
  ticket uuid NOT NULL REFERENCES tickets_ticket (id) ON DELETE CASCADE,
  level integer NOT NULL,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  decision text NOT NULL CHECK (decision IN ('approved', 'rejected')),
  -- Where the button is.
  place text NOT NULL,
  date_created timestamptz NOT NULL DEFAULT now(),
  date_expired timestamptz NOT NULL,
  date_used timestamptz
);
CREATE UNIQUE INDEX tickets_decision_link__code_hash ON tickets_decision_link (code_hash);
CREATE INDEX tickets_decision_link__ticket ON tickets_decision_link (ticket);
CREATE INDEX tickets_decision_link__user_id ON tickets_decision_link (user_id);
CREATE INDEX tickets_decision_link__date_expired ON tickets_decision_link (date_expired);
