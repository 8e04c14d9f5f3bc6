/**
 * Commands found among millions by their text, over HTTP as the console asks: a page of 30 with its
 * count, exact, by their beginning and by any part, alone and with the filters of the list; against
 * the same rows read through by LIKE, as without the index.
 *
 *   node_modules/.bin/node bench/commands.ts           # BENCH_COMMANDS=1000000, 10000000 with --full
 */
import type pg from 'pg'
import { fillCommands, ORG, timeOf } from './command-rows.ts'
import { median } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'

const COUNT = Number(process.env.BENCH_COMMANDS ?? 1_000_000)
const ROUNDS = 7
const AIM_MS = 200

async function timed<T>(work: () => Promise<T>): Promise<[milliseconds: number, answer: T]> {
  const start = performance.now()
  const answer = await work()
  return [performance.now() - start, answer]
}

/** What people ask, by name: the filters of the list. */
async function questions(pool: pg.Pool): Promise<Record<string, Record<string, string | number>>> {
  const { rows } = await pool.query(
    `SELECT input, session, "user", asset FROM terminal_command WHERE input LIKE 'vim%' AND timestamp >= $1 ORDER BY timestamp LIMIT 1`,
    [timeOf(Math.floor(COUNT / 3))],
  )
  const { input, session, user, asset } = rows[0]
  const words = await pool.query(
    `SELECT input FROM terminal_command WHERE input LIKE 'grep%' AND timestamp >= $1 ORDER BY timestamp LIMIT 1`,
    [timeOf(Math.floor(COUNT / 3))],
  )
  const long = words.rows[0].input
  const [from, to] = [timeOf(Math.floor(COUNT * 0.3)), timeOf(Math.floor(COUNT * 0.35))]
  return {
    'no filter': {},
    'exact, one': { input },
    'exact, of which there are many': { input: 'systemctl status nginx' },
    'exact, of many words': { input: long },
    'beginning, one': { input: input.slice(0, -5) },
    'beginning, of some': { input: 'vim /srv/app-17' },
    'beginning, of many': { input: 'systemctl' },
    'part, of none': { input: 'xyzzy-plugh' },
    'part, of some': { input: 'app-1234' },
    'part, of a third': { input: '/var/log' },
    'part, two letters': { input: 'ls' },
    'part, two letters of none': { input: 'qz' },
    'part of a statement': { input: "region = 'a1b2c" },
    'several words': { input: 'order 4711' },
    'a session': { session_id: session },
    'a session, part': { session_id: session, input: 'systemctl' },
    'a person': { user },
    'a person, part': { user, input: 'nginx' },
    'a machine': { asset },
    'a machine, part': { asset, input: 'nginx' },
    nobody: { user: 'nobody' },
    days: { date_from: from, date_to: to },
    'days, part': { date_from: from, date_to: to, input: 'nginx' },
    'days, part of some': { date_from: from, date_to: to, input: 'app-1234' },
    dangerous: { risk_level: 5 },
    'dangerous, part': { risk_level: 5, input: 'app-1234' },
    'dangerous, part of many': { risk_level: 5, input: 'systemctl' },
    'dangerous, a person, days': { risk_level: 5, user, date_from: from, date_to: to },
  }
}

/** The same rows without the index, as a search by LIKE has it. */
async function byLike(pool: pg.Pool, text: string): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('SET enable_bitmapscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off')
    const [took] = await timed(() =>
      client.query('SELECT * FROM terminal_command WHERE input ILIKE $1 ORDER BY timestamp DESC, id DESC LIMIT 30', [
        `%${text}%`,
      ]),
    )
    return took
  } finally {
    await client.query('RESET ALL')
    client.release()
  }
}

const { server, close } = await openInstallation()
try {
  const { pool } = server.kernel
  const token = await administratorToken(pool)
  const [made] = await timed(() => fillCommands(pool, COUNT))
  const { rows: sizes } = await pool.query(
    `SELECT pg_size_pretty(pg_table_size('terminal_command')) AS rows, pg_size_pretty(pg_indexes_size('terminal_command')) AS indexes`,
  )
  console.log(`${COUNT} commands, made in ${(made / 1000).toFixed(0)} s: ${sizes[0].rows}, indexes ${sizes[0].indexes}`)
  const headers = { authorization: `Bearer ${token}`, 'x-jms-org': ORG }
  const storages = await fetch(`${server.url}/api/v1/terminal/command-storages/?type=server`, { headers })
  const [first] = (await storages.json()) as { id: string }[]
  const storage = first?.id ?? ''
  const ask = async (filters: Record<string, string | number>) => {
    const query = new URLSearchParams({ order: '-timestamp', limit: '30', offset: '0' })
    if (!filters.session_id) query.set('command_storage_id', storage)
    for (const [name, value] of Object.entries(filters)) query.set(name, String(value))
    const answer = await fetch(`${server.url}/api/v1/terminal/commands/?${query}`, { headers })
    // Too short a text for so many commands.
    if (answer.status === 400) return undefined
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { count: number; results: unknown[] }
  }
  let missed = 0
  for (const [name, filters] of Object.entries(await questions(pool))) {
    const [first, found] = await timed(() => ask(filters))
    const times: number[] = []
    for (let round = 0; round < ROUNDS && (round < 2 || first < 5000); round++)
      times.push((await timed(() => ask(filters)))[0])
    const [middle, slowest] = [median(times), Math.max(...times)]
    if (middle > AIM_MS) missed++
    console.log(
      `  ${name.padEnd(32)} ${found ? `${String(found.count).padStart(8)} found, ${found.results.length} shown` : 'refused'.padStart(24)}  first ${first.toFixed(0)} ms  median ${middle.toFixed(1)} ms  slowest ${slowest.toFixed(0)} ms${middle > AIM_MS ? '  OVER' : ''}`,
    )
  }
  for (const text of ['app-1234', 'xyzzy-plugh', 'systemctl'])
    console.log(`  by LIKE, ${text}: ${(await byLike(pool, text)).toFixed(0)} ms`)
  process.exitCode = missed ? 1 : 0
} finally {
  await close()
}
