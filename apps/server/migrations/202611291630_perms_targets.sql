-- Everything that a session can lead to, in one list: what permissions of all families are about.
CREATE VIEW perms_target AS
  SELECT a.id, a.org_id, 'asset' AS family, a.hostname AS name, a.ip AS address, a.platform AS kind, a.is_active,
    a.protocols, NULL::text AS category, NULL::text AS type, NULL::jsonb AS attrs
  FROM assets_listed_asset a
  UNION ALL
  SELECT a.id, a.org_id, 'application', a.name, coalesce(a.attrs->>'host', a.attrs->>'cluster', ''), a.type, true,
    NULL::text[], a.category, a.type, a.attrs
  FROM applications_listed_application a;
