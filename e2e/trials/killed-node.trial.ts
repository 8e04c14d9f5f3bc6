/**
 * `npm run trial killed-node [runs]`: a plan changes a password on a machine, and the real server
 * that does it is killed (`kill -9`) at every row that it writes, once before that is committed and
 * once after, and in the middle of what it sends. A server that starts then finds out what became of
 * it: a session gets in at once, and the account comes to rest.
 *
 * The server has no part in this: triggers hold its transactions, and a line counts its bytes.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spread } from '../../apps/server/src/domains/accounts/rotation/faults-fixture.ts'
import { type Line, openLine } from '../../apps/server/src/domains/accounts/rotation/line-fixture.ts'
import { type Machine, startMachine } from '../../apps/server/src/domains/accounts/rotation/machine-fixture.ts'
import { licenseSettings } from '../../apps/server/test/license.ts'
import { type DatabaseServer, startDatabaseServer } from '../cluster/database-server.ts'
import { type Installation, startInstallation } from '../installation.ts'
import { apiOf } from '../machine.ts'

const PASSWORD = 'Guarded-door-1'
const RUNS = Number(process.env.TRIAL_RUNS ?? 40)
const HOLD = 4711
const EXECUTIONS = '/api/v1/xpack/change-auth-plan/plan-execution/'
const SUBTASKS = '/api/v1/xpack/change-auth-plan/plan-execution-subtask/'
const run = promisify(execFile)

/** Output of a run, in order; each line is a moment at which the server may die. */
const ROWS = [
  'accounts_change_task running ready',
  'kernel_secret_version candidate',
  'accounts_change_task running preflight_check',
  'accounts_change_task running change_auth',
  'accounts_change_task running verify_auth',
  'kernel_secret_version previous',
  'accounts_change_task running keep_auth',
  'accounts_change_task succeeded finished',
  'accounts_change_execution',
]

/** Says of a row what it is, and waits there where a trial holds the lock for that. */
const TRIGGERS = `
  CREATE TABLE trial_point (name text PRIMARY KEY);
  CREATE FUNCTION trial_hold() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    r jsonb := to_jsonb(NEW);
    point text := trim(concat_ws(' ', TG_TABLE_NAME, r ->> 'state', r ->> 'step'));
  BEGIN
    IF EXISTS (SELECT 1 FROM trial_point WHERE name = point) THEN PERFORM pg_advisory_xact_lock_shared(${HOLD}); END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER trial AFTER UPDATE ON accounts_change_task FOR EACH ROW EXECUTE FUNCTION trial_hold();
  CREATE TRIGGER trial AFTER INSERT ON kernel_secret_version FOR EACH ROW EXECUTE FUNCTION trial_hold();
  CREATE TRIGGER trial AFTER UPDATE ON accounts_change_execution FOR EACH ROW EXECUTE FUNCTION trial_hold();`

let database: DatabaseServer
let sql: pg.Client
let machine: Machine
let line: Line
let installation: Installation
let api: Awaited<ReturnType<typeof apiOf>>
let plan: string
const folder = mkdtempSync(join(tmpdir(), 'sallyport-trial-'))
const data = join(folder, 'data')

const start = async () => {
  installation = await startInstallation({
    data,
    settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, DATABASE_URL: database.url, ...licenseSettings(30) },
  })
  api = await apiOf(installation, PASSWORD)
}

beforeAll(async () => {
  ;[database, machine] = await Promise.all([startDatabaseServer(), startMachine()])
  line = await openLine(machine.port)
  machine.addAccount('deploy', 'First-of-all-1')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
  await start()
  sql = new pg.Client(database.url)
  await sql.connect()
  await sql.query(TRIGGERS)
  await describeTarget()
})
afterAll(async () => {
  await installation?.kill()
  await sql?.end()
  await line?.close()
  await Promise.all([database?.stop(), machine?.close()])
  rmSync(folder, { recursive: true, force: true })
})

test(
  'a killed server loses no secret',
  async () => {
    const { sent } = await cleanRun()
    const atRows = ROWS.flatMap((row) => (['before', 'after'] as const).map((when) => ({ row, when })))
    const each = Math.max(1, Math.ceil((RUNS - atRows.length) / sent.length))
    const inLines = sent.flatMap((length, connection) =>
      Array.from({ length: each }, (_, part) => ({ connection, bytes: Math.floor((length * (part + 0.5)) / each) })),
    )
    const lost: string[] = []
    const states: Record<string, number> = {}
    for (const moment of [...spread(atRows, RUNS), ...spread(inLines, RUNS - atRows.length)]) {
      const what =
        'row' in moment ? `${moment.when} ${moment.row}` : `connection ${moment.connection + 1}, byte ${moment.bytes}`
      const execution = await startRun()
      await ('row' in moment ? killAtRow(moment.row, moment.when) : killInLine(moment.connection, moment.bytes))
      const { state, loss } = await aftermath(execution)
      console.log(`killed ${what}: ${state}${loss && `, LOST: ${loss}`}`)
      states[state] = (states[state] ?? 0) + 1
      if (loss) lost.push(`${what}: ${loss}`)
    }
    console.table({ ...states, lost: lost.length })
    expect(lost).toEqual([])
  },
  RUNS * 120_000,
)

async function describeTarget(): Promise<void> {
  const { post, profile } = api
  await fetch(`${installation.url}/api/v1/users/profile/public-key/`, {
    method: 'PUT',
    headers: { ...(await bearer()), 'content-type': 'application/json' },
    body: JSON.stringify({ public_key: readFileSync(join(folder, 'id.pub'), 'utf8') }),
  })
  const user = (row: object) => post('/api/v1/assets/system-users/', { auto_push: false, login_mode: 'auto', ...row })
  const boss = await user({ name: 'boss', username: 'root', private_key: machine.privateKey, type: 'admin' })
  const deploy = await user({ name: 'deploy', username: 'deploy', protocol: 'ssh' })
  const asset = await post('/api/v1/assets/assets/', {
    ...{ hostname: 'web-1', ip: '127.0.0.1', platform: 'Linux', admin_user: boss.id },
    protocols: [`ssh/${line.port}`],
  })
  await post('/api/v1/assets/accounts/', { asset: asset.id, username: 'deploy', password: 'First-of-all-1' })
  await post('/api/v1/perms/asset-permissions/', {
    ...{ name: 'trial', users: [profile.id], assets: [asset.id], system_users: [deploy.id] },
  })
  const made = await post('/api/v1/xpack/change-auth-plan/plan/', {
    ...{ name: 'trial', username: 'deploy', assets: [asset.id], is_periodic: false },
    ...{ password_strategy: 'random_all', password_rules: { length: 20 } },
  })
  plan = String(made.id)
  expect(await getsIn()).toBe(true)
}

async function bearer() {
  const answer = await fetch(`${installation.url}/api/v1/authentication/auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  return { authorization: `Bearer ${(await answer.json()).token}` }
}

const startRun = async () => String((await api.post(EXECUTIONS, { plan })).task)

async function cleanRun() {
  line.mend()
  const execution = await startRun()
  await expect.poll(() => isFinished(execution)).toBe(true)
  expect((await tasksOf(execution)).map(({ state }) => state)).toEqual(['succeeded'])
  return { sent: [...line.sent] }
}

async function killAtRow(row: string, when: 'before' | 'after'): Promise<void> {
  await sql.query('SELECT pg_advisory_lock($1)', [HOLD])
  await sql.query('INSERT INTO trial_point VALUES ($1)', [row])
  const waiting = async () =>
    (
      await sql.query<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
        [HOLD],
      )
    ).rows
  await expect.poll(async () => (await waiting()).length, { interval: 5 }).toBe(1)
  const [{ pid } = { pid: 0 }] = await waiting()
  await installation.kill()
  // What it was about is undone with its connection, or is committed although nobody hears of it.
  if (when === 'before') await sql.query('SELECT pg_terminate_backend($1)', [pid])
  await sql.query('DELETE FROM trial_point')
  await sql.query('SELECT pg_advisory_unlock($1)', [HOLD])
}

async function killInLine(connection: number, bytes: number): Promise<void> {
  const reached = new Promise<void>((resolve) => line.cutAt(connection, bytes, resolve))
  await reached
  await installation.kill()
}

async function aftermath(execution: string): Promise<{ state: string; loss: string }> {
  line.mend()
  // As when half a minute has passed since it was heard of last.
  await sql.query(`UPDATE kernel_job SET date_heard = '-infinity' WHERE state = 'running'`)
  await start()
  const in1 = await getsIn()
  await expect.poll(() => isFinished(execution)).toBe(true)
  const [task] = await tasksOf(execution)
  const state = String(task?.state)
  if (!in1 || !(await getsIn())) return { state, loss: 'no session gets in' }
  if (state === 'unknown') {
    const { rows } = await sql.query(`SELECT 1 FROM kernel_secret_version WHERE state = 'candidate'`)
    if (!rows.length) return { state, loss: 'what may be on the machine is not stored' }
    const { status } = await fetch(`${installation.url}${SUBTASKS}${task?.id}/`, {
      method: 'PUT',
      headers: await bearer(),
    })
    expect(status).toBe(200)
    await expect.poll(async () => (await tasksOf(execution))[0]?.state).toBe('succeeded')
  }
  const { rows } = await sql.query(`SELECT 1 FROM kernel_secret_version WHERE state = 'candidate'`)
  if (rows.length) return { state, loss: 'it does not come to rest' }
  return { state, loss: (await getsIn()) ? '' : 'at rest, no session gets in' }
}

const isFinished = async (execution: string) =>
  (await api.get<{ is_finished: boolean }>(`${EXECUTIONS}${execution}/`)).is_finished
const tasksOf = (execution: string) =>
  api.get<{ id: string; state: string }[]>(`${SUBTASKS}?plan_execution_id=${execution}`)

/** A plain SSH client through Sallyport, as the account with whatever is stored. */
async function getsIn(): Promise<boolean> {
  const { sshPort } = installation
  const options = ['-F', '/dev/null', '-i', join(folder, 'id'), '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no']
  const known = ['-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']
  const { stdout } = await run('ssh', [
    ...options,
    ...known,
    ...['-p', String(sshPort), 'admin@deploy@web-1@127.0.0.1', 'id -un'],
  ]).catch(() => ({ stdout: '' }))
  return stdout.trim() === 'deploy'
}
