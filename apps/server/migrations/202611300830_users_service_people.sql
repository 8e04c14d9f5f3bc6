-- Service identities are people of their own kind: `source` service. The same rights and rules decide
-- about them as about everybody, but they have nothing to sign in with on a page, and stop with their
-- owner.
ALTER TABLE users_user ADD COLUMN owner_id uuid REFERENCES users_user (id) ON DELETE SET NULL;
CREATE INDEX users_user__owner_id ON users_user (owner_id) WHERE owner_id IS NOT NULL;
ALTER TABLE users_user ADD CONSTRAINT users_user__service_signs_in_nowhere CHECK (
  source <> 'service' OR (
    password_hash IS NULL AND public_key_sealed IS NULL AND otp_secret_sealed IS NULL
    AND wecom_id IS NULL AND dingtalk_id IS NULL AND feishu_id IS NULL
  )
);

-- on_behalf_of: the owner of a service identity; NULL for everybody else.
CREATE OR REPLACE VIEW users_account AS
  SELECT u.id, u.name, u.username, u.role, u.is_active,
    u.is_active AND (u.date_expired IS NULL OR u.date_expired > now())
      AND (u.directory_id IS NULL OR EXISTS (SELECT FROM users_directory d WHERE d.id = u.directory_id AND d.is_open))
      AND (u.source <> 'service' OR EXISTS (
        SELECT FROM users_user o
        WHERE o.id = u.owner_id AND o.is_active AND (o.date_expired IS NULL OR o.date_expired > now())
          AND (o.directory_id IS NULL OR EXISTS (SELECT FROM users_directory d WHERE d.id = o.directory_id AND d.is_open))
      )) AS is_valid,
    u.source = 'service' AS is_service,
    CASE u.source WHEN 'service' THEN
      (SELECT o.name || '(' || o.username || ')' FROM users_user o WHERE o.id = u.owner_id)
    END AS on_behalf_of
  FROM users_user u;

CREATE OR REPLACE VIEW users_person AS
  SELECT u.id, u.name, u.username, u.email, u.role, u.source, u.language, u.wecom_id, u.dingtalk_id, u.feishu_id,
    u.is_active,
    u.is_active AND (u.date_expired IS NULL OR u.date_expired > now())
      AND (u.directory_id IS NULL OR EXISTS (SELECT FROM users_directory d WHERE d.id = u.directory_id AND d.is_open))
      AND (u.source <> 'service' OR EXISTS (
        SELECT FROM users_user o
        WHERE o.id = u.owner_id AND o.is_active AND (o.date_expired IS NULL OR o.date_expired > now())
          AND (o.directory_id IS NULL OR EXISTS (SELECT FROM users_directory d WHERE d.id = o.directory_id AND d.is_open))
      )) AS is_valid,
    u.managed_by, u.role_given_by, u.directory_id
  FROM users_user u WHERE u.role <> 'App';
