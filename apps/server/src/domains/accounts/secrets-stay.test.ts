/**
 * Where secrets never are. Passwords that occur nowhere else are stored, tried, pushed, changed, refused and backed up
 * at a real machine whose accounts are gathered; afterwards they are looked for in every table, in the answers of every
 * list, in the log at its most talkative, in the data folder, and in what the machine saw: command lines, environments
 * and the homes of its accounts.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { makeSystemAccount, type Sshd, startSshd } from '../assets/sshd-fixture.ts'

const isRoot = process.getuid?.() === 0
const planted = () => `planted-${randomBytes(9).toString('hex')}`
/** A mark in places where secrets could be, which proves that the search finds text there. */
const MARK = `marked-${randomBytes(4).toString('hex')}`

let server: TestServer
let sshd: Sshd
let boss: Caller
let folder: string
const log: string[] = []

beforeAll(async () => {
  if (!isRoot) return
  folder = mkdtempSync(join(tmpdir(), 'sallyport-planted-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'homes'), { mode: 0o755 })
  // Each program that runs there leaves its command line and its environment.
  const record = join(folder, 'record')
  const line =
    '#!/bin/sh\n{ printf "%s\\n" "$SSH_ORIGINAL_COMMAND"; env; } >> "$0.seen"\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n'
  writeFileSync(record, line, { mode: 0o755 })
  writeFileSync(`${record}.seen`, '', { mode: 0o666 })
  chmodSync(`${record}.seen`, 0o666)
  sshd = await startSshd({
    config: `ForceCommand ${record}\nPasswordAuthentication yes\nUsePAM no\nMaxAuthTries 20\nLogLevel DEBUG3\n`,
  })
  server = await openTestServer()
  boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  logEverything()
})
afterAll(async () => {
  await server?.close()
  await sshd?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** The log at its most talkative, in place of the process's output. */
function logEverything(): void {
  const logger = server.kernel.app.log
  let holder: object = logger
  const stream = (of: object) => Object.getOwnPropertySymbols(of).find((one) => one.description === 'pino.stream')
  while (!stream(holder)) holder = Object.getPrototypeOf(holder)
  Object.assign(holder, { [stream(holder) as symbol]: { write: (text: string) => void log.push(text) } })
  logger.level = 'trace'
}

async function created(path: string, body: object) {
  const answer = await boss.post(path, body)
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()])
  return answer.body
}

const over = async (task: string) => {
  const result = async () => (await boss.get(`/api/v1/ops/celery/task/${task}/result/`)).body
  await expect.poll(async () => (await result()).state).toMatch(/SUCCESS|FAILURE/)
  // What it has written people read as well.
  log.push(JSON.stringify((await boss.get(`/api/v1/ops/celery/task/${task}/log/`)).body))
}

/** The states of a plan's accounts, once its run is over. */
async function ran(plan: object): Promise<string[]> {
  const { id } = await created('/api/v1/xpack/change-auth-plan/plan/', { is_periodic: false, ...plan })
  const { task } = await created('/api/v1/xpack/change-auth-plan/plan-execution/', { plan: id })
  await over(task)
  const { body } = await boss.get(`/api/v1/xpack/change-auth-plan/plan-execution-subtask/?plan_execution_id=${task}`)
  return body.map(({ state }: { state: string }) => state)
}

/** Command lines and environments of this machine's processes, as often as there is time, until it is stopped. */
function watchProcesses(wanted: readonly string[]): () => string[] {
  const seen = new Set<string>()
  let before = new Map<string, string>()
  const look = () => {
    const now = new Map<string, string>()
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        const line = readFileSync(`/proc/${id}/cmdline`, 'utf8')
        now.set(id, line)
        // Both come with a program, and stay as they are.
        if (before.get(id) === line) continue
        const text = `${line}\n${readFileSync(`/proc/${id}/environ`, 'utf8')}`
        for (const one of wanted)
          if (text.includes(one)) seen.add(`${one} in ${text.replaceAll('\0', ' ').slice(0, 200)}`)
      } catch {
        // It has ended.
      }
    before = now
  }
  const timer = setInterval(look, 100)
  return () => {
    clearInterval(timer)
    return [...seen]
  }
}

/** The tables that have one of these texts, also as bytes or packed for transport. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const { pool } = server.kernel
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const forms = texts.flatMap((one) => [one, Buffer.from(one).toString('hex')])
  const query = tables.map(
    ({ name }) =>
      `SELECT '${name.replaceAll("'", "''")}' AS name WHERE EXISTS (SELECT 1 FROM ${name} t, unnest($1::text[]) one WHERE strpos(t::text, one) > 0)`,
  )
  const { rows } = await pool.query<{ name: string }>(query.join(' UNION ALL '), [forms])
  return rows.map(({ name }) => name)
}

/** What every list answers that has no secrets of its own. */
async function allLists(): Promise<string> {
  const lists = resourcesOf(server.kernel)
    .all()
    .filter(({ definition: { operations, path } }) => operations.includes('list') && !path.includes(':'))
  const answers: string[] = []
  for (const { definition } of lists)
    for (const caller of [boss, server.admin])
      answers.push(JSON.stringify((await caller.get(`${definition.path}?limit=100`)).body))
  return answers.join('\n')
}

/** All that its files hold; one that goes meanwhile is none of them. */
const everything = (under: string): string =>
  spawnSync('grep', ['-rha', '', under], { maxBuffer: 1 << 28 }).stdout.toString('latin1')

test.runIf(isRoot)(
  'a secret that is stored, tried, pushed, changed, refused and backed up is in no table, answer, log, file, command line, environment or history',
  async () => {
    const account = makeSystemAccount(join(folder, 'homes'))
    if (!account) throw new Error('only root can make accounts')
    const { username } = account
    mkdirSync(join(folder, 'homes', username))
    execFileSync('chown', [username, join(folder, 'homes', username)])
    const [wrong, given, refused, pushed] = [planted(), planted(), planted(), planted()]
    const key = sshd.privateKey.split('\n')[2] ?? ''
    const secrets = [account.password, wrong, given, refused, pushed, key]
    const stop = watchProcesses(secrets)
    try {
      const door = { username: sshd.username, private_key: sshd.privateKey, protocol: 'ssh', login_mode: 'auto' }
      const admin_user = (await created('/api/v1/assets/system-users/', { name: MARK, ...door, type: 'admin' })).id
      const root = (await boss.get('/api/v1/assets/nodes/children/')).body[0].id
      const machine = { hostname: MARK, ip: '127.0.0.1', platform: 'Linux', nodes: [root], admin_user }
      const asset = (await created('/api/v1/assets/assets/', { ...machine, protocols: [`ssh/${sshd.port}`] })).id
      const own = await created('/api/v1/assets/accounts/', { username, password: wrong, asset })
      const verify = async () =>
        over((await boss.post(`/api/v1/assets/accounts/${own.id}/verify/`, { action: 'test' })).body.task)
      await verify()
      expect((await boss.patch(`/api/v1/assets/accounts/${own.id}/`, { password: account.password })).status).toBe(200)
      await verify()

      const plan = { name: `${MARK} given`, username, assets: [asset], is_password: true }
      expect(await ran({ ...plan, password_strategy: 'custom', password: given })).toEqual(['succeeded'])
      // No machine takes such a name for a new account.
      const refusal = {
        ...plan,
        name: `${MARK} refused`,
        username: '+nobody',
        password_strategy: 'custom',
        password: refused,
      }
      expect(await ran(refusal)).toEqual(['failed'])
      const random = {
        ...plan,
        name: `${MARK} random`,
        password_strategy: 'random_all',
        password_rules: { length: 24 },
      }
      expect(await ran(random)).toEqual(['succeeded'])
      const { rows } = await server.kernel.pool.query('SELECT password_sealed FROM assets_account WHERE id = $1', [
        own.id,
      ])
      secrets.push(server.kernel.secrets.open('test', 'a test')(rows[0].password_sealed))
      expect(secrets.at(-1)).toHaveLength(24)

      const login = { name: `${MARK} pushed`, username, password: pushed, protocol: 'ssh', login_mode: 'auto' }
      const user = await created('/api/v1/assets/system-users/', { ...login, auto_push: false, assets: [asset] })
      await over((await created(`/api/v1/assets/system-users/${user.id}/tasks/`, { action: 'push', asset })).task)
      const task = (
        await created('/api/v1/xpack/gathered-user/tasks/', { name: MARK, nodes: [root], is_periodic: false })
      ).id
      await over((await created('/api/v1/xpack/gathered-user/task-executions/', { task })).task)
      const file = { new_secret_key: given, new_secret_key_again: given }
      expect((await boss.put('/api/v1/users/profile/secret-key/', file)).status).toBe(200)
      const backup = await created('/api/v1/assets/backup/', { name: MARK, is_periodic: false })
      await over((await created('/api/v1/assets/backup-execution/', { plan: backup.id })).task)

      expect(stop()).toEqual([])
      const seen = readFileSync(join(folder, 'record.seen'), 'utf8')
      const places: Record<string, string> = {
        answers: await allLists(),
        log: log.join('\n'),
        machine: seen,
        homes: everything(folder),
        data: everything(server.kernel.config.dataDirectory),
      }
      const isIn = (text: string) => Object.keys(places).filter((name) => places[name]?.includes(text))
      // Text that is no secret is found where it belongs: so would a secret be.
      expect([isIn(MARK), await tablesWith([MARK])]).toEqual([
        expect.arrayContaining(['answers', 'log']),
        expect.arrayContaining(['public.assets_asset', 'public.accounts_change_plan']),
      ])
      expect(seen.match(/^SSH_CONNECTION=/gm)?.length).toBeGreaterThan(8)
      for (const secret of secrets) expect([secret, isIn(secret)]).toEqual([secret, []])
      expect(await tablesWith(secrets)).toEqual([])
    } finally {
      stop()
      account.remove()
    }
  },
  240_000,
)
