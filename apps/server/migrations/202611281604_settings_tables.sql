-- Settings that differ from their defaults. Secrets among them (the password of the mail server and
-- the like) are sealed; every other value stays readable.
CREATE TABLE settings_setting (
  name text PRIMARY KEY,
  value jsonb,
  value_sealed bytea,
  CONSTRAINT settings_setting__one_value CHECK (num_nonnulls(value, value_sealed) = 1)
);
