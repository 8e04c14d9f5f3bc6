import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { deflateSync, gunzipSync, inflateSync } from 'node:zlib'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { settingsOf } from '../../../domains/settings/index.ts'
import { terminalSession } from '../../../domains/terminal/tables.ts'
import { startVnc, type VncServer } from '../../connectors/vnc/vnc-fixture.ts'
import { clipboard, type FakeServer, painted, startFakeVnc } from '../../protocols/rfb/fake-server-fixture.ts'
import { cutText, FROM_CLIENT, keyEvent, pointerEvent } from '../../protocols/rfb/messages.ts'
import { drawn, seen, viewerStart } from '../../protocols/rfb/viewer-fixture.ts'
import type { Person } from '../../session/person.ts'
import { type Reattachable, Reattachments } from '../../session/reattachments.ts'
import { SessionRefusal } from '../../session/refusal.ts'
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

async function open(port: number, password = '', client?: string) {
  const { target, systemUser } = await screenAt(port, password)
  const line = await fixture.open(fixture.person, { type: 'vnc', target, systemUser, ...(client ? { client } : {}) })
  await messageArrives(line, 'DESKTOP_START')
  line.type(viewerStart())
  return { line, target, systemUser, id: line.session?.id as string }
}

const messageArrives = (line: Terminal, type: string) =>
  expect.poll(() => line.messages.filter((message) => message.type === type).at(-1)).toBeTruthy()
/** Earlier input on this line has been handled. */
async function dealtWith(line: Terminal) {
  const answers = () => line.messages.filter(({ type }) => type === 'PONG').length
  const before = answers()
  line.say('PING')
  await expect.poll(answers).toBe(before + 1)
}
const see = (line: Terminal) => expect.poll(() => seen(line.output()))
const receivedNow = () => fake.received.map((message) => message.toString('hex'))

test('[A1.06] a desktop behind a password shows its picture and takes keys; the password never reaches the page', async () => {
  const dialog = real.run('xmessage', '-default', 'okay', '-buttons', 'okay:7', '-geometry', '+0+0', 'pay the bill')
  const { line, id } = await open(real.port, PASSWORD)
  await see(line).toMatchObject({ width: 320, height: 240 })
  await expect.poll(() => seen(line.output())?.lit).toBeGreaterThan(500)

  line.type(pointerEvent(0, 10, 10))
  line.type(Buffer.concat([keyEvent(true, RETURN), keyEvent(false, RETURN)]))
  const [code] = await once(dialog, 'exit')
  expect(code).toBe(7)
  const received = JSON.stringify(line.messages) + line.output().toString('latin1')
  expect(received).not.toContain(PASSWORD)

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

test('a watcher has the whole picture at once, and can do nothing', async () => {
  const { line, id } = await open(fake.port)
  fake.say(painted(0, 0, 64, 48, '102030'))
  await expect.poll(() => seen(line.output())?.at(63, 47)).toBe('102030')
  const watcher = await fixture.open(fixture.server.admin, { type: 'shareroom', target: id })
  await messageArrives(watcher, 'DESKTOP_START')
  watcher.type(viewerStart())
  await expect.poll(() => seen(watcher.output())?.at(20, 20)).toBe('102030')
  const before = fake.received.length
  watcher.type(keyEvent(true, 0x61))
  await dealtWith(watcher)
  fake.say(painted(8, 8, 8, 8, 'a0b0c0'))
  await expect.poll(() => seen(watcher.output())?.at(9, 9)).toBe('a0b0c0')
  line.type(keyEvent(true, 0x62))
  await expect.poll(() => fake.received.length).toBe(before + 1)
  expect(receivedNow().at(-1)).toBe(keyEvent(true, 0x62).toString('hex'))
  line.say('CLOSE')
  await watcher.closed
})

const press = (keysym: number) => keyEvent(true, keysym).toString('hex')
const release = (keysym: number) => keyEvent(false, keysym).toString('hex')
/** The last word of that kind. */
const lastOf = (line: Terminal, type: string) =>
  JSON.parse(line.messages.filter((message) => message.type === type).at(-1)?.data ?? '{}')

test('[A1.06] a desktop whose line broke goes on: nothing stays pressed, and a person who comes back has the picture', async () => {
  const { line, id } = await open(fake.port, '', 'first')
  expect(lastOf(line, 'TERMINAL_SESSION').reattach).toBeGreaterThan(0)
  fake.say(painted(0, 0, 64, 48, '112233'))
  await expect.poll(() => seen(line.output())?.at(5, 5)).toBe('112233')
  line.type(keyEvent(true, 0xffe1))
  await expect.poll(receivedNow).toContain(press(0xffe1))
  line.cut()
  await expect.poll(() => receivedNow().at(-1)).toBe(release(0xffe1))
  fake.say(painted(0, 0, 8, 8, '445566'))
  const own = () => fixture.person.get('/koko/sessions/').then(({ body }) => body)
  await expect.poll(own).toMatchObject([{ id, protocol: 'vnc', is_waiting: true }])

  const back = await fixture.open(fixture.person, { type: 'resume', target: id, client: 'second' })
  await messageArrives(back, 'DESKTOP_START')
  back.type(viewerStart())
  await expect
    .poll(() => [seen(back.output())?.at(1, 1), seen(back.output())?.at(60, 40)])
    .toEqual(['445566', '112233'])
  back.type(keyEvent(true, 0x79))
  await expect.poll(() => receivedNow().at(-1)).toBe(press(0x79))

  const third = await fixture.open(fixture.person, { type: 'resume', target: id, client: 'third' })
  await back.closed
  expect(back.messages.map(({ type }) => type)).toContain('TERMINAL_MOVED')
  third.say('CLOSE')
  await third.closed
  await expect.poll(own).toEqual([])
})

test('a desktop that ends while its permission is asked for is not come back to', async () => {
  const { target, systemUser } = await screenAt(fake.port)
  const person = { id: fixture.person.id } as Person
  const live = { person, isOver: false, ended: new Promise(() => {}) }
  const session = { id: randomUUID(), target_family: 'asset', asset_id: target, system_user_id: systemUser }
  const all = new Reattachments(fixture.server.kernel)
  const held = { session, live, leave() {} } as unknown as Reattachable
  all.add(held)
  expect(await all.claim(session.id, person)).toBe(held)
  const claimed = all.claim(session.id, person)
  live.isOver = true
  await expect(claimed).rejects.toThrow(SessionRefusal)
})

test('a guest who joins by a link looks on until the keys are handed over; one at a time has them', async () => {
  const { line, id } = await open(fake.port)
  const share = async (action_permission: string) => {
    const before = line.messages.filter(({ type }) => type === 'TERMINAL_SHARE').length
    line.say('TERMINAL_SHARE', { session_id: id, expired: 10, action_permission })
    await line.until(() => line.messages.filter(({ type }) => type === 'TERMINAL_SHARE').length > before)
    return lastOf(line, 'TERMINAL_SHARE') as { share_id: string; code: string }
  }
  const join = async (action_permission: string) => {
    const { share_id, code } = await share(action_permission)
    const guest = await fixture.open(fixture.server.admin, { type: 'share', target: share_id, code })
    await messageArrives(guest, 'DESKTOP_START')
    guest.type(viewerStart())
    return { guest, participant: lastOf(guest, 'TERMINAL_SESSION').participant as string }
  }
  fake.say(painted(0, 0, 64, 48, '778899'))
  const { guest, participant } = await join('writable')
  await expect.poll(() => seen(guest.output())?.at(30, 30)).toBe('778899')
  guest.type(keyEvent(true, 0x31))
  await dealtWith(guest)
  line.say('DESKTOP_CONTROL', { id: participant })
  await expect.poll(() => lastOf(guest, 'DESKTOP_CONTROL').id).toBe(participant)
  line.type(keyEvent(true, 0x32))
  await dealtWith(line)
  guest.say('DESKTOP_CLIPBOARD', { text: 'a guest has no clipboard' })
  guest.type(keyEvent(true, 0x33))
  await expect.poll(() => receivedNow().at(-1)).toBe(press(0x33))
  expect(receivedNow()).not.toContain(press(0x31))
  expect(receivedNow()).not.toContain(press(0x32))

  // Somebody with a link to look on is given nothing.
  const { guest: onlooker, participant: second } = await join('readonly')
  line.say('DESKTOP_CONTROL', { id: second })
  await expect.poll(() => lastOf(guest, 'DESKTOP_CONTROL').id).toBe('')
  await expect.poll(() => receivedNow().at(-1)).toBe(release(0x33))
  onlooker.type(keyEvent(true, 0x34))
  await dealtWith(onlooker)
  line.say('DESKTOP_CONTROL', { id: participant })
  await expect.poll(() => lastOf(line, 'DESKTOP_CONTROL').id).toBe(participant)
  guest.cut()
  await expect.poll(() => lastOf(line, 'DESKTOP_CONTROL').id).toBe('')
  line.type(keyEvent(true, 0x35))
  await expect.poll(() => receivedNow().at(-1)).toBe(press(0x35))
  expect(receivedNow()).not.toContain(press(0x34))
  line.say('CLOSE')
  await Promise.all([line.closed, onlooker.closed])
})

test('a connection token opens a desktop, which nobody can share or come back to', async () => {
  const { target, systemUser } = await screenAt(fake.port)
  const { body } = await fixture.person.post('/api/v1/authentication/connection-token/', {
    asset: target,
    system_user: systemUser,
  })
  const byToken = { byToken: body.token, type: '', target: '', systemUser: '' }
  const unknowing = await fixture.open(fixture.person, byToken)
  await unknowing.closed
  expect(unknowing.messages.map(({ type }) => type)).toEqual(['DESKTOP_VIEW', 'CLOSE'])
  const line = await fixture.open(fixture.person, { ...byToken, view: 'desktop' })
  await messageArrives(line, 'DESKTOP_START')
  expect(lastOf(line, 'TERMINAL_SESSION').reattach).toBeUndefined()
  line.type(viewerStart())
  await expect.poll(() => seen(line.output())?.width).toBe(64)
  line.say('TERMINAL_SHARE', { session_id: line.session?.id, expired: 10 })
  line.type(keyEvent(true, 0x39))
  await expect.poll(() => receivedNow().at(-1)).toBe(press(0x39))
  await dealtWith(line)
  expect(line.messages.map(({ type }) => type)).not.toContain('TERMINAL_SHARE')
  line.say('CLOSE')
  await line.closed
})

test('a locked desktop takes no input, and releases pressed keys', async () => {
  const { line, id } = await open(fake.port)
  line.type(keyEvent(true, 0xffe3))
  await expect.poll(receivedNow).toContain(press(0xffe3))
  expect((await fixture.server.admin.post(`/api/v1/terminal/sessions/${id}/lock/`, {})).status).toBeLessThan(300)
  await messageArrives(line, 'TERMINAL_LOCK')
  await expect.poll(() => receivedNow().at(-1)).toBe(keyEvent(false, 0xffe3).toString('hex'))
  const before = fake.received.length
  line.type(keyEvent(true, 0x63))
  await dealtWith(line)
  expect((await fixture.server.admin.post(`/api/v1/terminal/sessions/${id}/unlock/`, {})).status).toBeLessThan(300)
  await expect.poll(() => line.messages.filter(({ type }) => type === 'TERMINAL_LOCK')).toHaveLength(2)
  line.type(keyEvent(true, 0x64))
  await expect.poll(() => fake.received.length).toBe(before + 1)
  expect(receivedNow().at(-1)).toBe(keyEvent(true, 0x64).toString('hex'))
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
  await expect.poll(() => receivedNow().at(-1)).toBe(keyEvent(true, 0x76).toString('hex'))
  expect(receivedNow()).not.toContain(cutText('not this').toString('hex'))

  await allow(['connect', 'clipboard_paste'])
  line.say('DESKTOP_CLIPBOARD', { text: 'this\r\none' })
  await expect.poll(receivedNow).toContain(cutText('this\none').toString('hex'))
  fake.say(clipboard('kept there'))
  await expect
    .poll(() => line.messages.filter(({ type }) => type === 'DESKTOP_NOTICE').map(({ data }) => JSON.parse(data).text))
    .toEqual(['You have no permission to paste into this desktop', 'You have no permission to copy from this desktop'])
  expect(clipboards()).toHaveLength(1)
  line.say('CLOSE')
  await line.closed
  await expect.poll(() => replayOf(id).then(({ status }) => status)).toBe(200)
  const { marks } = (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/replay/index/`)).body
  const time = expect.any(Number)
  expect(marks.filter(({ kind }: { kind: string }) => kind === 'copy' || kind === 'paste')).toEqual([
    { time, kind: 'copy', characters: 15 },
    { time, kind: 'paste', characters: 8, refused: true },
    { time, kind: 'paste', characters: 9 },
    { time, kind: 'copy', characters: 10, refused: true },
  ])
  expect(marks).toContainEqual({ time, kind: 'keys', count: 1 })
})

test('[A2.64] a server whose clipboard has every script gives and takes it, and what it has no keys for by Shift+Insert', async () => {
  const { line } = await open(fake.port)
  const extended = (flags: number, text?: string) => {
    const body = text === undefined ? Buffer.alloc(0) : Buffer.from(`${text}\0`)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    const packed = text === undefined ? body : deflateSync(Buffer.concat([length, body]))
    const head = Buffer.alloc(12)
    head.writeInt32BE(-(4 + packed.length), 4)
    head.writeUInt32BE(flags, 8)
    return Buffer.concat([head, packed])
  }
  /** Messages to the server about its clipboard: flags, and the text that was given. */
  const receivedSince = (from = 0) =>
    fake.received.slice(from).flatMap((message): (string | number)[] => {
      if (message[0] !== FROM_CLIENT.cutText) return []
      const flags = message.readUInt32BE(8)
      return flags === PROVIDE ? [inflateSync(message.subarray(12)).subarray(4, -1).toString()] : [flags]
    })
  const serverSays = (flags: number, text?: string) => {
    const message = extended(flags, text)
    message[0] = 3
    fake.say(message)
  }
  const [CAPS, REQUEST, NOTIFY, PROVIDE] = [2 ** 24 + 2 ** 26 + 1, 2 ** 25 + 1, 2 ** 27 + 1, 2 ** 28 + 1]
  const start = fake.received.length
  serverSays(CAPS, '')
  await expect.poll(() => receivedSince(start)).toHaveLength(1)
  serverSays(NOTIFY)
  await expect.poll(() => receivedSince(start).at(-1)).toBe(REQUEST)
  serverSays(PROVIDE, '账单')
  await expect
    .poll(() => line.messages.filter(({ type }) => type === 'DESKTOP_CLIPBOARD').at(-1)?.data)
    .toBe(JSON.stringify({ text: '账单' }))

  const before = fake.received.length
  for (const one of '你好')
    for (const isDown of [true, false]) line.type(keyEvent(isDown, 0x0100_0000 + one.charCodeAt(0)))
  const SHIFT_INSERT = [press(0xffe1), press(0xff63), release(0xff63), release(0xffe1)]
  await expect.poll(() => receivedNow().slice(-4)).toEqual(SHIFT_INSERT)
  serverSays(REQUEST)
  await expect.poll(() => receivedSince(before)).toContain('你好')
  // The machine's own content is offered again.
  await expect.poll(() => receivedSince(before)).toEqual([NOTIFY, '你好', NOTIFY])
  serverSays(REQUEST)
  await expect.poll(() => receivedSince(before).at(-1)).toBe('账单')

  // Something that is no text is there by now: what was there before is not given back.
  serverSays(2 ** 27)
  const last = fake.received.length
  for (const isDown of [true, false]) line.type(keyEvent(isDown, 0x0100_0000 + '好'.charCodeAt(0)))
  await expect.poll(() => receivedNow().slice(-4)).toEqual(SHIFT_INSERT)
  serverSays(REQUEST)
  await expect.poll(() => receivedSince(last)).toEqual([NOTIFY, '好', 2 ** 27])
  line.say('CLOSE')
  await line.closed
})

const replayOf = (id: string) => fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/replay/`)

test('the picture is in the recording, which opens by pieces; events beside it are searched, clipboards where they are kept', async () => {
  const settings = settingsOf(fixture.server.kernel)
  await settings.set('TERMINAL_RECORD_CLIPBOARD', true)
  onTestFinished(() => settings.set('TERMINAL_RECORD_CLIPBOARD', false))
  const { line, id } = await open(fake.port)
  fake.say(clipboard('first\nthe Blue Heron of the lake'))
  await messageArrives(line, 'DESKTOP_CLIPBOARD')
  fake.say(painted(0, 0, 64, 48, '0000ff'))
  await expect.poll(() => seen(line.output())?.at(0, 0)).toBe('0000ff')
  fake.say(painted(10, 10, 4, 4, 'ff0000'))
  await expect.poll(() => seen(line.output())?.at(11, 11)).toBe('ff0000')
  line.say('CLOSE')
  await line.closed
  await expect.poll(() => replayOf(id).then(({ body }) => body.type)).toBe('desktop')
  const { admin } = fixture.server
  const session = () => admin.get(`/api/v1/terminal/sessions/${id}/`).then(({ body }) => body)
  await expect.poll(session).toMatchObject({ has_replay: true, can_replay: true, is_finished: true })
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
  const heron = { time: expect.any(Number), text: 'the Blue Heron of the lake', from: 4, to: 14 }
  expect((await admin.get(`${base}search/?q=blue%20heron`)).body).toEqual({ hits: [heron], more: false })
  expect((await admin.get(`${base}search/?q=anything`)).body).toEqual({ hits: [], more: false })
  // On a busy machine one answer may be that of the first seconds alone.
  const everywhere = async () =>
    (await admin.get('/api/v1/terminal/sessions/replay-search/?q=blue%20heron')).body.results
  await expect.poll(everywhere).toMatchObject([{ id, hits: [heron] }])
  // A page that plays by itself, where the console has been built; nothing for terminals.
  const forms = ['html', 'cast'].map((format) => admin.get(`${base}download/?format=${format}`))
  const [page, cast] = await Promise.all(forms)
  expect(cast?.status).toBe(400)
  if (page?.status === 503) expect(page.body.code).toBe('console_not_built')
  else {
    expect(page?.body).toMatch(/^<!doctype html>/)
    const recording = /id="recording">([^<]+)</.exec(page?.body)?.[1] ?? ''
    expect(gunzipSync(Buffer.from(recording, 'base64')).toString()).toContain(lines.at(-1))
  }
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
  expect(lastWords(line)).toBe('The machine does not keep to its protocol: the session was closed')
})
