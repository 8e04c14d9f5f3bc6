-- Secrets among the settings (SMTP password and the like) are sealed; every other value stays readable.
ALTER TABLE settings_setting ALTER COLUMN value DROP NOT NULL;
ALTER TABLE settings_setting ADD COLUMN value_sealed bytea;
ALTER TABLE settings_setting ADD CONSTRAINT settings_setting__one_value CHECK (num_nonnulls(value, value_sealed) = 1);
