import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSshFixture, type SshFixture } from '../ssh/ssh-fixture.ts'
import { readProxyHeader } from './proxy-header.ts'

let fixture: SshFixture
beforeAll(async () => {
  fixture = await openSshFixture({ SALLYPORT_TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => fixture?.close())

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const V2 = '0d0a0d0a 000d0a51 5549540a'

test('both versions of the PROXY header are read, whole or in pieces', () => {
  const line = Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 51234 2222\r\nSSH-2.0-x\r\n')
  expect(readProxyHeader(line)).toEqual({ state: 'read', address: '203.0.113.7', length: 44 })
  for (const cut of [0, 3, 6, 30]) expect(readProxyHeader(line.subarray(0, cut))).toEqual({ state: 'incomplete' })
  expect(readProxyHeader(Buffer.from('PROXY TCP6 2001:db8::1 ::1 1 2\r\n'))).toMatchObject({ address: '2001:db8::1' })
  expect(readProxyHeader(Buffer.from('PROXY UNKNOWN\r\n'))).toEqual({ state: 'read', address: undefined, length: 15 })
  const four = hex(`${V2} 21 11 000c cb007107 0a000001 c822 08ae`)
  expect(readProxyHeader(four)).toEqual({ state: 'read', address: '203.0.113.7', length: 28 })
  expect(readProxyHeader(four.subarray(0, 20))).toEqual({ state: 'incomplete' })
  const six = hex(`${V2} 21 21 0024 20010db8000000000000000000000001 00000000000000000000000000000001 c822 08ae`)
  expect(readProxyHeader(six)).toEqual({ state: 'read', address: '2001:db8::1', length: 52 })
  expect(readProxyHeader(hex(`${V2} 20 00 0000`))).toEqual({ state: 'read', address: undefined, length: 16 })
})

test('bytes that are no header, or a broken one, are none', () => {
  const broken = [
    'SSH-2.0-OpenSSH_9.2\r\n',
    'PROXY TCP4 999.1.1.1 x 1 2\r\n',
    `PROXY TCP4 ${'1'.repeat(200)}`,
    'GET / HTTP/1.1\r\n',
  ]
  for (const text of broken) expect(readProxyHeader(Buffer.from(text))).toEqual({ state: 'none' })
  expect(readProxyHeader(hex(`${V2} 21 11 ffff`))).toEqual({ state: 'none' })
  expect(readProxyHeader(hex(`${V2} 21 11 0002 0102`))).toEqual({ state: 'none' })
})

test('behind a trusted proxy the client’s own address is the one that counts, and is on record', async () => {
  const { options } = fixture.clientOptions()
  // A proxy that speaks for its client, as a load balancer does.
  const proxy = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${fixture.port}; printf "PROXY TCP4 203.0.113.7 127.0.0.1 51234 2222\\r\\n" >&3; cat <&3 & cat >&3'`
  const ran = await fixture.run('ssh', ['-o', `ProxyCommand=${proxy}`, ...options, fixture.direct, 'echo in'])
  expect([ran.code, ran.stdout.toString()]).toEqual([0, 'in\n'])
  const { body } = await fixture.server.admin.get('/api/v1/terminal/sessions/?limit=1&order=-date_start')
  expect(body.results[0].remote_addr).toBe('203.0.113.7')
  expect((await fixture.ssh(fixture.direct, 'echo plain')).stdout.toString()).toBe('plain\n')
})

test('a header that never ends leads nowhere', async () => {
  const socket = connect(fixture.port, '127.0.0.1')
  socket.write('PROXY TCP4 ')
  socket.on('error', () => {})
  socket.resume()
  const greeting = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
  expect(await greeting).toMatch(/^SSH-2\.0-/)
  socket.destroy()
})
