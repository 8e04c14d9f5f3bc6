/**
 * New sessions a second: people who each connect with a client of their own, see the prompt and
 * leave, one after the other, a few at a time. Straight to the sshd, and through Sallyport (with
 * its row, its recording and its log of sign-ins) by key and by password, turn by turn in the same
 * run, with the processor time of each part for one session. A ratio of 1: as many as the sshd itself accepts.
 *
 *   node_modules/.bin/node bench/new-sessions.ts     # BENCH_ROUNDS=5 BENCH_SESSIONS=60
 *   BENCH_MAIN=<main.ts of another version>          # which is measured beside this one
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type ssh2 from 'ssh2'
import { startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { Client } from '../apps/server/src/kernel/ssh/ssh2/index.ts'
import { startInstallation } from '../e2e/installation.ts'
import { median } from './figures.ts'
import { PASSWORD } from './installation.ts'
import { processorTime } from './processor-time.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 60)
/** So many people open a session at the same time. */
const AT_A_TIME = 6
const PROMPT = /[#$] /
const OTHER = process.env.BENCH_MAIN
/** The product's aim. */
const AIM = 0.8

interface Way {
  name: string
  /** The login of the person with that number. */
  login(person: number): ssh2.ConnectConfig
  /** The server, without the sshd behind it. */
  pid?: number
  perSecond: number[]
  /** Milliseconds of a processor for one session. */
  own: number[]
  database: number[]
}

const sshd = await startSshd({ config: 'MaxStartups 500\n' })
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
const [privateKey, publicKey] = [readFileSync(join(folder, 'id'), 'utf8'), readFileSync(join(folder, 'id.pub'), 'utf8')]
rmSync(folder, { recursive: true })

/** A version of the product, with people who may use the sshd. */
async function version(main: string | undefined) {
  const installation = await startInstallation({
    main,
    settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, SALLYPORT_REQUESTS_PER_PERSON: '100000000' },
  })
  const call = async (path: string, body: unknown, token?: string, method = 'POST') => {
    const answer = await fetch(`${installation.url}/api/v1/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string; token: string }
  }
  const { token } = await call('authentication/tokens/', { username: 'admin', password: PASSWORD })
  const asset = await call(
    'assets/assets/',
    { hostname: 'bench', ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${sshd.port}`] },
    token,
  )
  const account = { name: 'bench', username: sshd.username, protocol: 'ssh', login_mode: 'auto', auto_push: false }
  const systemUser = await call('assets/system-users/', { ...account, private_key: sshd.privateKey }, token)
  const users: string[] = []
  for (let person = 0; person < AT_A_TIME; person++) {
    const name = `person-${person}`
    const draft = { name, username: name, email: `${name}@example.com`, role: 'User', org_roles: ['User'] }
    const user = await call(
      'users/users/',
      { ...draft, password_strategy: 'custom', password: `${PASSWORD}${person}` },
      token,
    )
    const own = await call('authentication/tokens/', { username: name, password: `${PASSWORD}${person}` })
    await call('users/profile/public-key/', { public_key: publicKey }, own.token, 'PUT')
    users.push(user.id)
  }
  const granted = { name: 'bench', users, assets: [asset.id], system_users: [systemUser.id] }
  await call('perms/asset-permissions/', granted, token)
  const login = (person: number) => ({
    port: installation.sshPort,
    username: `person-${person}@${systemUser.id}@${asset.id}`,
  })
  const pid = installation.process.pid as number
  const ways = (label: string): Way[] => [
    way(`${label}, by key`, (person) => ({ ...login(person), privateKey }), pid),
    way(`${label}, by password`, (person) => ({ ...login(person), password: `${PASSWORD}${person}` }), pid),
  ]
  return { ways, stop: () => installation.stop() }
}

const way = (name: string, login: Way['login'], pid?: number): Way => ({
  name,
  login,
  ...(pid ? { pid } : {}),
  perSecond: [],
  own: [],
  database: [],
})

/** Connects, waits for the prompt, and leaves. */
function session(login: ssh2.ConnectConfig): Promise<void> {
  const client = new Client()
  return new Promise((resolve, reject) => {
    client.once('error', reject)
    client.once('close', resolve)
    client.once('ready', () =>
      client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, channel) => {
        if (error) return reject(error)
        let text = ''
        channel.on('data', (bytes: Buffer) => {
          text += bytes
          if (PROMPT.test(text)) client.end()
        })
      }),
    )
    client.connect({ host: '127.0.0.1', algorithms: { cipher: ['aes128-gcm@openssh.com'] }, ...login })
  })
}

async function round({ login, pid }: Way, count: number) {
  let left = count
  const person = async (number: number) => {
    while (left-- > 0) await session(login(number))
  }
  const before = pid ? processorTime(pid) : undefined
  const started = performance.now()
  await Promise.all(Array.from({ length: AT_A_TIME }, (_, number) => person(number)))
  const perSecond = count / ((performance.now() - started) / 1000)
  const after = pid ? processorTime(pid) : undefined
  const each = (of: 'own' | 'below') => (after && before ? (after[of] - before[of]) / count : 0)
  return { perSecond, own: each('own'), database: each('below') }
}

const here = await version(undefined)
const other = OTHER ? await version(OTHER) : undefined
const direct = way('sshd', () => ({ port: sshd.port, username: sshd.username, privateKey: sshd.privateKey }))
const ways = [direct, ...here.ways('Sallyport'), ...(other?.ways('the other version') ?? [])]
try {
  // What runs is compiled, and statements are prepared, before anything counts.
  for (const one of ways) await round(one, SESSIONS)
  for (let turn = 0; turn < ROUNDS; turn++)
    for (const one of ways) {
      const { perSecond, own, database } = await round(one, SESSIONS)
      one.perSecond.push(perSecond)
      one.own.push(own)
      one.database.push(database)
    }
  console.log(`${SESSIONS} sessions, ${AT_A_TIME} people at a time, median of ${ROUNDS}`)
  for (const { name, perSecond, own, database, pid } of ways) {
    const ratio = median(perSecond.map((rate, turn) => rate / (direct.perSecond[turn] ?? Number.NaN)))
    console.log(
      `${name.padEnd(30)} ${median(perSecond).toFixed(1).padStart(6)}/s` +
        (pid
          ? `  of the sshd ${ratio.toFixed(2)} (aim ${AIM})  processor for each: server ${median(own).toFixed(1)} ms, PostgreSQL ${median(database).toFixed(1)} ms`
          : ''),
    )
  }
} finally {
  await here.stop()
  await other?.stop()
  await sshd.close()
}
