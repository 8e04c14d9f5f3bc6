import { describe, expect, test } from 'vitest'
import { type AskedPlace, readDestination } from './destination.ts'
import { combinedForwarding, type ForwardingRight, judgePlace } from './forwarding-right.ts'

const OWN = '10.1.2.3'
const asked = (text: string): AskedPlace => {
  if (text.startsWith('/')) return { path: text }
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) }
}
const listed = (...destinations: string[]): ForwardingRight => ({ machine: false, destinations })
const MACHINE: ForwardingRight = { machine: true, destinations: [] }
const judged = (right: ForwardingRight, text: string, own = OWN) => {
  const { place, refusal } = judgePlace(right, asked(text), own)
  if (!place) return refusal
  return place.kind === 'socket' ? place.path : `${place.host} ${place.port}`
}

describe('this machine only', () => {
  test.each([
    ['127.0.0.1:80', '127.0.0.1 80'],
    ['127.9.8.7:80', '127.9.8.7 80'],
    ['::1:80', '::1 80'],
    ['[::1]:80', '::1 80'],
    ['0:0:0:0:0:0:0:1:80', '::1 80'],
    ['::ffff:127.0.0.1:80', '127.0.0.1 80'],
    ['localhost:80', 'localhost 80'],
    ['LocalHost.:65535', 'localhost 65535'],
    ['10.1.2.3:80', '10.1.2.3 80'],
    ['::ffff:a01:203:80', '10.1.2.3 80'],
    ['/run/app.sock', '/run/app.sock'],
  ])('%s is the machine', (text, place) => expect(judged(MACHINE, text)).toBe(place))

  test.each(['10.1.2.4:80', 'localhost.example.com:80', 'web-1:80', '64:ff9b::a01:204:80', '8.8.8.8:53'])(
    '%s is not',
    (text) => expect(judged(MACHINE, text)).toBe('not_granted'),
  )

  test('its address may be a name, which is compared as it is written', () => {
    expect(judged(MACHINE, 'Web-1.Example.com.:80', 'web-1.example.com')).toBe('web-1.example.com 80')
    expect(judged(MACHINE, 'web-2.example.com:80', 'web-1.example.com')).toBe('not_granted')
    expect(judged(MACHINE, ':80', '')).toBe('unreadable')
  })
})

describe('no list leads to it', () => {
  test.each([
    '127.1:80',
    '2130706433:80',
    '0x7f000001:80',
    '0x7f.1:80',
    '127.0.0.1.:80',
    '010.0.0.1:80',
    '10.0.0.1%lo:80',
    'fe80::1%eth0:80',
    'db.example.com..:80',
    '.:80',
    '-db.example.com:80',
    'db example.com:80',
    'db.example.com\0.evil.com:80',
    'db.example.com\n:80',
    'дб.example.com:80',
    'db.example.com/..:80',
    'user@db.example.com:80',
    `${'a'.repeat(64)}.example.com:80`,
    `${'a.'.repeat(130)}com:80`,
    'db.example.com:0',
    'db.example.com:-1',
    'db.example.com:65536',
    'db.example.com:65616',
    'db.example.com:4294967376',
    'db.example.com:1.5',
    'db.example.com:NaN',
  ])('what two readers could take for two places is refused: %j', (text) =>
    expect(
      judged({ machine: true, destinations: ['0.0.0.0/0', '[::/0]', '*.example.com', 'db.example.com'] }, text),
    ).toBe('unreadable'),
  )

  test.each([
    '0.0.0.0:80',
    '0.1.2.3:80',
    ':::80',
    '169.254.169.254:80',
    'metadata.google.internal:80',
    'Instance-Data.:80',
    '::ffff:169.254.169.254:80',
    '::ffff:a9fe:a9fe:80',
    '64:ff9b::a9fe:a9fe:80',
    '2002:a9fe:a9fe::1:80',
    '::7f00:1:80',
    'fe80::1:80',
    '100.100.100.200:80',
    '255.255.255.255:80',
  ])('%s is closed', (text) =>
    expect(
      judged({ machine: true, destinations: ['0.0.0.0/0', '[::/0]', '*.google.internal', 'instance-data'] }, text),
    ).toBe('closed'),
  )

  test.each(['run/app.sock', '/run/../etc/x', '/run//x', '/run/./x', '/run/x/', '/run/a\nb', `/${'a'.repeat(200)}`])(
    'the path %j',
    (path) => expect(judgePlace({ machine: true, destinations: ['/*'] }, { path }, OWN).refusal).toBe('unreadable'),
  )
})

describe('listed destinations', () => {
  test.each([
    ['db.example.com:5432', 'DB.Example.com.:5432', 'db.example.com 5432'],
    ['db.example.com', 'db.example.com:1', 'db.example.com 1'],
    ['*.example.com:443', 'a.b.example.com:443', 'a.b.example.com 443'],
    ['10.0.0.0/8:22', '10.255.0.1:22', '10.255.0.1 22'],
    ['10.0.0.0/8:22', '::ffff:10.0.0.1:22', '10.0.0.1 22'],
    ['10.0.0.5:8000-8999', '10.0.0.5:8999', '10.0.0.5 8999'],
    ['[fd00::/8]:22', 'fd00::5:22', 'fd00::5 22'],
    ['fd00::5', 'fd00:0::0005:22', 'fd00::5 22'],
    ['localhost:8000-8999', '127.0.0.1:8000', '127.0.0.1 8000'],
    ['localhost:8000-8999', '::1:8000', '::1 8000'],
    ['localhost:8000-8999', 'localhost:8000', 'localhost 8000'],
    ['/run/app.sock', '/run/app.sock', '/run/app.sock'],
    ['/run/user/1000/*', '/run/user/1000/a/b.sock', '/run/user/1000/a/b.sock'],
  ])('%s leads to %s', (entry, text, place) => expect(judged(listed(entry), text)).toBe(place))

  test.each([
    ['db.example.com:5432', 'db.example.com:5433'],
    ['db.example.com:5432', 'db.example.com.evil.com:5432'],
    ['db.example.com:5432', 'xdb.example.com:5432'],
    ['*.example.com:443', 'example.com:443'],
    ['*.example.com:443', 'evilexample.com:443'],
    ['10.0.0.0/8', '11.0.0.1:22'],
    // The machine resolves names: a network says nothing about them.
    ['10.0.0.0/8', 'ten.example.com:22'],
    ['0.0.0.0/0', 'localhost:22'],
    ['127.0.0.0/8', 'localhost:22'],
    ['0.0.0.0/0', 'fd00::5:22'],
    ['[::/0]', '10.0.0.1:22'],
    ['10.0.0.5:8000-8999', '10.0.0.5:9000'],
    ['localhost:8000', '10.1.2.3:8000'],
    ['/run/app.sock', '/run/app.sock2'],
    ['/run/user/1000/*', '/run/user/1000'],
    ['/run/user/1000/*', '/run/user/10001/a'],
    ['db.example.com', '/run/app.sock'],
  ])('%s does not lead to %s', (entry, text) => expect(judged(listed(entry), text)).toBe('not_granted'))

  test.each([
    '',
    '*',
    '*:443',
    '*.*.example.com',
    'db.*.com',
    'db.example.com:',
    'db.example.com:0',
    'db.example.com:65536',
    'db.example.com:9-8',
    'db.example.com:1-2-3',
    'db.example.com:http',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0',
    '0x7f000001',
    'fd00::/129',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '[db.example.com]:80',
    '/run/../x',
    '/run/*/x',
    '/',
    'https://db.example.com',
  ])('%j is no destination', (text) => expect(readDestination(text).problem).toBeTypeOf('string'))
})

test('several permissions lead together where each of them leads', () => {
  const right = combinedForwarding([
    { forwarding: 'none', destinations: ['never.example.com'] },
    { forwarding: 'machine', destinations: ['kept.example.com'] },
    { forwarding: 'listed', destinations: ['a.example.com', 'b.example.com'] },
    { forwarding: 'listed', destinations: ['b.example.com'] },
  ])
  expect(right).toEqual({ machine: true, destinations: ['a.example.com', 'b.example.com'] })
})
