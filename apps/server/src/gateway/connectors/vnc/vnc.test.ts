import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTerminalFixture, type TerminalFixture } from '../../listeners/web/terminal-fixture.ts'
import { startFakeVnc } from '../../protocols/rfb/fake-server-fixture.ts'
import { challengeAnswer } from './des-answer.ts'
import { startVnc, type VncServer } from './vnc-fixture.ts'

const PASSWORD = 'pw-7q!x'

let fixture: TerminalFixture
beforeAll(async () => {
  fixture = await openTerminalFixture()
})
afterAll(() => fixture.close())

/** Outcome of a desktop at that port; ends it again. */
async function outcome(at: { target: string; systemUser: string }): Promise<string> {
  const line = await fixture.open(fixture.person, { type: 'vnc', ...at })
  const started = () => line.messages.some(({ type }) => type === 'DESKTOP_START')
  await expect.poll(() => started() || line.errors.length > 0).toBe(true)
  if (started()) line.say('CLOSE')
  await line.closed
  return line.errors[0] ?? 'opened'
}

const desktopAt = (port: number, more: object = {}) =>
  fixture.target(
    { port, protocols: [`vnc/${port}`] },
    { username: '', protocol: 'vnc', login_mode: 'auto', password: PASSWORD, ...more },
  )

async function withVnc<T>(security: string, use: (server: VncServer) => Promise<T>): Promise<T> {
  const server = await startVnc(security, PASSWORD)
  try {
    return await use(server)
  } finally {
    await server.close()
  }
}

test('the answer to a challenge is DES with the bits of the key turned round; eight characters count', () => {
  const challenge = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  expect(challengeAnswer(challenge, 'password')).toEqual(challengeAnswer(challenge, 'password-longer'))
  // The output of the program vncpasswd for `password`.
  expect(
    challengeAnswer(Buffer.from('password'), String.fromCharCode(23, 82, 107, 6, 35, 78, 88, 7)).toString('hex'),
  ).toBe('dbd83cfd727a1458')
})

test('a server is signed in to in each way that it may want: none, its own, and inside TLS', async () => {
  for (const security of ['None', 'VncAuth', 'TLSVnc', 'TLSNone', 'X509Vnc', 'X509None'])
    expect([security, await withVnc(security, async ({ port }) => outcome(await desktopAt(port)))]).toEqual([
      security,
      'opened',
    ])
})

test('the key of a certificate is pinned: another is refused, and so is none, before a password is sent', async () => {
  const first = await startVnc('X509Vnc', PASSWORD)
  const at = await desktopAt(first.port)
  expect(await outcome(at)).toBe('opened')
  await first.close()
  for (const [security, words] of [
    ['X509Vnc', /^THE KEY OF THIS SERVER HAS CHANGED/],
    ['TLSVnc', /^The server has shown a certificate before and does not any more/],
    ['VncAuth', /^The server has spoken TLS before and does not any more/],
  ] as const) {
    const other = await startVnc(security, PASSWORD, first.port)
    expect(await outcome(at)).toMatch(words)
    await other.close()
  }
})

test('a password that nobody has stored is asked for, and used once', async () => {
  await withVnc('VncAuth', async ({ port }) => {
    const at = await desktopAt(port, { password: undefined })
    const line = await fixture.open(fixture.person, { type: 'vnc', ...at })
    await expect
      .poll(() => line.messages.find(({ type }) => type === 'DESKTOP_ASK')?.data)
      .toBe(JSON.stringify({ text: 'Password:', echo: false }))
    line.say('DESKTOP_ANSWER', { text: PASSWORD })
    await expect.poll(() => line.messages.some(({ type }) => type === 'DESKTOP_START')).toBe(true)
    line.say('CLOSE')
    await line.closed
  })
})

test('through the gateway of its domain, and what is no VNC server, in words', async () => {
  const fake = await startFakeVnc()
  const { port, username, privateKey } = fixture.sshd
  const domain = await fixture.created('/api/v1/assets/domains/', { name: 'screens' })
  await fixture.created('/api/v1/assets/gateways/', {
    name: 'jump',
    ip: '127.0.0.1',
    port,
    protocol: 'ssh',
    username,
    private_key: privateKey,
    domain,
  })
  const behind = await fixture.target(
    { port: fake.port, protocols: [`vnc/${fake.port}`], domain },
    { username: '', protocol: 'vnc', login_mode: 'auto' },
  )
  expect(await outcome(behind)).toBe('opened')
  await fake.close()
  const wrong = await fixture.target(
    { port, protocols: [`vnc/${port}`] },
    { username: '', protocol: 'vnc', login_mode: 'auto' },
  )
  expect(await outcome(wrong)).toMatch(/^What answers there does not speak the protocol: /)
  const large = await startFakeVnc(30_000, 30_000)
  expect(await outcome(await desktopAt(large.port))).toBe(
    'The screen of this desktop is too large: 30000 by 30000 pixels',
  )
  await large.close()
  const none = await startFakeVnc(0, 0)
  expect(await outcome(await desktopAt(none.port))).toBe(
    'This desktop has no screen: it says that it is 0 by 0 pixels large',
  )
  await none.close()
})

test('a server that breaks its protocol ends the session, which says so', async () => {
  const fake = await startFakeVnc()
  const line = await fixture.open(fixture.person, { type: 'vnc', ...(await desktopAt(fake.port)) })
  await expect.poll(() => fake.asked()).toBeGreaterThan(0)
  fake.say(Buffer.of(99))
  await line.closed
  expect(line.messages.map(({ data }) => data).join()).toContain(
    'The machine does not keep to its protocol: the session was closed',
  )
  await fake.close()
})
