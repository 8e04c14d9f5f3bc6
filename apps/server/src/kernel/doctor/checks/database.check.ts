import type pg from 'pg'
import { type Check, ok, type Words, warning, wrong } from '../check.ts'

const PINGS = 20
/** Milliseconds: the median that makes every page slow, and the one that makes it useless. */
const SLOW_MS = 20
const UNUSABLE_MS = 500
/** The worst of the pings beside a good median: a network or a disk that stops at times. */
const WORST_MS = 500
/** Parts of max_connections. */
const MANY = 0.8
const ALMOST_ALL = 0.95

const reach: Check = {
  name: 'database',
  title: 'Database',
  async run(place) {
    const fault = await place.databaseFault()
    if (fault) return fault
    const { pool } = await place.database()
    const { rows } = await pool.query<{ version: string; encoding: string; reads: boolean }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
         current_setting('transaction_read_only') = 'on' AS reads`,
    )
    const { version = '', encoding = '', reads } = rows[0] ?? {}
    const values = { version, encoding }
    if (reads)
      return wrong(
        (say) => say('PostgreSQL {{version}} takes no writes, as a standby.', values),
        (say) => say('Name the server that takes writes in DATABASE_URL, or promote this one.'),
      )
    return ok((say) =>
      place.config.databaseUrl
        ? say('PostgreSQL {{version}} of DATABASE_URL answers (encoding {{encoding}}).', values)
        : say('The PostgreSQL inside, {{version}}, answers (encoding {{encoding}}).', values),
    )
  },
}

const latency: Check = {
  name: 'database.latency',
  title: 'Latency of the database',
  async run(place, signal) {
    const { pool } = await place.database()
    const client = await pool.connect()
    try {
      const times: number[] = []
      for (let n = 0; n < PINGS && !signal.aborted; n++) times.push(await ping(client))
      times.sort((one, other) => one - other)
      const [median = 0, worst = 0] = [times[Math.floor(times.length / 2)], times.at(-1)].map((time = 0) => round(time))
      const values = { median, worst, count: times.length }
      const words: Words = (say) =>
        say('It answers within {{median}} ms (median of {{count}}), at worst within {{worst}} ms.', values)
      if (median >= UNUSABLE_MS) return wrong(words, mendLatency)
      return median >= SLOW_MS || worst >= WORST_MS ? warning(words, mendLatency) : ok(words)
    } finally {
      client.release()
    }
  },
}

const mendLatency: Words = (say) =>
  say(
    'Every page and each key typed waits for the database: put it near Sallyport, and look at the disk and processor of its machine.',
  )

async function ping(client: pg.PoolClient): Promise<number> {
  const start = performance.now()
  await client.query('SELECT 1')
  return performance.now() - start
}

const round = (milliseconds: number) => Math.round(milliseconds * 10) / 10

const connections: Check = {
  name: 'database.connections',
  title: 'Connections to the database',
  async run(place) {
    const { pool } = await place.database()
    const { rows } = await pool.query<{ used: number; own: number; most: number }>(`
      SELECT count(*)::int AS used, count(*) FILTER (WHERE datname = current_database())::int AS own,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most
      FROM pg_stat_activity WHERE backend_type = 'client backend'`)
    const { used = 0, own = 0, most = 1 } = rows[0] ?? {}
    const values = { used, own, most }
    const words: Words = (say) =>
      say('{{used}} of {{most}} connections are in use, {{own}} of them by this database.', values)
    if (used < most * MANY) return ok(words)
    const mend: Words = (say) =>
      say(
        'Raise max_connections of PostgreSQL (20 for each node, and some to spare), or end what else holds connections.',
      )
    return used >= most * ALMOST_ALL ? wrong(words, mend) : warning(words, mend)
  },
}

export default [reach, latency, connections]
