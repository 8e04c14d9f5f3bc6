/**
 * Accounts in great numbers. The list of the accounts of assets over HTTP, 15 a page with its count: an organization
 * with 1,000,000 against one with 10,000, turn by turn in the same run; first the small one alone, since both lie in
 * one table. Then secrets that are sealed again under another key, as `sallyport-admin rotate-key` does it, on a table of their
 * own, against opening and sealing them alone.
 *
 *   node_modules/.bin/node bench/accounts.ts         # BENCH_ROWS=10000,1000000 BENCH_SECONDS=2 BENCH_ROUNDS=3 BENCH_SECRETS=50000
 */
import type pg from 'pg'
import { KeyRing } from '../apps/server/src/kernel/secrets/key-ring.ts'
import { resealPlace } from '../apps/server/src/kernel/secrets/reseal.ts'
import { newKey } from '../apps/server/src/kernel/secrets/secret-key.ts'
import { createSecrets } from '../apps/server/src/kernel/secrets/secrets.ts'
import { keepRatio, median } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'
import { type LoadResult, load } from './load.ts'

const [FEW = 10_000, MANY = 1_000_000] = (process.env.BENCH_ROWS ?? '10000,1000000').split(',').map(Number)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SECRETS = Number(process.env.BENCH_SECRETS ?? 50_000)
/** How many times as long the p95 of the long list may be. */
const AIM = 1.2
const CONNECTIONS = 4
const PATH = '/api/v1/assets/accounts/?limit=15&offset=0'
const PER_ASSET = 10
const AT_ONCE = 100_000

/** An organization with so many accounts, ten on an asset, in ten nodes; answers its id and that of a node. */
async function company(pool: pg.Pool, name: string, accounts: number): Promise<{ org: string; node: string }> {
  const { rows } = await pool.query('INSERT INTO orgs_organization (name) VALUES ($1) RETURNING id', [name])
  const org = rows[0].id
  await pool.query(
    `WITH root AS (INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
       SELECT $1, (1 + max(split_part(key, ':', 1)::int))::text, '', $2, '/' || $2 FROM assets_node RETURNING key)
     INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
       SELECT $1, key || ':' || i, key, 'node' || i, '/' || $2 || '/node' || i FROM root, generate_series(0, 9) i`,
    [org, name],
  )
  await pool.query(
    `INSERT INTO assets_asset (org_id, hostname, ip, platform)
     SELECT $1, 'host-' || substr(md5(i::text), 1, 12), '10.' || i / 65536 % 256 || '.' || i / 256 % 256 || '.' || i % 256, 'Linux'
     FROM generate_series(1, $2::int) i`,
    [org, Math.ceil(accounts / PER_ASSET)],
  )
  await pool.query(
    `INSERT INTO assets_asset_node (asset_id, node_id)
     SELECT a.id, n.id FROM (SELECT id, row_number() OVER () n FROM assets_asset WHERE org_id = $1) a
     JOIN (SELECT id, row_number() OVER () n FROM assets_node WHERE org_id = $1 AND parent_key <> '') n ON n.n = 1 + a.n % 10`,
    [org],
  )
  for (let from = 0; from < accounts; from += AT_ONCE)
    await pool.query(
      `INSERT INTO assets_account (org_id, asset, username)
       SELECT $1, a.id, 'app-' || k FROM (
         SELECT id FROM assets_asset WHERE org_id = $1 ORDER BY id LIMIT $2 OFFSET $3) a, generate_series(1, ${PER_ASSET}) k`,
      [org, AT_ONCE / PER_ASSET, from / PER_ASSET],
    )
  // Work of the job of every minute.
  await pool.query(`WITH gone AS (DELETE FROM kernel_row_count RETURNING counted, org_id, delta)
    INSERT INTO kernel_row_count (counted, org_id, delta) SELECT counted, org_id, sum(delta) FROM gone GROUP BY counted, org_id`)
  await pool.query('VACUUM ANALYZE assets_asset, assets_asset_node, assets_account, kernel_row_count')
  const { rows: nodes } = await pool.query(
    "SELECT id FROM assets_node WHERE org_id = $1 AND parent_key <> '' LIMIT 1",
    [org],
  )
  return { org, node: nodes[0].id }
}

/** Values a second; the second figure is for the cipher alone. */
async function resealed(pool: pg.Pool): Promise<[number, number]> {
  const [old, fresh] = [newKey(), newKey()]
  const secrets = createSecrets(new KeyRing([old]))
  const values = Array.from({ length: SECRETS }, (_, n) => secrets.seal(`a password of some length ${n}`))
  await pool.query('CREATE TABLE bench_secret (value bytea)')
  for (let from = 0; from < SECRETS; from += 5000)
    await pool.query('INSERT INTO bench_secret SELECT unnest($1::bytea[])', [values.slice(from, from + 5000)])
  const both = new KeyRing([fresh, old])
  const anew = createSecrets(both)
  const bare = performance.now()
  for (const value of values) anew.seal(anew.open(value))
  const begun = performance.now()
  const { rows } = await resealPlace(pool, { table: 'bench_secret', column: 'value', kind: 'value' }, both)
  if (rows !== SECRETS) throw new Error(`${rows} of ${SECRETS} were re-sealed`)
  const end = performance.now()
  await pool.query('DROP TABLE bench_secret')
  return [(SECRETS * 1000) / (end - begun), (SECRETS * 1000) / (begun - bare)]
}

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const token = await administratorToken(pool)
  const port = Number(new URL(server.url).port)
  const list = (org: string, more: string) => () =>
    load({
      ...{ port, path: PATH + more, connections: CONNECTIONS, seconds: SECONDS },
      headers: { authorization: `Bearer ${token}`, 'x-jms-org': org },
    })
  const inTurn = async (loads: readonly (() => Promise<LoadResult>)[]): Promise<number[]> => {
    const p95: number[][] = loads.map(() => [])
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, one] of loads.entries()) p95[at]?.push((await one()).p95)
    return p95.map(median)
  }

  const few = await company(pool, 'few', FEW)
  await list(few.org, '')()
  const [alone = Number.NaN] = await inTurn([list(few.org, '')])
  console.log(`${FEW} accounts alone: p95 ${alone.toFixed(1)} ms (${CONNECTIONS} connections, median of ${ROUNDS})`)
  const begun = performance.now()
  const many = await company(pool, 'many', MANY)
  console.log(`${MANY} more made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const pages: Record<string, (of: { node: string }) => string> = {
    'first page': () => '',
    'of a node': ({ node }) => `&node=${node}`,
    'by user name': () => '&username=app-7',
  }
  for (const [name, more] of Object.entries(pages)) {
    const turns = [few, many].map((one) => list(one.org, more(one)))
    for (const one of turns) await one()
    const [short = Number.NaN, long = Number.NaN] = await inTurn(turns)
    const isAim = name === 'first page'
    console.log(
      `${name.padEnd(14)} p95 of ${FEW}: ${short.toFixed(1)} ms, of ${MANY}: ${long.toFixed(1)} ms, ratio ${(long / short).toFixed(2)}${isAim ? ` (aim: at most ${AIM})` : ''}`,
    )
    keepRatio(`${name}, of the short list`, long / short, 'less')
    if (isAim && long / short > AIM) process.exitCode = 1
  }
  const [stored, cipher] = await resealed(pool)
  keepRatio('secrets sealed again, of the cipher alone', stored / cipher, 'more')
  console.log(
    `${SECRETS} secrets re-sealed: ${stored.toFixed(0)}/s, the cipher alone ${cipher.toFixed(0)}/s, ratio ${(stored / cipher).toFixed(2)}`,
  )
} finally {
  await close()
}
