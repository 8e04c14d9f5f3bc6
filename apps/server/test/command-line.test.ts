/** `sallyport` as people run it, and the client beneath it, against a server and a machine that are real. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError, accessKey, bearer, createClient } from '@sallyport/client'
import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { settingsOf } from '../src/domains/settings/index.ts'
import { openSshFixture, PASSWORD, type SshFixture } from '../src/gateway/listeners/ssh/ssh-fixture.ts'
import { openTestBrowser, type TestBrowser } from './browser.ts'

const PROGRAM = fileURLToPath(new URL('../../../packages/cli/bin/sallyport.js', import.meta.url))

let fixture: SshFixture
let url: string
/** In which the fixture's person is signed in. */
let browser: TestBrowser
let home: string

beforeAll(async () => {
  fixture = await openSshFixture()
  const { server, person } = fixture
  url = server.url
  await settingsOf(server.kernel).set('SECURITY_LOGIN_CAPTCHA_ENABLED', false)
  browser = openTestBrowser(server)
  const { body } = await browser.call('POST', '/core/auth/login/', { username: person.username, password: PASSWORD })
  expect(body).toEqual({ next: '/ui/' })
})
afterAll(() => fixture?.close())
beforeEach(() => {
  home = join(fixture.folder, 'home')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
})

interface Ran {
  code: number | null
  out: string
  error: string
}

/** A run of the program, whose person has signed in by a token unless the test says otherwise. */
function sallyport(
  words: string[],
  { input = '', as = fixture.person.token, ...environment }: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      LC_ALL: 'C',
      ...(as ? { SALLYPORT_CLI_URL: url, SALLYPORT_CLI_TOKEN: as } : {}),
      ...environment,
    },
  })
  let [out, error] = ['', '']
  child.stdout.on('data', (bytes) => (out += bytes))
  const seen = new Set<() => void>()
  child.stderr.on('data', (bytes) => {
    error += bytes
    for (const look of seen) look()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, error }))
  })
  /** The first text like this on the standard error; fails when the program ends without it. */
  const see = (text: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const [found] = text.exec(error) ?? []
        if (found) resolve(found)
      }
      seen.add(look)
      look()
      ended.then((ran) => reject(new Error(JSON.stringify(ran))), reject)
    })
  return { ended, see }
}
const run = (words: string[], options?: Record<string, string>) => sallyport(words, options).ended
const credentials = () => join(home, 'config/sallyport/credentials.json')

test('a person signs in with a browser that is signed in, and what is kept is for their eyes alone', async () => {
  const { see, ended } = sallyport(['login', url, '--user', fixture.person.username], { as: '' })
  const code = await see(/(?<=code=)[A-Z0-9]{4}-[A-Z0-9]{4}/)
  expect((await browser.call('GET', `/api/v1/authentication/browser-sign-ins/${code}/`)).body).toMatchObject({
    username: fixture.person.username,
    program: expect.stringContaining('sallyport-cli/'),
    state: 'open',
  })
  expect((await browser.call('POST', `/api/v1/authentication/browser-sign-ins/${code}/confirm/`, {})).status).toBe(200)
  expect(await ended).toMatchObject({ code: 0, out: `Signed in to ${url} as ${fixture.person.username}\n` })
  expect(statSync(credentials()).mode & 0o777).toBe(0o600)
  expect((await run(['whoami'], { as: '' })).out).toContain(fixture.person.username)
})

test('a sign-in that its person refuses in the browser signs nobody in', async () => {
  const { see, ended } = sallyport(['login', url, '--user', fixture.person.username], { as: '' })
  const code = await see(/(?<=code=)[A-Z0-9]{4}-[A-Z0-9]{4}/)
  await browser.call('POST', `/api/v1/authentication/browser-sign-ins/${code}/refuse/`, {})
  expect((await ended).code).not.toBe(0)
  expect((await run(['ls'], { as: '' })).code).toBe(3)
})

/** Signed in, with the SSH entry of this server, as a person does once. */
async function signedIn(): Promise<void> {
  const ran = await run(['login', url, '--token', '--ssh', `127.0.0.1:${fixture.port}`], {
    as: '',
    input: `${fixture.person.token}\n`,
  })
  expect(ran).toMatchObject({ code: 0, error: '' })
}

/** Options of OpenSSH as the fixture has them, which are passed on. */
const openSsh = () =>
  fixture
    .clientOptions()
    .options.flatMap((option, at, all) => (option === '-F' || all[at - 1] === '-F' ? [option] : [option]))

test('a key is read from the standard input, signs each call, and is refused once it is deleted', async () => {
  const { body: key } = await fixture.person.post('/api/v1/authentication/access-keys/', {})
  const made = await run(['login', url, '--key'], { as: '', input: JSON.stringify({ id: key.id, secret: key.secret }) })
  expect(made).toMatchObject({ code: 0, error: '' })
  expect((await run(['--json', 'whoami'], { as: '' })).out).toContain(fixture.person.id)
  const client = createClient({ url, credentials: accessKey(key) })
  expect(await client.get('/api/v1/users/profile/', { query: { a: 'ü /?&' } })).toMatchObject({ id: fixture.person.id })
  await fixture.person.delete(`/api/v1/authentication/access-keys/${key.id}/`)
  expect(await run(['ls'], { as: '' })).toMatchObject({ code: 3, error: expect.stringContaining('sallyport login') })
})

test('machines are listed for people, for programs, and in Chinese', async () => {
  const { out } = await run(['ls'])
  expect(out).toMatch(/^NAME +ADDRESS +PROTOCOLS .*\nweb-1 +127\.0\.0\.1 +ssh\/\d+ /)
  const [row] = JSON.parse((await run(['ls', 'web', '--json'])).out)
  expect(row).toMatchObject({ id: fixture.asset, hostname: 'web-1' })
  expect((await run(['ls'], { LC_ALL: 'zh_CN.UTF-8' })).out).toMatch(/^名称/)
  expect((await run(['--help'], { LANG: 'zh_CN.UTF-8', LC_ALL: '' })).out).toContain('登录服务器')
  expect((await run(['ls', 'nothing-like-this', '--json'])).out).toBe('[]\n')
})

test('ssh, scp and sftp reach the machine with the client that is installed, and keep its exit code', async () => {
  await signedIn()
  const shell = await run(['ssh', ...openSsh(), 'web-1', 'echo in; exit 7'], { as: '' })
  expect(shell).toMatchObject({ code: 7, out: 'in\n' })
  const words = await run(['ssh', ...openSsh(), `${fixture.sshd.username}@web-1`, 'echo', '--json'], { as: '' })
  expect(words).toMatchObject({ code: 0, out: '--json\n' })
  const file = join(home, 'a file')
  writeFileSync(file, 'content')
  const up = await run(['scp', ...openSsh(), file, `web-1:${file}.up`], { as: '' })
  expect([up.code, readFileSync(`${file}.up`, 'utf8')]).toEqual([0, 'content'])
  const batch = join(home, 'batch')
  writeFileSync(batch, `get "${file}" "${file}.down"\n`)
  const down = await run(['sftp', ...openSsh(), '-b', batch, 'web-1'], { as: '' })
  expect([down.code, readFileSync(`${file}.down`, 'utf8')]).toEqual([0, 'content'])
})

test('exit codes tell what went wrong, and with --json so do the words', async () => {
  const codes = async (...words: string[]) => (await run(words)).code
  expect(await codes('ssh', 'web-9')).toBe(5)
  expect(await codes('ssh', 'nobody@web-1')).toBe(5)
  expect(await codes('sing')).toBe(2)
  expect(await codes('ls', '--louder')).toBe(2)
  expect(await codes('sessions')).toBe(4)
  expect((await run(['ls'], { as: '' })).code).toBe(3)
  expect((await run(['ls'], { as: 'wrong' })).code).toBe(3)
  expect((await run(['ls', '--server', 'http://127.0.0.1:9'])).code).toBe(69)
  const { code, error, out } = await run(['--json', 'ssh', 'web-9'])
  expect([code, out, JSON.parse(error)]).toEqual([
    5,
    '',
    { error: { exit: 'notFound', code: 'notFound', message: expect.any(String) } },
  ])
  await signedIn()
  chmodSync(credentials(), 0o640)
  expect(await run(['ls'], { as: '' })).toMatchObject({ code: 1, error: expect.stringContaining('chmod 600') })
})

test('explain says whether a session would open, and why not', async () => {
  expect(await run(['explain', 'web-1'])).toMatchObject({ code: 0, out: expect.stringContaining('would open now') })
  const path = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  await fixture.server.admin.patch(path, { actions: ['download_file'] })
  try {
    const refused = await run(['explain', 'web-1', '--json'])
    expect([refused.code, JSON.parse(refused.out).verdict]).toEqual([4, 'refused'])
  } finally {
    await fixture.server.admin.patch(path, { actions: ['all'] })
  }
})

test('access is asked for, waited for, and used', async () => {
  const { server, person, created } = fixture
  await server.admin.post('/api/v1/tickets/flows/', {
    type: 'apply_asset',
    approval_level: 1,
    rules: [{ level: 1, strategy: 'org_admin', assignees: [] }],
  })
  await created('/api/v1/assets/assets/', {
    hostname: 'web-2',
    ip: '127.0.0.2',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  const ask = sallyport(['request', 'web-2', '--reason', 'to look at it', '--for', '1h', '--wait', '--json'])
  await ask.see(/waiting for a decision/)
  const { body } = await person.get('/api/v1/tickets/tickets/')
  expect(body[0]).toMatchObject({ state: 'open', type: 'apply_asset' })
  expect((await server.admin.patch(`/api/v1/tickets/tickets/${body[0].id}/approve/`, {})).status).toBe(200)
  const { code, out } = await ask.ended
  expect([code, JSON.parse(out).state]).toEqual([0, 'approved'])
  expect((await run(['ls', 'web-2', '--json'])).out).toContain('web-2')
  const again = sallyport(['request', 'web-2', '--reason', 'once more', '--wait'])
  await again.see(/waiting for a decision/)
  const [open] = (await person.get('/api/v1/tickets/tickets/?state=open')).body
  await server.admin.patch(`/api/v1/tickets/tickets/${open.id}/reject/`, {})
  expect((await again.ended).code).toBe(6)
})

test('an auditor lists sessions and plays one in the terminal, without what could do harm there', async () => {
  await fixture.ssh(fixture.direct, `printf 'seen\\033]52;c;ZXZpbA==\\007 and gone\\n'`, { options: ['-tt'] })
  const admin = { as: fixture.server.admin.token }
  const list = async () =>
    JSON.parse((await run(['sessions', '--json'], admin)).out) as {
      id: string
      can_replay: boolean
      is_finished: boolean
    }[]
  await expect.poll(async () => (await list())[0]).toMatchObject({ is_finished: true, can_replay: true })
  const [{ id } = { id: '' }] = await list()
  const { code, out } = await run(['replay', id, '--speed', '0'], admin)
  expect([code, out]).toEqual([0, expect.stringContaining('seen and gone')])
  expect(out).not.toContain('52;c')
  expect((await run(['sessions'], admin)).out).toContain(id)
  expect((await run(['replay', id], {})).code).toBe(4)
})

/** A stand-in for a client of databases, which prints what it was started with. */
const SHOWS = '#!/bin/sh\necho "$*"\nenv | grep -E "^PG|SALLYPORT" | sort\ntr "\\0" " " < /proc/$PPID/cmdline\n'

test('a database opens with its own client, to which the token comes by its environment', async () => {
  const { person, created } = fixture
  const application = await created('/api/v1/applications/applications/', {
    name: 'shop',
    category: 'db',
    type: 'postgresql',
    attrs: { host: '127.0.0.1', port: 5432, database: 'shop' },
  })
  const account = await created('/api/v1/assets/system-users/', {
    name: 'reader',
    username: 'reader',
    protocol: 'postgresql',
    login_mode: 'auto',
    password: 'secret-of-reader',
  })
  await created('/api/v1/perms/application-permissions/', {
    name: 'shop',
    category: 'db',
    type: 'postgresql',
    users: [person.id],
    applications: [application],
    system_users: [account],
  })
  expect((await run(['ls', '--databases'])).out).toContain('shop')
  expect(await run(['db', 'shop'])).toMatchObject({ code: 1, error: expect.stringContaining('no port') })
  const programs = join(home, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'psql'), SHOWS, { mode: 0o755 })
  fixture.server.kernel.config.postgresqlPort = 15432
  try {
    const { code, out } = await run(['db', 'shop', '-c', 'SELECT 1'], { PATH: `${programs}:${process.env.PATH}` })
    const [words, ...rest] = out.split('\n')
    const token = /^PGUSER=(\S{20,})$/m.exec(out)?.[1] ?? ''
    expect([code, words]).toEqual([0, '-c SELECT 1'])
    expect(rest).toContain('PGPORT=15432')
    expect(token).not.toBe('')
    expect(rest.filter((line) => line.includes(token))).toEqual([`PGUSER=${token}`])
    expect(out).not.toContain(person.token)
  } finally {
    fixture.server.kernel.config.postgresqlPort = 0
  }
})

test('the completion of bash offers commands, options and the own machines', async () => {
  const script = join(home, 'completion')
  writeFileSync(script, (await run(['completion', 'bash'])).out)
  const programs = join(home, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'sallyport'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  })
  const offered = async (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const ask = `. ${script}; COMP_WORDS=(sallyport ${line}); COMP_CWORD=${words.length}; _sallyport; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await fixture.run('bash', ['-c', ask], {
      environment: {
        PATH: `${programs}:${process.env.PATH}`,
        SALLYPORT_CLI_URL: url,
        SALLYPORT_CLI_TOKEN: fixture.person.token,
      },
    })
    return stdout.toString().trim().split('\n')
  }
  expect(await offered('se')).toEqual(['sessions'])
  expect(await offered('ssh', 'web')).toContain('web-1')
  expect(await offered('ssh', `${fixture.sshd.username}@web-1`)).toEqual([`${fixture.sshd.username}@web-1`])
  expect(await offered('replay', '--sp')).toEqual(['--speed'])
  for (const shell of ['zsh', 'fish']) expect((await run(['completion', shell])).out).toContain('sallyport complete')
})

test('the client reads, writes and refuses as the API does', async () => {
  const admin = createClient({ url, credentials: bearer(fixture.server.admin.token), language: 'en' })
  const assets = admin.resource(asset)
  const made = await assets.create({ hostname: 'by-client', ip: '10.9.8.7', platform: 'Linux' })
  expect(await assets.patch(made.id, { comment: 'kept' })).toMatchObject({ hostname: 'by-client', comment: 'kept' })
  expect(await Array.fromAsync(assets.list({ hostname: 'by-client', fields: ['id', 'ip'] }))).toEqual([
    { id: made.id, ip: '10.9.8.7' },
  ])
  await assets.remove(made.id)
  await expect(assets.get(made.id)).rejects.toMatchObject({ status: 404, code: 'object_does_not_exist' })
  const wrong = await assets
    .create({ hostname: '', ip: '10.9.8.8', platform: 'Linux' })
    .catch((error: unknown) => error as ApiError)
  expect(wrong).toBeInstanceOf(ApiError)
  expect(Object.keys((wrong as ApiError).fields).toSorted()).toEqual(['hostname'])
})

// The last one: a person's token is the same for all that they do from one address.
test('signing out ends the token on the server, and forgets it here', async () => {
  await signedIn()
  const { token } = JSON.parse(readFileSync(credentials(), 'utf8')).servers[url].credentials
  expect((await run(['logout'], { as: '' })).code).toBe(0)
  expect(readFileSync(credentials(), 'utf8')).not.toContain(token)
  await expect(createClient({ url, credentials: bearer(token) }).get('/api/v1/users/profile/')).rejects.toMatchObject({
    status: 401,
  })
})
