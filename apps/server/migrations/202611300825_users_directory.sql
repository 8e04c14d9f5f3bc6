-- The directory that made a person, where it is not the one of the settings. It stays known here when
-- it is deleted: its people are still its own, and nobody else's.
CREATE TABLE users_directory (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- While it is not, its people may not sign in, and what they have open ends.
  is_open boolean NOT NULL DEFAULT true
);
ALTER TABLE users_user ADD COLUMN directory_id uuid REFERENCES users_directory (id),
  ADD CHECK (directory_id IS NULL OR source = 'ldap');
CREATE INDEX users_user__directory_id ON users_user (directory_id) WHERE directory_id IS NOT NULL;

-- Who gets another source is no longer of the directory.
CREATE FUNCTION users_leave_directory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.directory_id := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER leave_directory BEFORE UPDATE OF source ON users_user FOR EACH ROW
  WHEN (NEW.source <> 'ldap' AND NEW.directory_id IS NOT NULL) EXECUTE FUNCTION users_leave_directory();

CREATE OR REPLACE VIEW users_account AS
  SELECT id, name, username, role, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now())
      AND (directory_id IS NULL OR EXISTS (SELECT 1 FROM users_directory d WHERE d.id = directory_id AND d.is_open)) AS is_valid
  FROM users_user;

CREATE OR REPLACE VIEW users_person AS
  SELECT id, name, username, email, role, source, language, wecom_id, dingtalk_id, feishu_id, is_active,
    is_active AND (date_expired IS NULL OR date_expired > now())
      AND (directory_id IS NULL OR EXISTS (SELECT 1 FROM users_directory d WHERE d.id = directory_id AND d.is_open)) AS is_valid,
    managed_by, role_given_by, directory_id
  FROM users_user WHERE role <> 'App';
