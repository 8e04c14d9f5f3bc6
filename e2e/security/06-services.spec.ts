// Class 6: service-to-service endpoints refuse user credentials and the reverse; a public key is
// never a secret.
import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { aComponent, admin, anAddress, aPerson, call, fine, LOGIN, type Person, PROFILE, place } from './visitor.ts'

let key: { id: string; secret: string }
let person: Person
beforeAll(async () => {
  key = await aComponent()
  person = await aPerson()
})

/**
 * Signs as old components do. A signature counts for the address that sent it first, and dates have
 * whole seconds: each call takes one of its own.
 */
const begun = Date.now()
let calls = 0
function signed(secret = key.secret) {
  const date = new Date(begun - 1000 * calls++).toUTCString()
  const hash = createHash('md5').update(`${secret}\n${date}`).digest('hex')
  return { date, authorization: `Sign ${key.id}:${Buffer.from(hash).toString('base64')}` }
}

const FOR_COMPONENTS: [string, string, unknown?][] = [
  ['GET', '/api/v1/terminal/terminals/config/'],
  ['POST', '/api/v1/terminal/terminals/status/', {}],
  ['POST', '/api/v1/terminal/sessions/', { user: 'a(a)', asset: 'b', system_user: 'c', protocol: 'ssh' }],
  ['PATCH', '/api/v1/terminal/tasks/00000000-0000-4000-8000-000000000001/', { is_finished: true }],
]
const FOR_PEOPLE: [string, string, unknown?][] = [
  ['POST', '/api/v1/users/users/', { name: 'x', username: 'made-by-component', email: 'x@example.com' }],
  ['PATCH', '/api/v1/settings/setting/?category=basic', { SITE_URL: 'https://evil.example' }],
  ['POST', '/api/v1/orgs/orgs/', {}],
  ['GET', '/api/v1/audits/operate-logs/'],
  ['POST', '/api/v1/users/users/invite/', []],
]

test('a person, even an administrator of an organization, does not speak as a component', async () => {
  for (const [method, path, body] of FOR_COMPONENTS) {
    const { status } = await person.call(method, path, body)
    expect(`${path} ${[403, 404].includes(status)}`).toBe(`${path} true`)
  }
})

test('a component’s key does not open what is for people, and neither it nor the bootstrap token signs in as a person', async () => {
  expect((await call('GET', PROFILE, undefined, signed())).body.username).toContain('component')
  for (const [method, path, body] of FOR_PEOPLE) {
    const { status } = await call(method, path, body, signed())
    // An organization is theirs to list by the wire's word; an empty one is still refused.
    expect(`${path} ${[400, 403].includes(status)}`).toBe(`${path} true`)
  }
  const { username } = fine(await call('GET', PROFILE, undefined, signed()))
  for (const password of [key.secret, key.id, place.bootstrapToken, '']) {
    const page = await call('POST', LOGIN, { username, password: password || ' ' }, { 'x-forwarded-for': anAddress() })
    expect(page.status).toBe(400)
  }
  expect((await call('GET', PROFILE, undefined, signed('guessed'))).status).toBe(401)
})

test('the bootstrap token registers components and does nothing else; a wrong one not even that', async () => {
  const headers = { authorization: `BootstrapToken ${place.bootstrapToken}` }
  for (const path of [
    PROFILE,
    '/api/v1/users/users/',
    '/api/v1/terminal/terminals/',
    '/api/v1/terminal/terminals/config/',
  ])
    expect(`${path} ${(await call('GET', path, undefined, headers)).status}`).toBe(`${path} 401`)
  for (const token of ['', 'x', place.bootstrapToken.slice(0, -1), `${place.bootstrapToken}x`])
    for (const path of ['/api/v1/terminal/terminal-registrations/', '/api/v1/users/service-account-registrations/']) {
      const { status } = await call('POST', path, { name: 'intruder' }, { authorization: `BootstrapToken ${token}` })
      expect(`${path} ${status}`).toBe(`${path} 401`)
    }
})

test('a person who knows a public key has nothing: only a component that saw the private half proven may say so', async () => {
  const publicKey = `ssh-ed25519 ${Buffer.concat([Buffer.from('0000000b', 'hex'), Buffer.from('ssh-ed25519'), Buffer.from('00000020', 'hex'), Buffer.alloc(32, 7)]).toString('base64')} me`
  fine(await (await admin()).call('PATCH', `/api/v1/users/users/${person.id}/`, { public_key: publicKey }))
  const body = { username: person.username, public_key: publicKey.split(' ')[1] }
  const others: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${person.token}` },
    { authorization: `Bearer ${(await admin()).token}` },
  ]
  for (const headers of others)
    expect(
      (await call('POST', '/api/v1/authentication/tokens/', body, { 'x-forwarded-for': anAddress(), ...headers }))
        .status,
    ).toBe(400)
  expect(
    (await call('POST', '/api/v1/authentication/tokens/', body, { ...signed(), 'x-forwarded-for': anAddress() }))
      .status,
  ).toBe(201)
})

test('only a component may say from where somebody signs in', async () => {
  const guess = (n: number) =>
    call(
      'POST',
      '/api/v1/authentication/tokens/',
      { username: 'nobody-here', password: 'x', remote_addr: `10.9.9.${n}` },
      { 'x-forwarded-for': '10.8.7.6' },
    )
  for (let n = 0; n < 7; n++) await guess(n)
  expect((await guess(8)).body.error).toBe('block_login')
})
