/**
 * One command on many machines: a batch command on 200 logins to a real sshd, against GNU parallel with
 * OpenSSH's own client, as many at a time, turn by turn in the same run. Then what a machine costs in
 * memory while its command runs, and how many queries a node sends that nobody uses.
 *
 *   node_modules/.bin/node bench/jobs.ts            # BENCH_HOSTS=200 BENCH_ROUNDS=3 BENCH_IDLE_SECONDS=60
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { withWork } from '../apps/server/src/kernel/jobs/schedules.ts'
import { keepRatio, median } from './figures.ts'
import { openInstallation, PASSWORD } from './installation.ts'

const HOSTS = Number(process.env.BENCH_HOSTS ?? 200)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const IDLE_SECONDS = Number(process.env.BENCH_IDLE_SECONDS ?? 60)
/** Machines of one run at a time, which parallel gets as well. */
const AT_ONCE = 10
const COMMAND = 'id; uname -a'
/** A node that has more to do for longer has no rest. */
const REST_MS = 600_000
/** At least as fast; and queries a second of an idle node. */
const AIM = 1
const IDLE_AIM = 1

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

// Before anything connects: every query of this process, whichever connection it takes.
const queries = new Map<string, number>()
const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
pg.Client.prototype.query = function counted(this: pg.Client, ...parameters: unknown[]) {
  const text = typeof parameters[0] === 'string' ? parameters[0] : (parameters[0] as { text?: string }).text
  const begin = (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 90)
  queries.set(begin, (queries.get(begin) ?? 0) + 1)
  return query.apply(this, parameters)
} as typeof pg.Client.prototype.query

const { server, directory, close } = await openInstallation()
const sshd = await startSshd()
const url = server.url

interface Answer {
  id: string
  token?: string
  is_finished?: boolean
  hosts?: { state: string }[]
}

let token = ''
async function call(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const output = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(output).slice(0, 500)}`)
  return output
}

/** Seconds from asking to the last answer. */
async function sallyport(hosts: readonly string[], command: string): Promise<number> {
  const begun = performance.now()
  const { id } = await call('POST', '/api/v1/ops/command-executions/', { command, hosts, run_as: systemUser })
  for (;;) {
    const run = await call('GET', `/api/v1/ops/command-executions/${id}/outcomes/`)
    if (!run.is_finished) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    const good = (run.hosts ?? []).filter(({ state }) => state === 'success').length
    if (good !== hosts.length)
      throw new Error(`${hosts.length - good} machines failed: ${JSON.stringify(run).slice(0, 800)}`)
    return (performance.now() - begun) / 1000
  }
}

const key = join(directory, 'key')
const options = `-p ${sshd.port} -i ${key} -o BatchMode=yes -o IdentitiesOnly=yes -o LogLevel=ERROR -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=${join(directory, 'known')}`

function parallel(): Promise<number> {
  const begun = performance.now()
  const login = `ssh -n ${options} ${sshd.username}@127.0.0.1 '${COMMAND}'`
  const line = `seq ${HOSTS} | parallel --will-cite -j ${AT_ONCE} -N0 "${login}" | wc -l`
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece
    })
    child.on('close', () =>
      Number(printed) === HOSTS * 2
        ? resolve((performance.now() - begun) / 1000)
        : reject(new Error(`${printed} lines came from parallel`)),
    )
  })
}

/** Bytes that nothing could free. */
function inUse(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Until nothing is due any more: what the runs before have left (logs to be sealed, counts) is no rest. */
async function comeToRest(): Promise<void> {
  const { pool, jobs, app } = server.kernel
  const telling = jobs.schedules.filter(({ hasWork }) => hasWork)
  for (const begun = performance.now(); ; ) {
    const busy = (await withWork(pool, telling, app.log)).map(({ name }) => name)
    const { rows } = await pool.query<{ name: string }>(
      "SELECT DISTINCT queue AS name FROM kernel_job WHERE state IN ('waiting', 'running') AND date_due <= now()",
    )
    busy.push(...rows.map(({ name }) => name))
    if (!busy.length) return
    if (performance.now() - begun > REST_MS) throw new Error(`the node does not come to rest: ${busy.join(', ')}`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

let systemUser = ''

try {
  writeFileSync(key, sshd.privateKey, { mode: 0o600 })
  token = (await call('POST', '/api/v1/authentication/tokens/', { username: 'admin', password: PASSWORD })).token ?? ''
  const me = await call('GET', '/api/v1/users/profile/')
  const login = { name: 'bench', username: sshd.username, private_key: sshd.privateKey, auto_push: false }
  systemUser = (await call('POST', '/api/v1/assets/system-users/', login)).id
  const hosts: string[] = []
  for (let n = 0; n < HOSTS; n++) {
    const where = { hostname: `host-${n}`, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] }
    hosts.push((await call('POST', '/api/v1/assets/assets/', where)).id)
  }
  const granted = { name: 'bench', users: [me.id], assets: hosts, system_users: [systemUser] }
  await call('POST', '/api/v1/perms/asset-permissions/', granted)

  const seconds = { parallel: [] as number[], sallyport: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    seconds.parallel.push(await parallel())
    seconds.sallyport.push(await sallyport(hosts, COMMAND))
  }
  const [theirs, ours] = [median(seconds.parallel), median(seconds.sallyport)]
  console.log(`"${COMMAND}" on ${HOSTS} machines, ${AT_ONCE} at a time, median of ${ROUNDS}`)
  console.log(`parallel + ssh  ${theirs.toFixed(2)} s`)
  console.log(`Sallyport       ${ours.toFixed(2)} s, ${(theirs / ours).toFixed(2)} of its speed (aim: ${AIM})`)
  keepRatio('of parallel with ssh', theirs / ours, 'more')
  if (theirs / ours < AIM) process.exitCode = 1

  // As many runs at once as a node has slots for.
  const runs = Array.from({ length: 5 }, (_, n) => hosts.slice(n * AT_ONCE, (n + 1) * AT_ONCE)).filter(
    (of) => of.length,
  )
  const amount = runs.flat().length
  const before = inUse()
  let during = before
  const looking = async () => {
    // All are logged in by then, and none is done.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    during = inUse()
  }
  await Promise.all([looking(), ...runs.map((of) => sallyport(of, 'yes | head -c 200000; sleep 8'))])
  console.log(`memory of a running machine: ${((during - before) / amount / 1024).toFixed(0)} kB (${amount} at once)`)

  await comeToRest()
  queries.clear()
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
  const sent = [...queries].sort(([, a], [, b]) => b - a)
  const rate = sent.reduce((sum, [, times]) => sum + times, 0) / IDLE_SECONDS
  console.log(`idle node: ${rate.toFixed(2)} queries a second over ${IDLE_SECONDS} s (aim: under ${IDLE_AIM})`)
  for (const [begin, times] of sent.slice(0, 12)) console.log(`  ${times} × ${begin}`)
  if (rate >= IDLE_AIM) process.exitCode = 1
} finally {
  await sshd.close()
  await close()
}
