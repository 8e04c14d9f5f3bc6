import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signed } from '../../../../test/signed.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from './terminal-fixture.ts'

type Caller = TerminalFixture['person']

let fixture: TerminalFixture
/** Somebody without any permission of their own. */
let guest: Caller

beforeAll(async () => {
  fixture = await openTerminalFixture()
  guest = await fixture.server.aPerson('guest')
})
afterAll(() => fixture?.close())

async function atPrompt(): Promise<Terminal> {
  const terminal = await fixture.open(fixture.person, { client: 'page' })
  await terminal.see(/[#$] /)
  return terminal
}

const latest = (terminal: Terminal, type: string) => terminal.messages.findLast((message) => message.type === type)
async function messageOf<T>(terminal: Terminal, type: string): Promise<T> {
  await expect.poll(() => latest(terminal, type)).toBeDefined()
  return JSON.parse(latest(terminal, type)?.data ?? '{}')
}

async function share(owner: Terminal, action_permission = 'writable'): Promise<{ share_id: string; code: string }> {
  owner.say('TERMINAL_SHARE', { session_id: owner.session?.id, expired: 10, action_permission })
  return messageOf(owner, 'TERMINAL_SHARE')
}

const join = (id: string, code: string, caller = guest) => fixture.open(caller, { type: 'share', target: id, code })
const records = async (sharing: string) =>
  (await fixture.server.admin.get(`/api/v1/terminal/session-join-records/?sharing=${sharing}&order=date_joined`))
    .body as Record<string, unknown>[]

async function end(terminal: Terminal): Promise<string> {
  terminal.say('CLOSE')
  await terminal.closed
  const id = terminal.session?.id ?? ''
  await expect
    .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished)
    .toBe(true)
  return id
}

test('a guest joins by link and code, sees the current screen, types, and each command belongs to the person who sent it off', async () => {
  const owner = await atPrompt()
  owner.type('echo before-$((1+1))\r')
  await owner.see('before-2\r\n')
  const { share_id, code } = await share(owner)
  expect(code).toMatch(/^(?=.*[a-z])(?=.*\d)[a-z\d]{4}$/)
  const joined = await join(share_id, code.toUpperCase())
  await joined.see('before-2')
  await owner.see('guest of test (guest) has joined this session')
  expect(await messageOf(owner, 'TERMINAL_SHARE_JOIN')).toMatchObject({
    user_id: guest.id,
    user: 'guest of test(guest)',
    remote_addr: '127.0.0.1',
  })
  expect(Object.values(await messageOf<object>(joined, 'TERMINAL_SHARE_USERS'))).toMatchObject([
    { primary: true },
    { user_id: guest.id, primary: false },
  ])
  joined.type('echo by-guest-$((2+2))\r')
  await owner.see('by-guest-4\r\n')
  owner.type('echo by-owner-$((3+3))\r')
  await joined.see('by-owner-6\r\n')
  joined.close()
  await owner.see('has left this session')
  expect(await messageOf(owner, 'TERMINAL_SHARE_LEAVE')).toMatchObject({ user_id: guest.id })
  await expect
    .poll(async () => (await records(share_id))[0])
    .toMatchObject({
      joiner: guest.id,
      joiner_display: 'guest of test(guest)',
      is_success: true,
      is_finished: true,
      date_left: expect.any(String),
      remote_addr: '127.0.0.1',
      login_from: 'WT',
    })
  const id = await end(owner)
  const { body } = await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${id}&order=timestamp`)
  const byWhom = Object.fromEntries(body.map(({ input, user }: Record<string, string>) => [input, user]))
  expect(byWhom).toMatchObject({
    'echo by-guest-$((2+2))': 'guest of test(guest)',
    'echo by-owner-$((3+3))': 'walker of test(walker)',
  })
  const late = await join(share_id, code)
  await late.closed
  expect(late.errors).toEqual(['The session has ended, or its protocol is not supported'])
})

test('a person who shares a session while its machine is still being reached gets the link once it is', async () => {
  const owner = await fixture.open(fixture.person)
  await expect.poll(() => owner.session?.id).toBeDefined()
  const { share_id, code } = await share(owner)
  const joined = await join(share_id, code)
  await joined.see(/[#$] /)
  await end(owner)
})

test('a link that only shows takes no input; its guest goes with the session', async () => {
  const owner = await atPrompt()
  const { share_id, code } = await share(owner, 'readonly')
  const joined = await join(share_id, code)
  await joined.see('has joined this session')
  joined.type('echo intruder\r')
  owner.type('echo from-the-owner\r')
  await joined.see('from-the-owner\r\n')
  await end(owner)
  await joined.closed
  expect(joined.text()).not.toContain('intruder')
})

test('a wrong code is refused and recorded; after ten the link is closed even to the right one', async () => {
  const owner = await atPrompt()
  const { share_id, code } = await share(owner)
  for (let n = 0; n < 10; n++) {
    const wrong = await join(share_id, `x${n}z`)
    await wrong.closed
    expect(wrong.errors).toEqual(['The code is wrong'])
    expect(wrong.text()).not.toContain('$')
  }
  const right = await join(share_id, code)
  await right.closed
  expect(right.errors).toEqual(['This link is no longer active'])
  const kept = await records(share_id)
  expect(kept).toHaveLength(11)
  expect(kept.every(({ is_success, is_finished }) => is_success === false && is_finished === true)).toBe(true)
  expect(kept[0]).toMatchObject({ reason: 'The code is wrong', verify_code: 'x0z' })
  await end(owner)
})

test('[A6.15] the owner sends a guest away; a withdrawn link and a disabled person are out within seconds', async () => {
  const owner = await atPrompt()
  const { share_id, code } = await share(owner)
  const removed = await join(share_id, code)
  const users = await messageOf<Record<string, { user_id: string }>>(removed, 'TERMINAL_SHARE_USERS')
  const [key] = Object.entries(users).find(([, { user_id }]) => user_id === guest.id) ?? []
  owner.say('TERMINAL_SHARE_USER_REMOVE', { id: key })
  await removed.closed
  expect(removed.errors).toEqual(['You were removed from this session'])

  const brief = await fixture.server.aPerson('brief')
  const disabled = await join(share_id, code, brief)
  await disabled.see('has joined')
  await fixture.server.admin.patch(`/api/v1/users/users/${brief.id}/`, { is_active: false })
  await disabled.closed
  const withdrawn = await join(share_id, code)
  await withdrawn.see('has joined')
  // A component alone writes what links and people who join leave behind, so that it is evidence.
  const path = `/api/v1/terminal/session-sharings/${share_id}/`
  expect((await fixture.server.admin.patch(path, { is_active: false })).status).toBe(403)
  const [{ id: record }] = (
    await fixture.server.admin.get(`/api/v1/terminal/session-join-records/?sharing=${share_id}`)
  ).body
  const kept = `/api/v1/terminal/session-join-records/${record}/`
  expect((await fixture.server.admin.patch(kept, { remote_addr: '192.0.2.1', reason: 'forged' })).status).toBe(403)
  expect((await fixture.server.admin.patch(`${kept}finished/`)).status).toBe(403)
  const registered = await fixture.server.call('POST', '/api/v1/terminal/terminal-registrations/', {
    body: { name: 'withdraws', type: 'koko' },
    headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
  })
  const headers = signed(path, registered.body.service_account.access_key, 'patch')
  expect((await fixture.server.call('PATCH', path, { body: { is_active: false }, headers })).status).toBe(200)
  await withdrawn.closed
  await end(owner)
})

test('where sharing is switched off nobody shares and nobody joins; a stranger to a session cannot share it', async () => {
  const owner = await atPrompt()
  const { share_id, code } = await share(owner)
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('SECURITY_SESSION_SHARE', false)
  try {
    const refused = await join(share_id, code)
    await refused.closed
    expect(refused.errors).toEqual(['Session sharing is switched off'])
    owner.messages.length = 0
    expect(await share(owner)).toEqual({ share_id: '', code: '' })
  } finally {
    await settings.set('SECURITY_SESSION_SHARE', true)
  }
  const joined = await join(share_id, code)
  await joined.see('has joined')
  joined.say('TERMINAL_SHARE', { session_id: owner.session?.id, expired: 10 })
  joined.say('TERMINAL_SHARE_USER_REMOVE', { id: 'x' })
  joined.type('echo still-$((1+1))\r')
  await joined.see('still-2\r\n')
  expect(latest(joined, 'TERMINAL_SHARE')).toBeUndefined()
  await end(owner)
})

test('rules of a guest hold for what the guest types, and only while that guest is there is anything looked at', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'guests', users: [guest.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, { filter, content: 'forbidden' })
  const owner = await atPrompt()
  const { share_id, code } = await share(owner)
  const joined = await join(share_id, code)
  await joined.see('has joined')
  // A line that its keys alone do not show, so that it is read off the screen.
  joined.type(`echo forbiden-$((1+1))${'\x1b[D'.repeat(11)}d\r`)
  await owner.see('Command `forbidden` is forbidden')
  joined.type('echo forbidden-$((2+2))\r')
  joined.close()
  await owner.see('has left this session')
  const raw = `${'\x18\x05\x1b[A\r'.repeat(200)}.`
  owner.type(`stty raw -echo; echo ready-$((1+1)); head -c ${raw.length} | sha256sum; stty sane\r`)
  await owner.see('ready-2')
  owner.type(raw)
  await owner.see(createHash('sha256').update(raw).digest('hex'))
  expect(owner.text()).not.toMatch(/forbidden-[24]/)
  await end(owner)
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test('a link is for members of the session’s organization, to look on, until its owner or an administrator says more', async () => {
  const { server } = fixture
  const outsider = await server.aPerson('outsider', { org: await server.anOrg('Elsewhere') })
  const former = await server.aPerson('former')
  const owner = await atPrompt()
  // As clients say it that know nothing of rights.
  owner.say('TERMINAL_SHARE', { session_id: owner.session?.id, expired: 10 })
  const { share_id, code } = await messageOf<{ share_id: string; code: string }>(owner, 'TERMINAL_SHARE')
  for (const entered of [code, 'wr0n']) {
    const refused = await join(share_id, entered, outsider)
    await refused.closed
    expect(refused.errors).toEqual(['This session is shared within its organization alone'])
    expect(refused.text()).not.toContain('$')
  }
  const member = await join(share_id, code)
  await member.see('has joined this session')
  member.type('echo intruder\r')
  const leaving = await join(share_id, code, former)
  await leaving.see('former of test (former) has joined')
  expect((await server.admin.post(`/api/v1/users/users/${former.id}/remove/`)).status).toBe(204)
  await leaving.closed

  const settings = settingsOf(server.kernel)
  await settings.set('SECURITY_SESSION_SHARE_OUTSIDE', true)
  try {
    owner.messages.length = 0
    const { share_id: writable, code } = await share(owner)
    const joined = await join(writable, code, outsider)
    await joined.see('outsider of test (outsider) has joined')
    joined.type('echo from-outside\r')
    await owner.see('from-outside\r\n')
    // When an administrator closes sharing again, guests who are in leave.
    await settings.set('SECURITY_SESSION_SHARE_OUTSIDE', false)
    await joined.closed
  } finally {
    await settings.set('SECURITY_SESSION_SHARE_OUTSIDE', false)
  }
  expect(owner.text()).not.toContain('intruder')
  await end(owner)
})

test('while the owner is away a guest looks on and types nothing', async () => {
  const owner = await atPrompt()
  const { share_id, code } = await share(owner)
  const joined = await join(share_id, code)
  await joined.see('has joined')
  owner.cut()
  await expect.poll(async () => (await fixture.person.get('/koko/sessions/')).body[0]?.is_waiting).toBe(true)
  joined.type('echo alone\r')
  const back = await fixture.open(fixture.person, { type: 'resume', target: owner.session?.id ?? '', client: 'page' })
  await back.see(/[#$] /)
  back.type('echo back-$((1+1))\r')
  await joined.see('back-2\r\n')
  expect(joined.text()).not.toContain('alone')
  back.say('CLOSE')
  await joined.closed
})

test('an auditor locks the input of a session and unlocks it again: everybody is notified, and the history has it', async () => {
  const auditor = await fixture.server.aPerson('locker', { orgRoles: ['Auditor'] })
  const owner = await atPrompt()
  const id = owner.session?.id ?? ''
  const lock = (word: string, caller = auditor) => caller.post(`/api/v1/terminal/sessions/${id}/${word}/`, {})
  expect((await lock('lock', guest)).status).toBe(403)
  expect((await lock('lock')).status).toBe(200)
  await owner.see('locker of test (locker) has locked the input of this session')
  expect((await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_locked).toBe(true)
  owner.type('echo typed-while-locked\r')
  expect((await lock('unlock')).status).toBe(200)
  await owner.see('has unlocked the input')
  owner.type('echo free-$((1+1))\r')
  await owner.see('free-2\r\n')
  expect(owner.text()).not.toContain('typed-while-locked')
  await expect
    .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${id}`)).body)
    .toMatchObject([
      { event: 'locked', user: 'locker of test(locker)' },
      { event: 'unlocked', user: 'locker of test(locker)' },
    ])
  await end(owner)
  expect((await lock('lock')).status).toBe(404)
})
