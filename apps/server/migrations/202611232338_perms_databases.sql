-- Databases of an application's server that a permission leads to; none named: all.
ALTER TABLE perms_permission ADD COLUMN databases text[] NOT NULL DEFAULT '{}';
