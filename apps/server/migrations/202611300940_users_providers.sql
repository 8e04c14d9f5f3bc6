-- What makes people beside the sources of the settings: further directories, and further providers.
ALTER TABLE users_directory ADD COLUMN source text NOT NULL DEFAULT 'ldap' CHECK (source IN ('ldap', 'openid')),
  ADD CONSTRAINT users_directory__id__source__unique UNIQUE (id, source);
ALTER TABLE users_directory ALTER COLUMN source DROP DEFAULT;
-- Nobody is of a directory or provider of another source than their own.
ALTER TABLE users_user DROP CONSTRAINT users_user_check,
  ADD CONSTRAINT users_user__directory_of_source FOREIGN KEY (directory_id, source)
    REFERENCES users_directory (id, source);

-- Who gets another source is no longer of the directory or provider, unless that is said as well.
DROP TRIGGER leave_directory ON users_user;
CREATE TRIGGER leave_directory BEFORE UPDATE OF source ON users_user FOR EACH ROW
  WHEN (NEW.source IS DISTINCT FROM OLD.source AND NEW.directory_id IS NOT NULL
    AND NEW.directory_id IS NOT DISTINCT FROM OLD.directory_id)
  EXECUTE FUNCTION users_leave_directory();
