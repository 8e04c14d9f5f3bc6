import { createHash, createHmac } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ADMIN_PASSWORD, openTestServer, PASSWORD, type TestServer } from '../../../../test/server.ts'
import { askRadius } from './ask-radius.ts'
import { type FreeRadius, startFreeRadius } from './freeradius-fixture.ts'

const SETTINGS = '/api/v1/settings/setting/?category=radius'
const LONG = 'A-password-of-more-than-sixteen-bytes-with-Ångström'

let radius: FreeRadius
let server: TestServer
const closing: (() => void)[] = []
beforeAll(async () => {
  radius = await startFreeRadius({
    rita: 'Radius-1',
    'rob@corp.example': LONG,
    admin: 'Radius-1',
    locally: 'Radius-1',
    Locally: 'Radius-1',
    RITA: 'Radius-1',
  })
  server = await openTestServer()
})
afterAll(async () => {
  await server?.close()
  await radius?.close()
})
beforeEach(async () => {
  await server.kernel.pool.query('DELETE FROM authentication_failure')
  await configure({})
})
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function configure(changes: Record<string, unknown>) {
  const draft = {
    AUTH_RADIUS: true,
    RADIUS_SERVER: '127.0.0.1',
    RADIUS_PORT: radius.port,
    RADIUS_SECRET: radius.secret,
    ...changes,
  }
  const { status, body } = await server.admin.patch(SETTINGS, draft)
  expect([status, body.RADIUS_SECRET]).toEqual([200, undefined])
}
const signIn = (username: string, password = 'Radius-1') =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password } })
const userRow = async (username: string) =>
  (await server.admin.in('root').get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)).body[0]

/** A server on this machine with answers of the test. */
async function impostor(
  answer: (request: Buffer) => Buffer | undefined,
): Promise<{ port: number; asked: () => number }> {
  const socket = createSocket('udp4')
  closing.push(() => socket.close())
  let asked = 0
  socket.on('message', (request, { port, address }) => {
    asked++
    const packet = answer(request)
    if (packet) socket.send(packet, port, address)
  })
  return new Promise((resolve) =>
    socket.bind(0, '127.0.0.1', () => resolve({ port: socket.address().port, asked: () => asked })),
  )
}

/** An Access-Accept to a request, signed with a secret. */
function accept(request: Buffer, secret: string, attributes: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([2, request[1] ?? 0, 0, 20 + attributes.length])
  const signature = createHash('md5')
    .update(Buffer.concat([head, request.subarray(4, 20), attributes, Buffer.from(secret)]))
    .digest()
  return Buffer.concat([head, signature, attributes])
}

/** Attributes whose Message-Authenticator proves the answer to this request (RFC 3579 §3.2). */
function authenticated(request: Buffer, secret: string): Buffer {
  const start = Buffer.from([80, 18])
  const head = Buffer.from([2, request[1] ?? 0, 0, 38])
  const signed = Buffer.concat([head, request.subarray(4, 20), start, Buffer.alloc(16)])
  return Buffer.concat([start, createHmac('md5', secret).update(signed).digest()])
}

test('the first sign-in by RADIUS makes the person, with an address of name and suffix; what is changed here stays', async () => {
  expect((await signIn('rita')).status).toBe(201)
  const row = await userRow('rita')
  expect(row).toMatchObject({ source: 'radius', name: 'rita', email: 'rita@example.com', role: 'User' })
  await server.admin
    .in('root')
    .patch(`/api/v1/users/users/${row.id}/`, { name: 'Rita Renamed', email: 'rita@home.example' })
  expect((await signIn('rita')).status).toBe(201)
  expect(await userRow('rita')).toMatchObject({ name: 'Rita Renamed', email: 'rita@home.example' })
  const log = await server.admin.in('root').get('/api/v1/audits/login-logs/?username=rita')
  expect(log.body[0]).toMatchObject({ status: true, backend: 'Radius' })
})

test('a name that is an address is the address; passwords of several blocks and of other scripts work', async () => {
  expect((await signIn('rob@corp.example', LONG)).status).toBe(201)
  expect(await userRow('rob@corp.example')).toMatchObject({ email: 'rob@corp.example', source: 'radius' })
})

test('wrong, empty and overlong passwords are refused and counted', async () => {
  for (const password of ['wrong', LONG.slice(0, 16), 'Radius-1\0', 'x'.repeat(500)])
    expect((await signIn('rita', password)).status).toBe(400)
  expect((await signIn('rita', 'wrong')).body.error).toBe('password_failed')
  expect((await askRadius({ host: '127.0.0.1', port: radius.port, secret: radius.secret }, 'rita', '')).answer).toBe(
    'reject',
  )
})

test('RADIUS does not prove local people, nor names that only differ from theirs by their letters', async () => {
  await server.aPerson('locally')
  for (const name of ['locally', 'Locally', 'admin']) expect([name, (await signIn(name)).status]).toEqual([name, 400])
  expect(await userRow('Locally')).toBeUndefined()
  expect((await signIn('locally', PASSWORD)).status).toBe(201)
  await signIn('rita')
  expect((await signIn('RITA')).status).toBe(201)
  expect(await userRow('RITA')).toBeUndefined()
})

test('a server that is away is reported as such; local people sign in', async () => {
  await configure({ RADIUS_PORT: 1 })
  expect((await signIn('rita')).body.error).toBe('source_unavailable')
  expect((await signIn('admin', ADMIN_PASSWORD)).status).toBe(201)
})

test('an answer counts only when it was made with the secret, for this request, and holds nothing that we did not ask for', async () => {
  const secret = 'right'
  const proxyState = Buffer.from([33, 4, 1, 2])
  const badSignature = Buffer.concat([Buffer.from([80, 18]), Buffer.alloc(16)])
  const forged: ((request: Buffer) => Buffer)[] = [
    (request) => accept(request, 'wrong'),
    (request) => accept(Buffer.concat([request.subarray(0, 4), Buffer.alloc(16), request.subarray(20)]), secret),
    (request) => accept(Buffer.concat([Buffer.from([1, ((request[1] ?? 0) + 1) % 256]), request.subarray(2)]), secret),
    (request) => accept(request, secret, proxyState),
    (request) => accept(request, secret, badSignature),
    (request) => accept(request, secret, authenticated(request, 'wrong')),
    (request) => accept(request, secret).subarray(0, 19),
    (request) => accept(request, secret, Buffer.from([18, 9, 1])),
    () => Buffer.alloc(0),
  ]
  for (const answer of forged) {
    const { port, asked } = await impostor(answer)
    await expect(askRadius({ host: '127.0.0.1', port, secret }, 'rita', 'x', 20)).rejects.toThrow(
      'does not answer, or with another secret',
    )
    expect(asked()).toBe(3)
  }
  for (const attributes of [() => Buffer.alloc(0), (request: Buffer) => authenticated(request, secret)]) {
    const { port } = await impostor((request) => accept(request, secret, attributes(request)))
    expect((await askRadius({ host: '127.0.0.1', port, secret }, 'rita', 'x', 20)).answer).toBe('accept')
  }
})

test('a packet that was lost is sent again', async () => {
  let lost = 2
  const { port, asked } = await impostor((request) => (lost-- > 0 ? undefined : accept(request, 'right')))
  expect((await askRadius({ host: '127.0.0.1', port, secret: 'right' }, 'rita', 'x', 20)).answer).toBe('accept')
  expect(asked()).toBe(3)
})
