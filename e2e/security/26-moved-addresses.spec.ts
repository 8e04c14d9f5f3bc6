// Class 26: what is stored for one address goes to no other: people who may move a machine, a gateway or
// a server of the settings does not get its secrets by that. Somebody who administers an organization
// has machines of their own listen, and looks at what arrives.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ListeningMachine,
  startListeningMachine,
} from '../../apps/server/src/domains/assets/listening-machine-fixture.ts'
import { Client } from '../../apps/server/src/kernel/ssh/ssh2/index.ts'
import { signed } from '../../apps/server/test/signed.ts'
import {
  aComponent,
  admin,
  aName,
  anOrganization,
  aPerson,
  call,
  fine,
  PASSWORD,
  type Person,
  place,
} from './visitor.ts'

const SECRET = 'Stored-for-one-machine-1'

let mallory: Person
/** Where the machines are meant to be, and what Mallory listens with. */
let home: ListeningMachine
let trap: ListeningMachine
/** Speaks no SSH: greets as Telnet machines do, and keeps all bytes. */
let plainTrap: Server
let plainHeard = ''

beforeAll(async () => {
  mallory = await aPerson({ orgRoles: ['Admin'], org: await anOrganization() })
  home = await startListeningMachine()
  trap = await startListeningMachine()
  plainTrap = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        plainHeard += bytes
        socket.write('Password: ')
      })
    socket.write('220 here\r\nlogin: ')
  }).listen(0, '127.0.0.1')
  await once(plainTrap, 'listening')
})
afterAll(async () => {
  await home?.close()
  await trap?.close()
  plainTrap?.close()
})
const plainPort = () => (plainTrap.address() as { port: number }).port

interface Machine {
  id: string
  systemUser: string
  /** As people name it over SSH. */
  login: string
}

/** A machine of the organization, which Mallory may connect to without knowing its password. */
async function aMachine(protocol: string, port: number): Promise<Machine> {
  const username = aName('root')
  const systemUser = fine(
    await mallory.call('POST', '/api/v1/assets/system-users/', {
      name: username,
      username,
      password: SECRET,
      protocol,
    }),
  )
  const hostname = aName('machine')
  const { id } = fine(
    await mallory.call('POST', '/api/v1/assets/assets/', {
      hostname,
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`${protocol}/${port}`],
    }),
  )
  fine(
    await mallory.call('POST', '/api/v1/perms/asset-permissions/', {
      name: aName('permission'),
      users: [mallory.id],
      assets: [id],
      system_users: [systemUser.id],
    }),
  )
  return { id, systemUser: systemUser.id, login: `${mallory.username}@${username}@${hostname}` }
}

/** Opens a session in a terminal, or what `then` opens instead; answers what the person read. */
async function enter({ login }: Machine, kind: 'shell' | 'exec' | 'sftp'): Promise<string> {
  const client = new Client().on('error', () => {})
  client.connect({ host: '127.0.0.1', port: place.sshPort, username: login, password: PASSWORD })
  const closed = once(client, 'close')
  await once(client, 'ready')
  let read = ''
  const open = (error: Error | undefined, channel?: ssh2.ClientChannel) => {
    if (error || !channel) return void client.end()
    channel.on('data', (bytes: Buffer) => (read += bytes))
    channel.stderr.on('data', (bytes: Buffer) => (read += bytes))
    channel.on('close', () => client.end())
  }
  if (kind === 'shell') client.shell({ term: 'xterm' }, open)
  else if (kind === 'exec') client.exec('true', open)
  else client.subsys('sftp', open)
  await closed
  return read
}

const move = async ({ id }: Machine, change: object) =>
  fine(await mallory.call('PATCH', `/api/v1/assets/assets/${id}/`, change))

test.each(['before its first session', 'after a session'])(
  'the password of a machine that its administrator moved to an address of their own does not arrive there: %s',
  async (when) => {
    const machine = await aMachine('ssh', home.port)
    if (when === 'after a session') {
      await enter(machine, 'exec')
      expect(home.heard).toContain(SECRET)
    }
    await move(machine, { protocols: [`ssh/${trap.port}`] })
    for (const kind of ['shell', 'exec', 'sftp'] as const) await enter(machine, kind)
    expect(await enter(machine, 'exec')).toContain('THIS MACHINE WAS MOVED')
    const { task } = fine(
      await mallory.call('POST', `/api/v1/assets/assets/${machine.id}/tasks/`, { action: 'test_system_user' }),
    )
    const state = async () => (await mallory.call('GET', `/api/v1/ops/celery/task/${task}/result/`)).body.state
    await expect.poll(state).toMatch(/SUCCESS|FAILURE/)
    expect(trap.heard).toEqual([])

    const keys = fine(await mallory.call('GET', `/api/v1/assets/assets/${machine.id}/host-keys/`))
    const shown = keys.find(({ port }: { port: number }) => port === trap.port)
    const trust = (who: Person) =>
      who.call('POST', `/api/v1/assets/assets/${machine.id}/host-keys/accept/`, { id: shown.id })
    expect((await trust(mallory)).status).toBe(403)
    await enter(machine, 'exec')
    expect(trap.heard).toEqual([])
    expect((await trust((await admin()).in(mallory.org))).status).toBe(200)
    await enter(machine, 'exec')
    expect(trap.heard).toEqual([SECRET])
    trap.heard.length = 0
  },
)

test('over Telnet, which proves nothing, a moved machine gets nothing at all', async () => {
  const machine = await aMachine('telnet', home.port)
  await move(machine, { protocols: [`telnet/${plainPort()}`] })
  expect(await enter(machine, 'shell')).toContain('a system administrator must confirm its new address')
  const { unconfirmed } = fine(await mallory.call('GET', `/api/v1/assets/assets/${machine.id}/destinations/`))
  const confirm = (who: Person) =>
    who.call('POST', `/api/v1/assets/assets/${machine.id}/destinations/confirm/`, { destinations: unconfirmed })
  expect((await confirm(mallory)).status).toBe(403)
  expect(plainHeard).toBe('')
})

test('a component is not told the secret of a moved machine', async () => {
  const machine = await aMachine('ssh', home.port)
  const key = await aComponent()
  const ask = () => {
    const path = `/api/v1/assets/system-users/${machine.systemUser}/assets/${machine.id}/auth-info/`
    return call('GET', path, undefined, signed(path, key))
  }
  expect(fine(await ask()).password).toBe(SECRET)
  await move(machine, { ip: '127.0.0.2' })
  const refused = await ask()
  expect(refused.status).toBe(400)
  expect(refused.text).not.toContain(SECRET)
})

test('a gateway is not moved with its secrets', async () => {
  const domain = fine(await mallory.call('POST', '/api/v1/assets/domains/', { name: aName('network') }))
  const gateway = fine(
    await mallory.call('POST', '/api/v1/assets/gateways/', {
      name: aName('gateway'),
      ip: '127.0.0.1',
      port: home.port,
      domain: domain.id,
      username: 'way',
      password: SECRET,
    }),
  )
  const path = `/api/v1/assets/gateways/${gateway.id}/`
  for (const change of [{ port: trap.port }, { ip: 'localhost', port: trap.port, password: '' }])
    expect((await mallory.call('PATCH', path, change)).status).toBe(400)
  await mallory.call('POST', `${path}test-connective/`, { port: trap.port })
  expect(trap.heard).toEqual([])
})

test('saved secrets of mail and directory go to no other server, by saving or by testing', async () => {
  const keeper = await admin()
  const at = (category: string) => `/api/v1/settings/setting/?category=${category}`
  const mail = { EMAIL_HOST: '127.0.0.1', EMAIL_PORT: String(home.port), EMAIL_HOST_USER: 'post' }
  fine(await keeper.call('PATCH', at('email'), { ...mail, EMAIL_HOST_PASSWORD: SECRET }))
  fine(
    await keeper.call('PATCH', at('ldap'), {
      AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${home.port}`,
      AUTH_LDAP_BIND_DN: 'cn=reader',
      AUTH_LDAP_BIND_PASSWORD: SECRET,
    }),
  )
  const elsewhere = { ...mail, EMAIL_PORT: String(plainPort()), EMAIL_HOST_PASSWORD: '' }
  const directory = {
    AUTH_LDAP_SERVER_URI: `ldap://127.0.0.1:${plainPort()}`,
    AUTH_LDAP_BIND_DN: 'cn=reader',
    AUTH_LDAP_BIND_PASSWORD: '',
    AUTH_LDAP_SEARCH_OU: 'ou=x',
    AUTH_LDAP_SEARCH_FILTER: '(uid=%(user)s)',
    AUTH_LDAP_USER_ATTR_MAP: { username: 'uid', name: 'cn', email: 'mail' },
  }
  for (const [method, path, body] of [
    ['PATCH', at('email'), elsewhere],
    ['PATCH', at('all'), elsewhere],
    ['POST', '/api/v1/settings/mail/testing/', elsewhere],
    ['PATCH', at('ldap'), directory],
    ['POST', '/api/v1/settings/ldap/testing/config/', directory],
  ] as const) {
    const { status } = await keeper.call(method, path, body)
    expect(`${path} ${status}`).toBe(`${path} 400`)
  }
  expect(plainHeard).toBe('')
})
