-- What was said and done about a ticket. `action` marks what the server noted by itself: its words follow the reader's language.
CREATE TABLE tickets_comment (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  ticket uuid NOT NULL REFERENCES tickets_ticket (id) ON DELETE CASCADE,
  "user" uuid REFERENCES users_user (id) ON DELETE SET NULL,
  user_display text NOT NULL,
  body text NOT NULL DEFAULT '',
  action text CHECK (action IN ('open', 'approved', 'rejected', 'closed')),
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tickets_comment__ticket ON tickets_comment (ticket, date_created);
