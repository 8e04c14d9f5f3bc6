import { afterAll, beforeAll, expect, test } from 'vitest'
import { renewToken } from '../../../domains/authentication/index.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from './terminal-fixture.ts'

const SESSIONS = '/api/v1/authentication/sessions/'

let fixture: TerminalFixture
beforeAll(async () => {
  fixture = await openTerminalFixture()
})
afterAll(() => fixture?.close())

async function aToken(): Promise<string> {
  const { asset, systemUser } = fixture
  return (await fixture.person.post('/api/v1/authentication/connection-token/', { asset, system_user: systemUser }))
    .body.token
}
const open = (byToken: string): Promise<Terminal> => fixture.open(fixture.person, { byToken })
const listed = async () => (await fixture.person.get(`${SESSIONS}?kind=connection_token`)).body

test('[B7.18] a connection token opens a terminal without a sign-in; it is a session of its person, is listed, and ends alone when it is ended there', async () => {
  const terminal = await open(await aToken())
  await terminal.see(/[#$] /)
  terminal.type('echo by-$((40 + 2))\r')
  await terminal.see('by-42')
  expect(terminal.session).toMatchObject({
    user: 'walker of test(walker)',
    user_id: fixture.person.id,
    login_from: 'WT',
  })
  // Nothing that hangs on a sign-in.
  terminal.say('TERMINAL_SHARE', { session_id: terminal.session?.id, expired: 10 })
  terminal.say('PING')
  await expect.poll(() => terminal.messages.some(({ type }) => type === 'PONG')).toBe(true)
  expect(terminal.messages.some(({ type }) => type === 'TERMINAL_SHARE')).toBe(false)

  const other = await open(await aToken())
  await other.see(/[#$] /)
  const [, first] = await listed()
  expect(first).toMatchObject({ remote_addr: '127.0.0.1' })
  expect((await fixture.person.delete(`${SESSIONS}${first.id}/`)).status).toBe(204)
  await terminal.closed
  other.type('echo still-$((1 + 1))\r')
  await other.see('still-2')
  other.close()
  await expect.poll(listed).toEqual([])
})

test('[B7.18] a connection token starts one session, from where it was made; of two that come at once one gets in, and others stay', async () => {
  const [token, later, spent] = [await aToken(), await aToken(), await aToken()]
  const both = await Promise.all([open(token), open(token)])
  const refused = await Promise.race(both.map(async (one) => one.closed.then(() => one)))
  expect(refused.errors.join()).toBe('The connection token is unknown, has expired or was used')
  const admitted = both.find((one) => one !== refused)
  await admitted?.see(/[#$] /)
  admitted?.close()
  // One that a client of a database has used is for its connections alone.
  await renewToken(fixture.server.kernel, spent)
  const second = await open(spent)
  await second.closed
  expect(second.session).toBeUndefined()
  const third = await open(later)
  await third.see(/[#$] /)
  third.close()

  const elsewhere = await aToken()
  const movedTo = (address: string | null) =>
    fixture.server.kernel.pool.query(
      'UPDATE authentication_connection_token SET remote_addr = $1 WHERE date_used IS NULL',
      [address],
    )
  await movedTo('192.0.2.1')
  const stranger = await open(elsewhere)
  await stranger.closed
  expect(stranger.session).toBeUndefined()
  await movedTo('127.0.0.1')
  const own = await open(elsewhere)
  await own.see(/[#$] /)
  own.close()
})

test('[B7.18] a token that is unknown, has run out, or whose permission or person is gone opens nothing, and says so', async () => {
  const refused = async (token: string) => {
    const terminal = await open(token)
    await terminal.closed
    return terminal.errors.join()
  }
  const unknown = 'The connection token is unknown, has expired or was used'
  for (const token of ['', 'x'.repeat(36), 'x'.repeat(5000), "' OR 1=1"])
    expect(await refused(encodeURIComponent(token))).toBe(unknown)
  const token = await aToken()
  const permission = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  await fixture.server.admin.patch(permission, { is_active: false })
  expect(await refused(token)).toBe('You have no permission to connect to this asset: yours is switched off')
  await fixture.server.admin.patch(permission, { is_active: true })
  const user = `/api/v1/users/users/${fixture.person.id}/`
  await fixture.server.admin.patch(user, { date_expired: '2020-01-01T00:00:00Z' })
  expect(await refused(token)).toBe(unknown)
  await fixture.server.admin.patch(user, { date_expired: '2060-01-01T00:00:00Z' })
})
