-- What people are told about their own sign-ins, and administrators about those of others.
ALTER TABLE authentication_session
  ADD COLUMN user_agent text NOT NULL DEFAULT '',
  ADD COLUMN date_last_seen timestamptz NOT NULL DEFAULT now();
-- Connections that have no row of their own, such as those of SSH clients, end when they began before this.
ALTER TABLE users_user ADD COLUMN date_sign_ins_ended timestamptz;
