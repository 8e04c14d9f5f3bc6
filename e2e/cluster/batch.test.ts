/**
 * Work of two nodes whose clocks are two hours apart: a batch command whose node is killed in its middle is carried on
 * by the other, and what is due runs once. Every machine is an address of its own at a real sshd, so that it can note
 * down what ran on it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Administrator, signInAsAdministrator, withToken } from './administrator.ts'
import { type Cluster, type Node, startCluster } from './cluster.ts'

const PASSWORD = 'Guarded-door-1'
const RUNS = '/api/v1/ops/command-executions/'
const RUNBOOKS = '/api/v1/ops/runbooks/'
const SCHEDULES = '/api/v1/ops/runbook-schedules/'
const LOST = 'The node that ran this was stopped: whether the command ran is not known'
/** Begun in this order, ten at a time. */
const ADDRESSES = Array.from({ length: 24 }, (_, n) => `127.0.7.${n + 10}`)
/** Those after them wait for a sign, ten of them at a time. */
const SWIFT = 8
const AT_A_TIME = 10

interface Outcome {
  name: string
  state: string
  code: number | null
  error: string
  output: string
}

let cluster: Cluster
let first: Node
let second: Node
let sshd: Sshd
/** At the node that is not killed. */
let admin: Administrator
let folder: string

beforeAll(async () => {
  ;[cluster, sshd] = await Promise.all([
    startCluster({ nodes: 2, clocks: [-1, 1], settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd({ address: '0.0.0.0' }),
  ])
  ;[first, second] = cluster.nodes as [Node, Node]
  folder = mkdtempSync(join(tmpdir(), 'sallyport-batch-'))
})
afterAll(async () => {
  if (folder) rmSync(folder, { recursive: true, force: true })
  await cluster?.stop()
  await sshd?.close()
})

/** Addresses on which the command ran, once for each time that it did. */
const ranOn = () =>
  existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n') : []

test('[A2.46 A1.11] a batch command whose node is killed is carried on by the other: nothing runs twice, and every machine is reported once', async () => {
  // So that the other one has the run.
  await second.kill()
  const before = await signInAsAdministrator(first.url, PASSWORD)
  const { hosts, runAs } = await machinesOf(before, 'batch', ADDRESSES)

  const last = Number(ADDRESSES[SWIFT - 1]?.split('.')[3])
  const command = `set -- $SSH_CONNECTION; echo $3 >> ${folder}/ran
if [ "\${3##*.}" -gt ${last} ]; then until [ -e ${folder}/sign ]; do sleep 0.1; done; fi; echo I am $3`
  const { id } = await before.call('POST', RUNS, { command, hosts, run_as: runAs })
  // Some are done, some are at it, some were not begun.
  const statesAt = async (at: Administrator) => {
    const { hosts } = await at.call('GET', `${RUNS}${id}/outcomes/`)
    return (hosts as Outcome[]).map(({ state }) => state)
  }
  const some = (amount: number, state: string) => Array.from({ length: amount }, () => state)
  const waiting = ADDRESSES.length - SWIFT - AT_A_TIME
  const midway = [...some(SWIFT, 'success'), ...some(AT_A_TIME, 'running'), ...some(waiting, 'waiting')]
  await expect.poll(() => statesAt(before)).toEqual(midway)
  await expect.poll(() => ranOn().length).toBe(SWIFT + AT_A_TIME)
  await second.startAgain()
  admin = withToken(second.url, before.token)

  await first.kill()
  expect(await statesAt(admin)).toEqual(midway)
  writeFileSync(join(folder, 'sign'), '')
  await silentInDatabase(id)
  await expect.poll(async () => (await admin.call('GET', `${RUNS}${id}/`)).is_finished).toBe(true)

  expect(ranOn().sort()).toEqual([...ADDRESSES].sort())
  const { hosts: reported, outputs } = await admin.call('GET', `${RUNS}${id}/outcomes/`)
  const wasRunning = (n: number) => n >= SWIFT && n < SWIFT + AT_A_TIME
  const output = (reported as Outcome[]).map(({ name, state, code, error, output }) => ({
    ...{ name, state, code, error },
    output: outputs[output]?.stdout ?? '',
  }))
  expect(output).toEqual(
    ADDRESSES.map((name, n) =>
      wasRunning(n)
        ? { name, state: 'failed', code: null, error: LOST, output: '' }
        : { name, state: 'success', code: 0, error: '', output: `I am ${name}\n` },
    ),
  )
  const run = await admin.call('GET', `${RUNS}${id}/`)
  expect(Object.keys(run.result).sort()).toEqual([...ADDRESSES].sort())
  expect(run.counts).toEqual({ success: ADDRESSES.length - AT_A_TIME, failed: AT_A_TIME })
})

test('[A1.11 A5.09] periodic work runs once and when it is due, and nobody takes a living node for silent', async () => {
  if (first.process.exitCode ?? first.process.signalCode) await first.startAgain()
  const by = await signInAsAdministrator(first.url, PASSWORD)
  const { hosts, runAs } = await machinesOf(by, 'due', ['127.0.7.90'])
  const steps = [{ name: 'one', command: `echo ran >> ${folder}/due` }]
  const { id: runbook } = await by.call('POST', RUNBOOKS, { name: 'due', steps })
  const draft = { runbook, hosts, run_as: runAs, values: {}, is_periodic: true, interval: 5 }
  const { id } = await by.call('POST', SCHEDULES, draft)
  await ask("UPDATE ops_runbook_schedule SET date_next_run = now() - interval '1 second' WHERE id = $1", [id])
  const runs = async () => (await by.call('GET', `${RUNS}?runbook=${runbook}&limit=9`)).results
  await expect.poll(runs).toMatchObject([{ is_finished: true }])
  expect(readFileSync(join(folder, 'due'), 'utf8')).toBe('ran\n')
  const next =
    "SELECT extract(hour FROM date_next_run - now() + interval '2 minutes')::int AS hours FROM ops_runbook_schedule"
  expect(await ask(next)).toEqual([{ hours: 5 }])

  // All periodic work since the nodes began.
  const twice = `SELECT queue, date_trunc('minute', date_created) AS minute FROM kernel_job
    WHERE queue IN (SELECT name FROM kernel_schedule) GROUP BY queue, minute HAVING count(*) > 1`
  expect(await ask(twice)).toEqual([])
  const [{ at = 0 } = {}] = await ask<{ at: number }>(
    'SELECT extract(epoch FROM max(date_created))::float8 AS at FROM kernel_job',
  )
  expect(Math.abs(Date.now() / 1000 - at)).toBeLessThan(1800)
  for (const node of [first, second]) {
    const terminals = await withToken(node.url, by.token).call('GET', '/api/v1/terminal/terminals/?is_alive=true')
    const names = (terminals as { name: string; is_alive: boolean }[]).map(({ name, is_alive }) => [name, is_alive])
    for (const one of [first, second]) expect(names).toContainEqual([expect.stringContaining(one.name), true])
  }
})

/** Machines at these addresses that the administrator may use. */
async function machinesOf({ call }: Administrator, name: string, addresses: readonly string[]) {
  const { id: runAs } = await call('POST', '/api/v1/assets/system-users/', {
    ...{ name, username: sshd.username, private_key: sshd.privateKey, auto_push: false },
  })
  const hosts: string[] = []
  for (const ip of addresses) {
    const asset = { hostname: ip, ip, platform: 'Linux', protocols: [`ssh/${sshd.port}`] }
    hosts.push((await call('POST', '/api/v1/assets/assets/', asset)).id)
  }
  const { id: me } = await call('GET', '/api/v1/users/profile/')
  await call('POST', '/api/v1/perms/asset-permissions/', { name, users: [me], assets: hosts, system_users: [runAs] })
  return { hosts, runAs }
}

/** As if the killed node had said nothing of the job for a minute. */
const silentInDatabase = (job: string) =>
  ask("UPDATE kernel_job SET date_heard = now() - interval '1 minute' WHERE id = $1", [job])

async function ask<T extends object = object>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  try {
    return (await client.query<T>(text, values)).rows
  } finally {
    await client.end()
  }
}
