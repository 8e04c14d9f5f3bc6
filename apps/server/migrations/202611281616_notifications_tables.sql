-- Messages to people inside the console: one row a message, one row for each person who got it.
CREATE TABLE notifications_site_message (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  subject text NOT NULL,
  message text NOT NULL,
  sender text NOT NULL DEFAULT '',
  date_created timestamptz NOT NULL DEFAULT now(),
  date_updated timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notifications_site_message__date_created ON notifications_site_message (date_created);

CREATE TABLE notifications_recipient (
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  message_id uuid NOT NULL REFERENCES notifications_site_message (id) ON DELETE CASCADE,
  has_read boolean NOT NULL DEFAULT false,
  read_at timestamptz,
  PRIMARY KEY (user_id, message_id),
  CHECK (has_read = (read_at IS NOT NULL))
);
CREATE INDEX notifications_recipient__message_id ON notifications_recipient (message_id);
-- Counting what somebody has not read must not look at all they ever got.
CREATE INDEX notifications_recipient__unread ON notifications_recipient (user_id) WHERE NOT has_read;

-- A message as one of its readers sees it.
CREATE VIEW notifications_inbox AS
  SELECT m.id, r.user_id, m.subject, m.message, r.has_read, r.read_at, m.date_created, m.date_updated, m.sender
  FROM notifications_recipient r JOIN notifications_site_message m ON m.id = r.message_id;

-- Channels a person chose; who never chose has those they have an address for.
CREATE TABLE notifications_user_subscription (
  user_id uuid PRIMARY KEY REFERENCES users_user (id) ON DELETE CASCADE,
  receive_backends text[] NOT NULL
);

-- Who gets a kind of system message, and by which channels; a kind without a row has its defaults.
CREATE TABLE notifications_system_subscription (
  message_type text PRIMARY KEY,
  receive_backends text[] NOT NULL
);
CREATE TABLE notifications_system_subscription_user (
  message_type text NOT NULL REFERENCES notifications_system_subscription (message_type) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users_user (id) ON DELETE CASCADE,
  PRIMARY KEY (message_type, user_id)
);
CREATE TABLE notifications_system_subscription_group (
  message_type text NOT NULL REFERENCES notifications_system_subscription (message_type) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES users_user_group (id) ON DELETE CASCADE,
  PRIMARY KEY (message_type, group_id)
);

-- Alarms that hold at the moment, so that each is sent once, and again only after it had gone.
CREATE TABLE notifications_alarm (
  name text PRIMARY KEY,
  date_created timestamptz NOT NULL DEFAULT now()
);
