/**
 * A power cut, in effect: `kill -9` of the server and of its database, and what is there when it
 * starts again on the same data.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { openTerminal } from '../apps/server/src/gateway/listeners/web/terminal-fixture.ts'
import { readPostmasterFile } from '../apps/server/src/kernel/database/embedded-orphan.ts'
import { type Installation, startInstallation } from './installation.ts'

const PASSWORD = 'Guarded-door-1'
const WRITERS = 8
const WRITES_BEFORE_THE_CUT = 120

let installation: Installation
let sshd: Sshd
let token: string

beforeAll(async () => {
  ;[installation, sshd] = await Promise.all([
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
  ])
  token = (await call('POST', '/api/v1/authentication/tokens/', { username: 'admin', password: PASSWORD })).token
})

afterAll(async () => {
  await sshd?.close()
  await installation?.stop()
})

test('a cut in a burst of writes loses nothing that was acknowledged, and no half of anything is there', async () => {
  const acknowledged: string[] = []
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const writer = async (number: number) => {
    for (let count = 0; ; count++) {
      const username = `person-${number}-${count}`
      const answer = await call('POST', '/api/v1/users/users/', {
        name: username,
        username,
        email: `${username}@example.com`,
        password: 'Walk-through-2',
      }).catch(() => undefined)
      if (!answer) return
      acknowledged.push(answer.username)
      if (acknowledged.length >= WRITES_BEFORE_THE_CUT) resolve()
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, number) => writer(number))
  await enough
  await cutThePower()
  await Promise.all(writers)
  await startAgain()

  const people: { username: string }[] = await call('GET', '/api/v1/users/users/?search=person-')
  const found = new Set(people.map((person) => person.username))
  expect(acknowledged.filter((username) => !found.has(username))).toEqual([])
  // A listed person has a membership in the organization; a line in the audit belongs to it as well.
  const audited = await call('GET', '/api/v1/audits/operate-logs/?resource_type=User&action=create&limit=1&offset=0')
  expect(audited.count).toBe(people.length)
})

test('A1.10 a cut in the middle of a session leaves it finished, with its recording up to the cut and its commands', async () => {
  const asset = await call('POST', '/api/v1/assets/assets/', {
    hostname: 'web-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const systemUser = await call('POST', '/api/v1/assets/system-users/', {
    name: 'Deploy',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  const { id: person } = await call('GET', '/api/v1/users/profile/')
  await call('POST', '/api/v1/perms/asset-permissions/', {
    name: 'walk',
    users: [person],
    assets: [asset.id],
    system_users: [systemUser.id],
  })
  const terminal = await openTerminal(
    installation.url,
    { token },
    { type: 'ssh', target: asset.id, systemUser: systemUser.id },
  )
  await terminal.see(/[#$] /)
  terminal.type('echo before"" the-cut\n')
  await terminal.see('before the-cut')
  terminal.type('echo 第二"" 行\n')
  await terminal.see('第二 行')
  const id = terminal.session?.id
  const recorded = () => call('GET', `/api/v1/terminal/commands/?session_id=${id}&order=timestamp`)
  // The last half second of the recording is lost.
  const replays = join(installation.data, 'replay')
  const plain =
    readdirSync(replays, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${id}.cast`)) ?? ''
  await expect.poll(() => readFileSync(join(replays, plain), 'utf8')).toContain('before the-cut')
  // Further input goes on when the command before is written down.
  terminal.type('s')
  await terminal.see('s')
  await cutThePower()
  await terminal.closed
  await startAgain()

  await expect
    .poll(() => call('GET', `/api/v1/terminal/sessions/${id}/`))
    .toMatchObject({ is_finished: true, can_replay: true, can_terminate: false })
  const { src } = await call('GET', `/api/v1/terminal/sessions/${id}/replay/`)
  const recording = await (await fetch(installation.url + src, { headers: headers() })).text()
  const [, ...events] = recording
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const shown = events.map(([, kind, text]) => (kind === 'o' ? text : '')).join('')
  expect(shown).toContain('before the-cut')
  expect(terminal.text()).toContain(shown)
  expect((await recorded()).map((command: { input: string }) => command.input)).toEqual([
    'echo before"" the-cut',
    'echo 第二"" 行',
  ])
})

test('a cut right after the last of fifty uploads was acknowledged leaves a row of each, and of the one under way a failed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cut-'))
  const direct = await filesOfAdmin(folder)
  writeFileSync(join(folder, 'small'), 'small')
  writeFileSync(join(folder, 'large'), Buffer.alloc(64 * 1024 * 1024))
  const uploads = Array.from({ length: 50 }, (_, n) => `put ${folder}/small ${folder}/arrived-${n}`)
  const options = ['-F', '/dev/null', '-o', `Port=${installation.sshPort}`, '-i', join(folder, 'id'), '-q']
  const known = ['-o', `UserKnownHostsFile=${join(folder, 'known')}`, '-o', 'StrictHostKeyChecking=accept-new']
  const large = spawn('sftp', [...options, ...known, '-l', '4000', '-b', '-', direct], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  large.stdin.end(`put ${folder}/large ${folder}/under-way\n`)
  await expect.poll(() => existsSync(`${folder}/under-way`)).toBe(true)
  const sftp = spawn('sftp', [...options, ...known, '-b', '-', direct], { stdio: ['pipe', 'ignore', 'ignore'] })
  // Within the time in which rows are gathered for the database.
  sftp.stdin.end([...uploads, `!kill -9 ${installation.process.pid}`, ''].join('\n'))
  await Promise.all([once(sftp, 'close'), once(large, 'close')])
  await cutThePower()
  await startAgain()

  const rows = () => call('GET', `/api/v1/audits/ftp-logs/?search=${folder}&limit=100&offset=0`)
  await expect.poll(async () => (await rows()).count).toBe(51)
  const outcomes = (await rows()).results.map((row: { filename: string; is_success: boolean }) => [
    row.filename,
    row.is_success,
  ])
  const arrived = uploads.map((_, n) => [`${folder}/arrived-${n}`, true])
  expect(outcomes.sort()).toEqual([...arrived, [`${folder}/under-way`, false]].sort())
  rmSync(folder, { recursive: true, force: true })
})

/** Lets the administrator reach a machine by SSH with a key in the folder; answers the destination. */
async function filesOfAdmin(folder: string): Promise<string> {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
  await call('PUT', '/api/v1/users/profile/public-key/', { public_key: readFileSync(join(folder, 'id.pub'), 'utf8') })
  const asset = await call('POST', '/api/v1/assets/assets/', {
    hostname: 'files-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${sshd.port}`],
  })
  const systemUser = await call('POST', '/api/v1/assets/system-users/', {
    name: 'Files',
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
  })
  const { id } = await call('GET', '/api/v1/users/profile/')
  await call('POST', '/api/v1/perms/asset-permissions/', {
    name: 'files',
    users: [id],
    assets: [asset.id],
    system_users: [systemUser.id],
  })
  return `admin@Files@files-1@127.0.0.1`
}

/** Ends the server and PostgreSQL at the same moment, without a word to either. */
async function cutThePower(): Promise<void> {
  const postmaster = await readPostmasterFile(join(installation.data, 'postgres'))
  if (postmaster) process.kill(postmaster.pid, 'SIGKILL')
  await installation.kill()
}

async function startAgain(): Promise<void> {
  installation = await startInstallation({ data: installation.data })
}

const headers = () => ({ ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'application/json' })

/**
 * Calls the API as the administrator; throws when it does not answer, or with anything but success.
 */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(installation.url + path, {
    method,
    headers: headers(),
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
