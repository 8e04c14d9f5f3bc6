import type pg from 'pg'
import { hashKey } from '../apps/server/src/kernel/access/random-secret.ts'

const ASSETS = 100_000
const USERS = 10_000
const PERMISSIONS = 20_000
const GROUPS = 200
/** The first organization. */
export const ORG = '00000000-0000-0000-0000-000000000002'

/**
 * A company of 100,000 assets, 10,000 people and 20,000 permissions. Root, 50 below it, 8 below each of
 * those, 4 below each of these: 2,051 nodes. Assets are in the lower levels, a tenth of them in two.
 */
export const SEED: readonly string[] = [
  `INSERT INTO users_user (name, username, email) SELECT 'User ' || i, 'user' || i, 'user' || i || '@example.com' FROM generate_series(1, ${USERS}) i`,
  `INSERT INTO orgs_member (org, "user", role) SELECT '${ORG}', id, 'User' FROM users_user ON CONFLICT DO NOTHING`,
  `INSERT INTO users_user_group (name, org_id) SELECT 'Group ' || i, '${ORG}' FROM generate_series(1, ${GROUPS}) i`,
  `INSERT INTO users_user_group_user ("user", usergroup)
   SELECT u.id, g.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user) u CROSS JOIN generate_series(0, 1) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user_group) g ON g.n = 1 + (u.n * 31 + k * 17) % ${GROUPS} ON CONFLICT DO NOTHING`,
  `INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
   SELECT '${ORG}', r.key || p, r.key || regexp_replace(p, ':[^:]+$', ''), 'node' || p, '/Default/' || p FROM (SELECT key FROM assets_node WHERE org_id = '${ORG}' AND parent_key = '') r, (
     SELECT ':' || a p FROM generate_series(0, 49) a
     UNION ALL SELECT ':' || a || ':' || b FROM generate_series(0, 49) a, generate_series(0, 7) b
     UNION ALL SELECT ':' || a || ':' || b || ':' || c FROM generate_series(0, 49) a, generate_series(0, 7) b, generate_series(0, 3) c) keys`,
  `INSERT INTO assets_system_user (org_id, name, username, protocol) SELECT '${ORG}', 'root' || i, 'root', 'ssh' FROM generate_series(1, 20) i`,
  `INSERT INTO assets_asset (org_id, hostname, ip, platform)
   SELECT '${ORG}', (ARRAY['web', 'db', 'app', 'cache', 'mq'])[1 + i % 5] || '-' || substr(md5(i::text), 1, 10), '10.' || i / 65536 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux'
   FROM generate_series(1, ${ASSETS}) i`,
  `INSERT INTO assets_asset_node (asset_id, node_id)
   SELECT a.id, n.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_asset) a CROSS JOIN generate_series(0, 1) k
   JOIN (SELECT id, row_number() OVER (ORDER BY md5(key)) n FROM assets_node WHERE nlevel(path) >= 3) n ON n.n = 1 + (a.n * 7919 + k * 13) % 2000
   WHERE k = 0 OR a.n % 10 = 0 ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission (org_id, family, name, date_start, date_expired, is_active)
   SELECT '${ORG}', 'asset', 'Permission ' || i, now() - interval '1 day', now() + interval '1000 days', i % 20 <> 0 FROM generate_series(1, ${PERMISSIONS}) i`,
  `INSERT INTO perms_permission_user (permission, "user")
   SELECT p.id, u.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p CROSS JOIN generate_series(1, 2) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user) u ON u.n = 1 + (p.n * 7919 + k * 104729) % ${USERS} ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission_user_group (permission, usergroup)
   SELECT p.id, g.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM users_user_group) g ON g.n = 1 + p.n % ${GROUPS} WHERE p.n % 10 = 0`,
  `INSERT INTO perms_permission_target (permission, asset)
   SELECT p.id, a.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p CROSS JOIN generate_series(1, 5) k
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_asset) a ON a.n = 1 + (p.n * 104729 + k * 7919) % ${ASSETS} ON CONFLICT DO NOTHING`,
  `INSERT INTO perms_permission_node (permission, node)
   SELECT p.id, n.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY md5(key)) n FROM assets_node WHERE parent_key <> '') n ON n.n = 1 + (p.n * 7919) % 2050 WHERE p.n % 2 = 0`,
  `INSERT INTO perms_permission_system_user (permission, systemuser)
   SELECT p.id, s.id FROM (SELECT id, row_number() OVER (ORDER BY id) n FROM perms_permission) p
   JOIN (SELECT id, row_number() OVER (ORDER BY id) n FROM assets_system_user) s ON s.n = 1 + p.n % 20`,
  'ANALYZE',
]

/** In words, for the first line of a bench. */
export const SIZE = `${ASSETS} assets, ${USERS} users, ${PERMISSIONS} permissions, 2051 nodes`

/**
 * Tokens are put in place rather than signed in for: hashing 10,000 passwords is not what is
 * measured.
 */
export async function signEverybodyIn(pool: pg.Pool, ids: readonly string[]): Promise<Map<string, string>> {
  const tokens = new Map(ids.map((id) => [id, `bench-${id}`]))
  for (const [id, token] of tokens) {
    await pool.query(
      `INSERT INTO authentication_bearer_token (token_hash, token_sealed, user_id, remote_addr, date_expired) VALUES ($1, '\\x00', $2, '127.0.0.1', now() + interval '1 day')`,
      [hashKey(token), id],
    )
  }
  return tokens
}

/** Milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The figure below which that share of sorted ones lies. */
export const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
