import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalSession } from '../../../domains/terminal/tables.ts'
import { startVnc, type VncServer } from '../../connectors/vnc/vnc-fixture.ts'
import { clipboard, type FakeServer, painted, startFakeVnc } from '../../protocols/rfb/fake-server-fixture.ts'
import { cutText, keyEvent, pointerEvent } from '../../protocols/rfb/messages.ts'
import { drawn, seen, viewerStart } from '../../protocols/rfb/viewer-fixture.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from './terminal-fixture.ts'

const PASSWORD = 'pw-7q!x'
const RETURN = 0xff0d

let fixture: TerminalFixture
let real: VncServer
let fake: FakeServer
beforeAll(async () => {
  ;[fixture, real, fake] = await Promise.all([openTerminalFixture(), startVnc('VncAuth', PASSWORD), startFakeVnc()])
})
afterAll(async () => {
  await fixture.close()
  await Promise.all([real.close(), fake.close()])
})

const screenAt = (port: number, password = '') =>
  fixture.target(
    { port, protocols: [`vnc/${port}`] },
    { username: '', protocol: 'vnc', login_mode: 'auto', ...(password ? { password } : {}) },
  )

async function open(port: number, password = '', caller = fixture.person) {
  const { target, systemUser } = await screenAt(port, password)
  const line = await fixture.open(caller, { type: 'vnc', target, systemUser })
  await said(line, 'DESKTOP_START')
  line.type(viewerStart())
  return { line, target, systemUser, id: line.session?.id as string }
}

const said = (line: Terminal, type: string) =>
  expect.poll(() => line.messages.filter((message) => message.type === type).at(-1), { timeout: 30_000 }).toBeTruthy()
/** What was sent on this line before has been dealt with. */
async function dealtWith(line: Terminal) {
  const answers = () => line.messages.filter(({ type }) => type === 'PONG').length
  const before = answers()
  line.say('PING')
  await expect.poll(answers, { timeout: 30_000 }).toBe(before + 1)
}
const see = (line: Terminal) => expect.poll(() => seen(line.output()), { timeout: 30_000 })
const toldNow = () => fake.told.map((message) => message.toString('hex'))

test('[A1.06] a desktop behind a password shows its picture and takes keys; the password never reaches the page', async () => {
  const dialog = real.run('xmessage', '-default', 'okay', '-buttons', 'okay:7', '-geometry', '+0+0', 'pay the bill')
  const { line, id } = await open(real.port, PASSWORD)
  await see(line).toMatchObject({ width: 320, height: 240 })
  await expect.poll(() => seen(line.output())?.lit, { timeout: 30_000 }).toBeGreaterThan(500)

  line.type(pointerEvent(0, 10, 10))
  line.type(Buffer.concat([keyEvent(true, RETURN), keyEvent(false, RETURN)]))
  const [code] = await once(dialog, 'exit')
  expect(code).toBe(7)
  const told = JSON.stringify(line.messages) + line.output().toString('latin1')
  expect(told).not.toContain(PASSWORD)

  const { db } = fixture.server.kernel
  const [row] = await db.select().from(terminalSession).where(eq(terminalSession.id, id))
  expect(row).toMatchObject({ protocol: 'vnc', is_success: true, is_finished: false, login_from: 'WT' })
  line.say('CLOSE')
  await line.closed
})

test('a wrong password is refused in words', async () => {
  const { target, systemUser } = await screenAt(real.port, 'not-it')
  const line = await fixture.open(fixture.person, { type: 'vnc', target, systemUser })
  await line.closed
  expect(line.errors).toEqual(['The machine refused the username or the password'])
  expect(line.output()).toHaveLength(0)
})

test('whoever watches has the whole picture at once, and can do nothing', async () => {
  const { line, id } = await open(fake.port)
  fake.say(painted(0, 0, 64, 48, '102030'))
  await expect.poll(() => seen(line.output())?.at(63, 47)).toBe('102030')
  const watcher = await fixture.open(fixture.server.admin, { type: 'shareroom', target: id })
  await said(watcher, 'DESKTOP_START')
  watcher.type(viewerStart())
  await expect.poll(() => seen(watcher.output())?.at(20, 20)).toBe('102030')
  const before = fake.told.length
  watcher.type(keyEvent(true, 0x61))
  await dealtWith(watcher)
  fake.say(painted(8, 8, 8, 8, 'a0b0c0'))
  await expect.poll(() => seen(watcher.output())?.at(9, 9)).toBe('a0b0c0')
  line.type(keyEvent(true, 0x62))
  await expect.poll(() => fake.told.length).toBe(before + 1)
  expect(toldNow().at(-1)).toBe(keyEvent(true, 0x62).toString('hex'))
  line.say('CLOSE')
  await watcher.closed
})

test('what is locked takes nothing, and lets go of what is pressed', async () => {
  const { line, id } = await open(fake.port)
  const press = keyEvent(true, 0xffe3)
  line.type(press)
  await expect.poll(toldNow).toContain(press.toString('hex'))
  expect((await fixture.server.admin.post(`/api/v1/terminal/sessions/${id}/lock/`, {})).status).toBeLessThan(300)
  await said(line, 'TERMINAL_LOCK')
  await expect.poll(() => toldNow().at(-1)).toBe(keyEvent(false, 0xffe3).toString('hex'))
  const before = fake.told.length
  line.type(keyEvent(true, 0x63))
  await dealtWith(line)
  expect((await fixture.server.admin.post(`/api/v1/terminal/sessions/${id}/unlock/`, {})).status).toBeLessThan(300)
  await expect.poll(() => line.messages.filter(({ type }) => type === 'TERMINAL_LOCK')).toHaveLength(2)
  line.type(keyEvent(true, 0x64))
  await expect.poll(() => fake.told.length).toBe(before + 1)
  expect(toldNow().at(-1)).toBe(keyEvent(true, 0x64).toString('hex'))
  line.say('CLOSE')
  await line.closed
})

test('[A2.64] the clipboard goes each way only where the permission has its bit, and what is withdrawn stops at once', async () => {
  const { line, target, id } = await open(fake.port)
  const [permission] = (await fixture.server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}`)).body
  const allow = async (actions: string[]) => {
    const answer = await fixture.server.admin.patch(`/api/v1/perms/asset-permissions/${permission.id}/`, { actions })
    expect(answer.status).toBe(200)
  }
  const clipboards = () => line.messages.filter(({ type }) => type === 'DESKTOP_CLIPBOARD').map(({ data }) => data)
  await allow(['connect', 'clipboard_copy'])
  fake.say(clipboard('from the screen'))
  await expect.poll(clipboards).toEqual([JSON.stringify({ text: 'from the screen' })])
  line.say('DESKTOP_CLIPBOARD', { text: 'not this' })
  line.type(keyEvent(true, 0x76))
  // The key waits for the answer about the clipboard.
  await expect.poll(() => toldNow().at(-1)).toBe(keyEvent(true, 0x76).toString('hex'))
  expect(toldNow()).not.toContain(cutText('not this').toString('hex'))

  await allow(['connect', 'clipboard_paste'])
  line.say('DESKTOP_CLIPBOARD', { text: 'this\r\none' })
  await expect.poll(toldNow).toContain(cutText('this\none').toString('hex'))
  fake.say(clipboard('kept there'))
  await expect
    .poll(() => line.messages.filter(({ type }) => type === 'DESKTOP_NOTICE').map(({ data }) => JSON.parse(data).text))
    .toEqual(['You have no permission to paste into this desktop', 'You have no permission to copy from this desktop'])
  expect(clipboards()).toHaveLength(1)
  line.say('CLOSE')
  await line.closed
  await expect.poll(() => replayOf(id).then(({ status }) => status)).toBe(200)
  const { marks } = (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/replay/index/`)).body
  expect(marks.filter(({ kind }: { kind: string }) => kind !== 'notice')).toMatchObject([
    { kind: 'copy', characters: 15 },
    { kind: 'paste', characters: 8, refused: true },
    { kind: 'paste', characters: 9 },
    { kind: 'copy', characters: 10, refused: true },
  ])
})

const replayOf = (id: string) => fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/replay/`)

test('what was seen is in the recording, which opens by pieces', async () => {
  const { line, id } = await open(fake.port)
  fake.say(painted(0, 0, 64, 48, '0000ff'))
  await expect.poll(() => seen(line.output())?.at(0, 0)).toBe('0000ff')
  fake.say(painted(10, 10, 4, 4, 'ff0000'))
  await expect.poll(() => seen(line.output())?.at(11, 11)).toBe('ff0000')
  line.say('CLOSE')
  await line.closed
  await expect.poll(() => replayOf(id).then(({ body }) => body.type)).toBe('desktop')
  const { admin } = fixture.server
  const { body: session } = await admin.get(`/api/v1/terminal/sessions/${id}/`)
  expect(session).toMatchObject({ has_replay: true, can_replay: true, is_finished: true })
  const base = `/api/v1/terminal/sessions/${id}/replay/`
  const { body: index } = await admin.get(`${base}index/`)
  expect(index).toMatchObject({ cols: 64, rows: 48, parts: [{ time: 0, cols: 64, rows: 48 }] })
  expect((await admin.get(`${base}integrity/`)).body).toEqual({ intact: true })
  const piece = await fetch(`${fixture.server.url}${base}part/0/`, {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  const lines = (await piece.text()).trim().split('\n')
  const updates = lines
    .slice(1)
    .map((one) => JSON.parse(one))
    .filter(([, code]) => code === 'o')
  const picture = drawn(1, 1, Buffer.concat(updates.map(([, , data]) => Buffer.from(data, 'base64'))))
  expect([picture.width, picture.at(0, 0), picture.at(11, 11)]).toEqual([64, '0000ff', 'ff0000'])
  expect((await admin.get(`${base}search/?q=anything`)).status).toBe(400)
})

test('an order to end it, and a permission that is gone, end it with words', async () => {
  const { admin } = fixture.server
  const first = await open(fake.port)
  expect((await admin.post('/api/v1/terminal/tasks/kill-session/', [first.id])).status).toBeLessThan(300)
  await first.line.closed
  expect(lastWords(first.line)).toMatch(/^The session was terminated by /)
  const second = await open(fake.port)
  const [permission] = (await admin.get(`/api/v1/perms/asset-permissions/?asset_id=${second.target}`)).body
  expect((await admin.delete(`/api/v1/perms/asset-permissions/${permission.id}/`)).status).toBe(204)
  await second.line.closed
  expect(lastWords(second.line)).toBe('Your permission for this asset has ended')
})

const lastWords = (line: Terminal) =>
  JSON.parse(line.messages.filter(({ type }) => type === 'DESKTOP_NOTICE').at(-1)?.data ?? '{}').text

test('a server that paints beside its screen is left', async () => {
  const { line } = await open(fake.port)
  const left = fake.left()
  fake.say(painted(60, 0, 8, 8, 'ffffff'))
  await line.closed
  expect(fake.left()).toBe(left + 1)
  expect(lastWords(line)).toBe('The connection to the machine was lost')
})
