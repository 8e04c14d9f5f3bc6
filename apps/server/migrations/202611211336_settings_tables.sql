-- Settings that differ from their defaults.
CREATE TABLE settings_setting (
  name text PRIMARY KEY,
  value jsonb NOT NULL
);
