/**
 * What keeping changes for undo costs: writes by people with the triggers of undo and without, turn by
 * turn in the same run, as processor time of the server and PostgreSQL. Then an update by a job, of
 * which nothing is kept.
 *
 *   node_modules/.bin/node bench/undo.ts            # BENCH_ROUNDS=10 BENCH_WRITES=100
 */
import { median } from './figures.ts'
import { administratorToken, openInstallation } from './installation.ts'
import { processorTime } from './processor-time.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10)
const WRITES = Number(process.env.BENCH_WRITES ?? 100)
const MACHINES = 10_000

const { server, close } = await openInstallation()
const { pool, app } = server.kernel
const token = await administratorToken(pool)
const ORG = '00000000-0000-0000-0000-000000000002'

async function call(method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}`, 'x-jms-org': ORG }
  const answer = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
  if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body.slice(0, 300)}`)
  return answer.body ? answer.json() : undefined
}

const { rows: kept } = await pool.query<{ name: string }>(
  `SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname = 'undo_removed'`,
)
async function keep(isOn: boolean): Promise<void> {
  const word = isOn ? 'ENABLE' : 'DISABLE'
  for (const { name } of kept)
    for (const trigger of ['added', 'changed', 'removed'])
      await pool.query(`ALTER TABLE ${name} ${word} TRIGGER undo_${trigger}`)
}

/** Milliseconds of processor time of this process and of the database below it. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = processorTime(process.pid)
  await work()
  const after = processorTime(process.pid)
  return after.own + after.below - before.own - before.below
}

const ASSETS = '/api/v1/assets/assets/'
let count = 0
let ids: string[] = []
const STEPS: Record<string, () => Promise<void>> = {
  async create() {
    ids = []
    for (let n = 0; n < WRITES; n++)
      ids.push((await call('POST', ASSETS, { hostname: `web-${++count}`, ip: '10.0.0.1', platform: 'Linux' })).id)
  },
  async update() {
    for (const id of ids) await call('PATCH', `${ASSETS}${id}/`, { comment: `changed ${count}` })
  },
  async 'bulk update'() {
    await call(
      'PATCH',
      ASSETS,
      ids.map((id) => ({ id, comment: `in bulk ${count}` })),
    )
  },
  async delete() {
    for (const id of ids) await call('DELETE', `${ASSETS}${id}/`)
  },
}

const figures = new Map<string, { kept: number[]; bare: number[] }>()
for (let round = -1; round < ROUNDS; round++)
  for (const isOn of round % 2 ? [true, false] : [false, true]) {
    await keep(isOn)
    for (const [name, step] of Object.entries(STEPS)) {
      const taken = (await cost(step)) / WRITES
      if (round < 0) continue // everything is warm from here on
      const figure = figures.get(name) ?? { kept: [], bare: [] }
      figures.set(name, figure)
      figure[isOn ? 'kept' : 'bare'].push(taken)
    }
  }
for (const [name, { kept, bare }] of figures)
  console.log(`${name}: ${median(bare).toFixed(2)} ms of processor time a row, ${median(kept).toFixed(2)} with undo`)

await pool.query(
  `INSERT INTO assets_asset (org_id, hostname, ip, platform)
   SELECT $1, 'many-' || n, '10.1.0.1', 'Linux' FROM generate_series(1, $2::int) n`,
  [ORG, MACHINES],
)
const jobs = { kept: [] as number[], bare: [] as number[] }
for (let round = 0; round < ROUNDS; round++)
  for (const isOn of round % 2 ? [true, false] : [false, true]) {
    await keep(isOn)
    const begun = performance.now()
    await pool.query(`UPDATE assets_asset SET number = $1 WHERE hostname LIKE 'many-%'`, [String(round)])
    jobs[isOn ? 'kept' : 'bare'].push(performance.now() - begun)
  }
console.log(
  `a job's update of ${MACHINES} machines: ${median(jobs.bare).toFixed(0)} ms, ${median(jobs.kept).toFixed(0)} with the triggers`,
)
const { rows } = await pool.query(
  `SELECT pg_total_relation_size('kernel_undo_row') / count(*) AS bytes, count(*) AS images FROM kernel_undo_row`,
)
console.log(`${rows[0].images} images, ${rows[0].bytes} bytes each with their indexes`)
await close()
