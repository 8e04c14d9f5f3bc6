/**
 * What many live sessions cost: the echo of a keystroke through the SSH entry with 1, 200 and 500
 * live sessions, each of which prints a line a second, against the same keystroke straight to the
 * sshd in the same minute; what the guard of commands adds to a keystroke and to the return behind
 * an allowed line, under 200 rules and under none; memory of a session; new sessions a second. The
 * server is a process of its own. `BENCH_SOAK_MINUTES=10` keeps 200 sessions for so long instead
 * and shows whether memory stays flat.
 *
 *   node_modules/.bin/node bench/echo.ts            # BENCH_SESSIONS=1,200,500 BENCH_KEYS=500
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type ssh2 from 'ssh2'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { Client } from '../apps/server/src/kernel/ssh/ssh2/index.ts'
import { startInstallation } from '../e2e/installation.ts'
import { expressions, WORK } from './command-rules.ts'

const SESSIONS = (process.env.BENCH_SESSIONS ?? '1,200,500').split(',').map(Number)
const KEYS = Number(process.env.BENCH_KEYS ?? 500)
/** Keys spread over several rounds of what the sessions print. */
const BETWEEN_KEYS_MS = 9
/** Shells that have just been started are busy with themselves. */
const SETTLE_MS = 3000
const RETURNS = Number(process.env.BENCH_RETURNS ?? 300)
/** Rules of the guard; nothing that is typed here is denied by one. */
const RULES = 200
const SOAK_MINUTES = Number(process.env.BENCH_SOAK_MINUTES ?? 0)
const SOAK_SESSIONS = 200
const PASSWORD = 'Bench-password-1'
const PROMPT = /[#$] /
/** A connection carries so many sessions: people have a few, tools many. */
const CHANNELS = 10
/**
 * What every session prints meanwhile. The shell does it by itself: the machines of a real gateway
 * do not start their programs on its processors.
 */
const QUIET_WORK = "while ! read -t 1; do printf '%(%c)T 请求完成 GET /api/v1/assets/ 200 12ms\\n'; done\n"
/** Aims of p99, added milliseconds, by number of sessions. */
const AIMS: Readonly<Record<number, number>> = { 200: 2, 500: 5 }

const sshd = await startSshd({ config: 'MaxSessions 1000\n' })
const installation = await startInstallation({
  settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD },
})
const { pid } = installation.process
const api = async (path: string, body: unknown, token?: string, method = 'POST') => {
  const answer = await fetch(`${installation.url}/api/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { id: string; token: string; user: { id: string } }
}

/**
 * An asset on the sshd that the administrator may use in two ways: the user names that lead straight
 * to it, `ruled` under command rules.
 */
async function describe(): Promise<{ own: string; ruled: string }> {
  const { token, user } = await api('authentication/tokens/', { username: 'admin', password: PASSWORD })
  const asset = await api(
    'assets/assets/',
    { hostname: 'bench', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] },
    token,
  )
  const account = {
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  }
  const own = await api('assets/system-users/', { name: 'own', ...account }, token)
  const ruled = await api('assets/system-users/', { name: 'ruled', ...account }, token)
  await api(
    'perms/asset-permissions/',
    { name: 'bench', users: [user.id], assets: [asset.id], system_users: [own.id, ruled.id] },
    token,
  )
  const filter = await api('assets/cmd-filters/', { name: 'bench', system_users: [ruled.id] }, token)
  for (const content of expressions(RULES))
    await api(`assets/cmd-filters/${filter.id}/rules/`, { type: 'regex', content, action: 0, ignore_case: true }, token)
  return { own: `admin@${own.id}@${asset.id}`, ruled: `admin@${ruled.id}@${asset.id}` }
}

function connect(options: ssh2.ConnectConfig): Promise<ssh2.Client> {
  const client = new Client()
  return new Promise((resolve, reject) =>
    client
      .once('ready', () => resolve(client.setNoDelay(true)))
      .once('error', reject)
      .connect({
        host: '127.0.0.1',
        algorithms: { cipher: ['aes128-gcm@openssh.com'] },
        readyTimeout: 60_000,
        ...options,
      }),
  )
}

function shell(client: ssh2.Client): Promise<ssh2.ClientChannel> {
  return new Promise((resolve, reject) =>
    client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, channel) => (error ? reject(error) : resolve(channel))),
  )
}

/** Waits until the program says so. */
function until(channel: ssh2.ClientChannel, wanted: RegExp): Promise<void> {
  let text = ''
  return new Promise((resolve) => {
    const hear = (bytes: Buffer) => {
      text += bytes
      if (!wanted.test(text)) return
      channel.off('data', hear)
      resolve()
    }
    channel.on('data', hear)
  })
}

/** A terminal in which the machine echoes and nothing else answers. */
async function echoing(client: ssh2.Client): Promise<() => Promise<number>> {
  const channel = await shell(client)
  await until(channel, PROMPT)
  channel.write('stty -icanon; cat > /dev/null; echo over\n')
  await new Promise((resolve) => setTimeout(resolve, 500))
  return () => {
    const started = performance.now()
    return new Promise((resolve) => {
      channel.once('data', () => resolve(performance.now() - started))
      channel.write('x')
    })
  }
}

/** A shell in which lines are run; answers how long the first sign of it takes. */
async function running(client: ssh2.Client): Promise<(name: string) => Promise<number>> {
  const channel = await shell(client)
  let text = ''
  let heard = () => {}
  channel.on('data', (bytes: Buffer) => {
    text += bytes
    heard()
  })
  const see = async (wanted: RegExp) => {
    while (!wanted.test(text)) await new Promise<void>((resolve) => void (heard = resolve))
  }
  await see(PROMPT)
  return async (name) => {
    channel.write(`: ${WORK.replaceAll('|', '-')} ${name}`)
    await see(new RegExp(name))
    text = ''
    const started = performance.now()
    channel.write('\r')
    await see(/./s)
    const took = performance.now() - started
    await see(PROMPT)
    return took
  }
}

const percentile = (values: number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
const added = (ours: number[], theirs: number[]) =>
  [0.5, 0.99].map((share) => (percentile(ours, share) - percentile(theirs, share)).toFixed(2))
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const login = await describe()
const [through, ruled] = [login.own, login.ruled].map((username) => ({
  port: installation.sshPort,
  username,
  password: PASSWORD,
})) as [ssh2.ConnectConfig, ssh2.ConnectConfig]
const straight = { port: sshd.port, username: sshd.username, privateKey: sshd.privateKey }
const clients: ssh2.Client[] = []
let open = 0

async function growTo(count: number): Promise<number> {
  const started = performance.now()
  const before = open
  while (open < count) {
    const client = await connect(ruled)
    clients.push(client)
    const some = Math.min(CHANNELS, count - open)
    await Promise.all(
      Array.from({ length: some }, async () => {
        const channel = await shell(client)
        channel.on('data', () => {})
        channel.write(QUIET_WORK)
      }),
    )
    open += some
  }
  return (open - before) / ((performance.now() - started) / 1000)
}

try {
  const keys = await Promise.all([straight, through, ruled].map(async (way) => echoing(await connect(way))))
  const returns = await Promise.all([straight, through, ruled].map(async (way) => running(await connect(way))))
  if (SOAK_MINUTES) {
    await growTo(SOAK_SESSIONS)
    const samples: number[] = []
    for (let minute = 0; minute <= SOAK_MINUTES; minute++) {
      samples.push(memory())
      console.log(`minute ${minute}: ${open} sessions, ${memory().toFixed(0)} MB`)
      if (minute < SOAK_MINUTES) await new Promise((resolve) => setTimeout(resolve, 60_000))
    }
    // Collected memory rises and falls: the peaks say whether it grows.
    const half = Math.ceil(samples.length / 2)
    const growth = Math.max(...samples.slice(half)) / Math.max(...samples.slice(0, half))
    console.log(`peak of the second half against the first: ${growth.toFixed(2)}`)
    if (growth > 1.15) process.exitCode = 1
  } else {
    const empty = memory()
    for (const count of SESSIONS) {
      const rate = await growTo(count - 1)
      await pause(SETTLE_MS)
      const echoes: number[][] = keys.map(() => [])
      for (let key = 0; key < KEYS; key++) {
        await pause(BETWEEN_KEYS_MS)
        for (const [way, type] of keys.entries()) echoes[way]?.push(await type())
      }
      const answers: number[][] = returns.map(() => [])
      for (let line = 0; line < RETURNS; line++)
        for (const [way, run] of returns.entries()) answers[way]?.push(await run(`line-${count}-${line}-${way}`))
      const [direct = [], own = [], guarded = []] = echoes
      const [, ownReturn = [], guardedReturn = []] = answers
      const [p50, p99] = added(own, direct)
      console.log(
        `${String(count).padStart(4)} sessions  echo p50 ${percentile(own, 0.5).toFixed(2)} ms (direct ${percentile(direct, 0.5).toFixed(2)})  p99 ${percentile(own, 0.99).toFixed(2)} (direct ${percentile(direct, 0.99).toFixed(2)})  added p50 ${p50}, p99 ${p99}${AIMS[count] ? ` (aim ${AIMS[count]})` : ''}`,
      )
      console.log(
        `               ${RULES} rules against none: added to the echo p50 ${added(guarded, own).join(', p99 ')} ms; to a return (p50 ${percentile(ownReturn, 0.5).toFixed(2)}, p99 ${percentile(ownReturn, 0.99).toFixed(2)} ms) p50 ${added(guardedReturn, ownReturn).join(', p99 ')} ms (aim 1)`,
      )
      if (count > 1)
        console.log(
          `               ${((memory() - empty) / count).toFixed(2)} MB a session (aim 1.5), ${rate.toFixed(0)} new sessions a second`,
        )
    }
  }
} finally {
  for (const client of clients) client.destroy()
  await installation.stop()
  await sshd.close()
  process.exit()
}
