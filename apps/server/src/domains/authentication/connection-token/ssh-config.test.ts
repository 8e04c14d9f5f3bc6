import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import type { SshAccount } from '../../perms/index.ts'
import { sshConfig } from './ssh-config.ts'

let folder: string
let server: TestServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-ssh-config-'))
  server = await openTestServer()
})
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What OpenSSH's own client makes of it. */
function read(config: string, host: string): Record<string, string> {
  const file = join(folder, 'config')
  writeFileSync(file, config)
  const lines = execFileSync('ssh', ['-F', file, '-G', host], { encoding: 'utf8', stdio: 'pipe' }).trim().split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
}

let count = 0
const account = (hostname: string, username: string, more: Partial<SshAccount> = {}): SshAccount => ({
  asset: `a${++count}`,
  hostname,
  ip: `10.0.0.${count}`,
  system_user: `s${count}`,
  username,
  ...more,
})
const parts = { username: 'alice', host: 'sallyport.example.com', port: 2222 }
const config = (accounts: SshAccount[], username = 'alice') => sshConfig({ ...parts, username, accounts })

test('a machine has its name, with its first account, and one name for each account', () => {
  const first = account('web-1', 'root')
  const text = config([
    first,
    account('web-1', 'deploy', { asset: first.asset, ip: first.ip }),
    account('db-1', 'root'),
  ])
  for (const [host, user] of [
    ['web-1.via', 'alice@root@web-1'],
    ['root.web-1.via', 'alice@root@web-1'],
    ['deploy.web-1.via', 'alice@deploy@web-1'],
    ['db-1.via', 'alice@root@db-1'],
  ] as const)
    expect(read(text, host)).toMatchObject({ user, hostname: 'sallyport.example.com', port: '2222' })
  expect(read(text, 'elsewhere.example.com')).toMatchObject({ hostname: 'elsewhere.example.com', port: '22' })
})

test('a machine whose name is ambiguous, or means something to a reader, is named by ids', () => {
  const twice = account('web-1', 'root')
  const text = config([
    twice,
    account('WEB-1', 'root', { asset: 'a-other', system_user: 's-other' }),
    account('*', 'root', { asset: 'a-star', system_user: 's-star' }),
    account('x\n  ProxyCommand touch /tmp/owned', 'root', { asset: 'a-line', system_user: 's-line' }),
    account('a "b" $(id) %h', 'do\nmain', { asset: 'a-quoted', system_user: 's-quoted' }),
    account('数据库', 'root', { asset: 'a-letters', system_user: 's-letters' }),
    account(twice.ip, 'root', { asset: 'a-address', system_user: 's-address' }),
    account('two', 'app', { asset: 'a-two', system_user: 's-two' }),
    account('two', 'app', { asset: 'a-two', system_user: 's-too' }),
  ])
  expect(text).not.toMatch(/^\s*ProxyCommand|\$\(|"|%/m)
  const users = [...text.matchAll(/^ {2}User (\S+)$/gm)].map(([, user]) => user)
  expect(users).toEqual([
    `alice@${twice.system_user}@${twice.asset}`,
    'alice@s-other@a-other',
    'alice@s-star@a-star',
    'alice@s-line@a-line',
    'alice@s-quoted@a-quoted',
    'alice@s-letters@a-letters',
    'alice@s-address@a-address',
    'alice@s-two@a-two',
    'alice@s-too@a-two',
  ])
  const names = [...text.matchAll(/^Host (.+)$/gm)].flatMap(([, some = '']) => some.split(' '))
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  expect(read(text, 'web-1.via')).toMatchObject({ user: users[0], hostname: 'sallyport.example.com' })
  expect(read(text, 'WEB-1-a-other.via')).toMatchObject({ user: 'alice@s-other@a-other' })
})

test('a name with an @ has # between its parts', () => {
  expect(read(config([account('web-1', 'root')], 'alice@corp'), 'web-1.via').user).toBe('alice@corp#root#web-1')
})

test('everybody gets their own machines, and nothing without signing in', async () => {
  const { admin } = server
  const person = await server.aPerson('configurer')
  const path = '/api/v1/authentication/ssh-config/'
  const made = async (where: string, body: object) => (await admin.post(where, body)).body.id as string
  const asset = (hostname: string, protocols: string[]) =>
    made('/api/v1/assets/assets/', { hostname, ip: '10.9.9.9', platform: 'Linux', protocols })
  const assets = [await asset('mine', ['ssh/22']), await asset('desktop', ['rdp/3389'])]
  await asset('another', ['ssh/22'])
  const system_users = [
    await made('/api/v1/assets/system-users/', {
      name: 'deploy',
      username: 'deploy',
      protocol: 'ssh',
      login_mode: 'manual',
    }),
  ]
  await made('/api/v1/perms/asset-permissions/', { name: 'mine', users: [person.id], assets, system_users })
  const { status, body } = await person.get(path)
  expect([status, [...String(body).matchAll(/^ {2}User (.+)$/gm)].map(([, user]) => user)]).toEqual([
    200,
    ['configurer@deploy@mine'],
  ])
  expect((await fetch(`${server.url}${path}`)).status).toBe(401)
})
