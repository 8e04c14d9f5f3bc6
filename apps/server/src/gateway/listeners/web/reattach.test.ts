import { writeFile } from 'node:fs/promises'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsOf } from '../../../domains/settings/index.ts'
import { noteSessionEvent } from '../../../domains/terminal/index.ts'
import { terminalSession } from '../../../domains/terminal/tables.ts'
import { openTerminal, openTerminalFixture, type Terminal, type TerminalFixture } from './terminal-fixture.ts'

let fixture: TerminalFixture

beforeAll(async () => {
  fixture = await openTerminalFixture()
})
afterAll(() => fixture?.close())

const sessionId = (terminal: Terminal) => terminal.session?.id ?? ''

async function atPrompt(client = 'page-1'): Promise<Terminal> {
  const terminal = await fixture.open(fixture.person, { client })
  await terminal.see(/[#$] /)
  return terminal
}

/** Line breaks, then another comes for the same session. */
const resume = (
  id: string,
  client = 'page-1',
  caller: Pick<typeof fixture.person, 'token'> = fixture.person,
  cols = 80,
) => fixture.open(caller as typeof fixture.person, { type: 'resume', target: id, client, cols })

const mine = async () => (await fixture.person.get('/koko/sessions/')).body as { id: string; is_waiting: boolean }[]
const waits = (id: string) =>
  expect.poll(async () => (await mine()).find((one) => one.id === id)?.is_waiting).toBe(true)
const row = async (id: string) => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body
const isOver = (id: string) => expect.poll(async () => (await row(id)).is_finished).toBe(true)
const history = async (id: string) =>
  (await fixture.server.admin.get(`/api/v1/terminal/session-events/?session=${id}`)).body as Record<string, string>[]

/** Text on a terminal that was cleared: behind the last reset. */
const screen = (terminal: Terminal) => terminal.text().split('\x1bc').at(-1) ?? ''

test('after a broken line the same shell goes on, what it said meanwhile is on the screen once and in order, and its history tells', async () => {
  const terminal = await atPrompt()
  terminal.type('secret=kept; for n in $(seq 300); do echo "number-$n"; done; mkfifo /tmp/$$.gate; echo READY-$$\r')
  const shell = /READY-(\d+)\r/.exec(await terminal.see(/READY-\d+\r/))?.[1]
  terminal.type(`cat /tmp/${shell}.gate; rm /tmp/${shell}.gate\r`)
  await terminal.see('.gate')
  const id = sessionId(terminal)
  terminal.cut()
  await waits(id)
  // The machine says more while nobody is there.
  await writeFile(`/tmp/${shell}.gate`, 'printed-while-away\n')
  const back = await resume(id)
  await back.see('printed-while-away')
  expect(screen(back).match(/number-\d+(?=\r\n)/g)).toEqual(Array.from({ length: 300 }, (_, n) => `number-${n + 1}`))
  expect(screen(back).match(/printed-while-away/g)).toHaveLength(1)
  back.type('echo "still $secret $$"\r')
  await back.see(`still kept ${shell}\r\n`)
  await expect
    .poll(() => history(id))
    .toMatchObject([
      { event: 'detached', user: 'walker of test(walker)' },
      { event: 'resumed', user: 'walker of test(walker)', remote_addr: '127.0.0.1' },
    ])
  back.say('CLOSE')
  await back.closed
  await isOver(id)
  await expect.poll(async () => (await history(id)).at(-1)).toMatchObject({ event: 'ended', reason: 'left' })
})

test('from another device, with another window: the shell has its size, the first line is notified and its input counts no more', async () => {
  const terminal = await atPrompt('desk')
  const id = sessionId(terminal)
  const phone = await resume(id, 'phone', fixture.person, 44)
  await terminal.closed
  expect(terminal.messages.map(({ type }) => type).slice(-2)).toEqual(['TERMINAL_MOVED', 'CLOSE'])
  phone.type('stty size\r')
  await phone.see('24 44')
  expect((await mine()).find((one) => one.id === id)?.is_waiting).toBe(false)
  phone.say('CLOSE')
  await isOver(id)
})

test('the client learns how much of its input has arrived, and another client starts from zero', async () => {
  const terminal = await atPrompt()
  const id = sessionId(terminal)
  terminal.type('echo $((40+2))')
  await terminal.see('40+2))')
  terminal.cut()
  await waits(id)
  const received = (line: Terminal) =>
    JSON.parse(line.messages.find(({ type }) => type === 'TERMINAL_SESSION')?.data ?? '{}').received
  const back = await resume(id)
  await back.see('40+2))')
  expect(received(back)).toBe('echo $((40+2))'.length)
  back.type('\r')
  await back.see('42\r\n')
  const other = await resume(id, 'other')
  await other.see('42')
  expect(received(other)).toBe(0)
  other.say('CLOSE')
  await isOver(id)
})

test('a client that can’t come back, or is not to, leaves as ever; so does everybody when the time is 0', async () => {
  const old = await fixture.open(fixture.person)
  await old.see(/[#$] /)
  old.cut()
  await isOver(sessionId(old))
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('TERMINAL_SESSION_REATTACH_TIME', 0)
  try {
    const terminal = await atPrompt()
    expect(await mine()).toEqual([])
    terminal.cut()
    await isOver(sessionId(terminal))
  } finally {
    await settings.set('TERMINAL_SESSION_REATTACH_TIME', 5)
  }
})

test('[A6.15] nobody else goes on with it or ends it, whatever their role; nor its person without permission or sign-in', async () => {
  const terminal = await atPrompt()
  const id = sessionId(terminal)
  terminal.cut()
  await waits(id)
  const { admin } = fixture.server
  const intruder = await openTerminal(fixture.server.url, admin, {
    type: 'resume',
    target: id,
    systemUser: '',
    client: 'page-1',
  })
  await intruder.closed
  expect(intruder.errors).toEqual(['There is no such session of yours'])
  expect((await admin.get('/koko/sessions/')).body).toEqual([])
  expect((await admin.delete(`/koko/sessions/${id}/`)).status).toBe(404)
  const permission = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  await admin.patch(permission, { is_active: false })
  try {
    const refused = await resume(id)
    await refused.closed
    expect(refused.errors.join()).toMatch(/permission for this asset has ended|ended while you were away/)
  } finally {
    await admin.patch(permission, { is_active: true })
  }
  await fixture.person.delete(`/koko/sessions/${id}/`)
  await isOver(id)
})

test('[A6.15] a session that waits ends within seconds when its person is disabled, and at once when they close it elsewhere', async () => {
  const brief = await fixture.server.aPerson('brief')
  await fixture.server.admin.post('/api/v1/perms/asset-permissions/', {
    name: 'brief',
    users: [brief.id],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
  const terminal = await fixture.open(brief, { client: 'page-1' })
  await terminal.see(/[#$] /)
  terminal.cut()
  await expect.poll(async () => (await brief.get('/koko/sessions/')).body[0]?.is_waiting).toBe(true)
  await fixture.server.admin.patch(`/api/v1/users/users/${brief.id}/`, { is_active: false })
  await isOver(sessionId(terminal))
  await expect.poll(async () => (await history(sessionId(terminal))).at(-1)?.reason).toMatch(/permission|signed_out/)
})

test('a session that is being ended is offered to nobody, though its end is not stored yet', async () => {
  const terminal = await atPrompt()
  const id = sessionId(terminal)
  terminal.cut()
  await waits(id)
  const holder = await fixture.server.kernel.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM terminal_session WHERE id = $1 FOR UPDATE', [id])
    await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])
    await expect.poll(mine).toEqual([])
    const late = await resume(id)
    await late.closed
    expect(late.errors).toHaveLength(1)
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  await isOver(id)
})

test('input before the machine has answered reaches the shell', async () => {
  const terminal = await fixture.open(fixture.person, { client: 'page-1' })
  await expect.poll(() => terminal.messages.some(({ type }) => type === 'CONNECT')).toBe(true)
  terminal.type('echo typed-$((1+1))-ahead\r')
  await terminal.see('typed-2-ahead')
  terminal.say('CLOSE')
  await terminal.closed
})

test('a person who comes back too late sees plainly what became of the session: lost with the server, or not waited for', async () => {
  const { kernel } = fixture.server
  const lostOrNot = async (reason?: 'waited') => {
    const [row] = await kernel.db
      .insert(terminalSession)
      .values({
        org_id: DEFAULT_ORG_ID,
        user: 'w',
        asset: 'a',
        system_user: 's',
        user_id: fixture.person.id,
        is_finished: true,
      })
      .returning()
    if (!row) throw new Error('no row')
    if (reason) await noteSessionEvent(kernel, { session: row.id, org_id: row.org_id, event: 'ended', reason })
    const late = await resume(row.id)
    await late.closed
    return late.errors.join()
  }
  expect(await lostOrNot()).toMatch(/^The server was restarted: your session, and what ran in it, is lost/)
  expect(await lostOrNot('waited')).toBe('The session was ended because nobody came back in time')
})

test('input typed ahead goes to no shell once a question was asked: it may have been the answer', async () => {
  const systemUser = await fixture.created('/api/v1/assets/system-users/', {
    name: 'asks',
    username: fixture.sshd.username,
    protocol: 'ssh',
    login_mode: 'manual',
    auto_push: false,
  })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'asks',
    users: [fixture.person.id],
    assets: [fixture.asset],
    system_users: [systemUser],
  })
  const terminal = await fixture.open(fixture.person, { client: 'page-1', systemUser })
  await expect.poll(() => terminal.messages.some(({ type }) => type === 'CONNECT')).toBe(true)
  terminal.type('early secret\r')
  await terminal.see('password: ')
  terminal.type('wrong\r')
  await terminal.closed
  expect(terminal.errors).toHaveLength(1)
  expect(terminal.text()).not.toContain('early secret')
})
