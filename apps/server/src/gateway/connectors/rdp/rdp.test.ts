import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { RemoteProgram } from '../../../domains/applications/index.ts'
import { terminalSession } from '../../../domains/terminal/tables.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from '../../listeners/web/terminal-fixture.ts'
import { ClipboardPeer } from '../../protocols/rdp/clipboard-peer-fixture.ts'
import { keyInput } from '../../protocols/rdp/input.ts'
import { keyEvent, pointerEvent, setDesktopSize } from '../../protocols/rfb/messages.ts'
import { drawn, seen, viewerStart } from '../../protocols/rfb/viewer-fixture.ts'
import { remoteStart } from '../../remote-apps/start.ts'
import { listenIn, type RdpServer, startShadow, startXrdp } from './rdp-fixture.ts'

const PASSWORD = 'pw-7q!x'
const RETURN = 0xff0d
const BASIC = '/api/v1/settings/setting/?category=basic'

let fixture: TerminalFixture
let xrdp: RdpServer
let shadow: RdpServer
beforeAll(async () => {
  ;[fixture, xrdp, shadow] = await Promise.all([
    openTerminalFixture({ SALLYPORT_SETTING_SITE_URL: 'https://gate.test' }),
    startXrdp(PASSWORD),
    startShadow('ann', PASSWORD),
  ])
})
afterAll(async () => {
  await fixture.close()
  await Promise.all([xrdp.close(), shadow.close()])
})

const screenAt = (port: number, password = PASSWORD, more: object = {}) =>
  fixture.target(
    { port, protocols: [`rdp/${port}`], ...more },
    { username: 'ann', protocol: 'rdp', login_mode: 'auto', password },
  )

async function open(port: number, more: object = {}) {
  const { target, systemUser } = await screenAt(port, PASSWORD, more)
  const line = await fixture.open(fixture.person, { type: 'rdp', target, systemUser })
  await messageArrives(line, 'DESKTOP_START')
  line.type(viewerStart())
  return { line, target, systemUser, id: line.session?.id as string }
}

/** Waits for the last message of that type; an error of the session fails at once. */
const messageArrives = (line: Terminal, type: string) =>
  expect.poll(() => line.errors[0] ?? line.messages.filter((message) => message.type === type).at(-1)?.type).toBe(type)
const lit = (line: Terminal) => expect.poll(() => seen(line.output())?.lit ?? 0)
const noticesOf = (line: Terminal) =>
  line.messages.filter(({ type }) => type === 'DESKTOP_NOTICE').map(({ data }) => JSON.parse(data).text)

test('[A1.06] a desktop behind TLS shows its picture, takes keys and is recorded; the password never reaches the page', async () => {
  const dialog = xrdp.run('xmessage', '-default', 'okay', '-buttons', 'okay:7', '-geometry', '+0+0', 'pay the bill')
  const { line, id } = await open(xrdp.port)
  await lit(line).toBeGreaterThan(500)
  expect(seen(line.output())).toMatchObject({ width: 1280, height: 800 })

  line.type(pointerEvent(0, 20, 20))
  line.type(Buffer.concat([keyEvent(true, RETURN), keyEvent(false, RETURN)]))
  expect((await once(dialog, 'exit'))[0]).toBe(7)
  // Content that is gone from the screen is gone from the picture.
  await lit(line).toBeLessThan(500)
  expect(JSON.stringify(line.messages) + line.output().toString('latin1')).not.toContain(PASSWORD)

  // Asked for until the machine has said that it can.
  await expect
    .poll(() => {
      line.type(setDesktopSize(1001, 600, { id: 0, flags: 0 }))
      return seen(line.output())?.width
    })
    .toBe(1000)

  const { db } = fixture.server.kernel
  const [row] = await db.select().from(terminalSession).where(eq(terminalSession.id, id))
  expect(row).toMatchObject({ protocol: 'rdp', is_success: true, is_finished: false, login_from: 'WT' })
  line.say('CLOSE')
  await line.closed
  const { admin, url } = fixture.server
  const base = `/api/v1/terminal/sessions/${id}/replay/`
  await expect.poll(() => admin.get(base).then(({ body }) => body.type)).toBe('desktop')
  const piece = await fetch(`${url}${base}part/0/`, { headers: { authorization: `Bearer ${admin.token}` } })
  const events = (await piece.text()).trim().split('\n').slice(1)
  const updates = events.map((one) => JSON.parse(one)).filter(([, code]) => code === 'o')
  const picture = drawn(1, 1, Buffer.concat(updates.map(([, , data]) => Buffer.from(data, 'base64'))))
  expect([picture.width, picture.height]).toEqual([1000, 600])
})

test('[A2.22] an account is proven before a server shows anything (NLA), and a wrong password is refused in words', async () => {
  const wrong = await screenAt(shadow.port, 'not-it')
  const refused = await fixture.open(fixture.person, { type: 'rdp', ...wrong })
  await refused.closed
  expect(refused.errors).toEqual(['The machine refused the username or the password'])
  expect(refused.output()).toHaveLength(0)

  const dialog = shadow.run('xmessage', '-default', 'okay', '-buttons', 'okay:7', '-geometry', '+0+0', 'pay the bill')
  const { line, id } = await open(shadow.port)
  await lit(line).toBeGreaterThan(500)
  const watcher = await fixture.open(fixture.server.admin, { type: 'shareroom', target: id })
  await messageArrives(watcher, 'DESKTOP_START')
  watcher.type(viewerStart())
  await lit(watcher).toBeGreaterThan(500)
  dialog.kill()
  line.say('CLOSE')
  await watcher.closed
})

test('the key of a certificate is pinned: another server at that address gets no password', async () => {
  const { target, systemUser } = await open(shadow.port).then(({ line, ...at }) => {
    line.say('CLOSE')
    return at
  })
  await fixture.server.kernel.db.execute(
    // The key that is trusted becomes another one.
    `UPDATE assets_server_key SET fingerprint = 'SHA256:AAAA' WHERE target = '${target}'`,
  )
  const line = await fixture.open(fixture.person, { type: 'rdp', target, systemUser })
  await line.closed
  expect(line.errors[0]).toMatch(/^THE KEY OF THIS SERVER HAS CHANGED/)
})

test('[A1.06] files of a desktop go by its page, with the rights of that moment and a row for each; nothing stays', async () => {
  const { server, person } = fixture
  const { line, target, id } = await open(xrdp.port)
  await messageArrives(line, 'DESKTOP_FILES')
  const base = `/koko/desktops/${id}/files/`
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/octet-stream' }
  const give = async (name: string, body: string, part: Record<string, string> = {}) => {
    const query = new URLSearchParams({ name, ...part })
    const answer = await fetch(`${server.url}${base}?${query}`, { method: 'PUT', headers, body })
    return { status: answer.status, body: (await answer.json()) as { name: string; upload: string } }
  }
  const take = (file: unknown) =>
    fetch(`${server.url}${base}${file}/`, { headers: { authorization: headers.authorization } })
  const plan = 'dig here\n'.repeat(20_000)
  const fileLists = () => line.messages.filter(({ type }) => type === 'DESKTOP_FILES').length
  const before = fileLists()
  expect(await give('plan/of:März.txt', plan)).toMatchObject({ status: 201, body: { name: 'plan_of_März.txt' } })
  expect((await give('plan/of:März.txt', '')).body.name).toBe('plan_of_März (2).txt')
  await expect.poll(fileLists).toBeGreaterThan(before)
  expect((await give('...', 'x')).status).toBe(400)
  const list = (await person.get(base)).body
  expect(list).toMatchObject({ may_upload: true, may_download: true })
  expect(list.entries).toMatchObject([{ size: plan.length, is_own: true, is_open: false }, { size: 0 }])
  const [first, second] = list.entries
  const taken = await take(first.id)
  expect([await taken.text(), taken.headers.get('content-disposition')]).toEqual([
    plan,
    "attachment; filename*=UTF-8''plan_of_M%C3%A4rz.txt",
  ])
  expect(await (await take(second.id)).text()).toBe('')
  expect([(await take('x')).status, (await take(99)).status]).toEqual([400, 404])
  expect((await person.delete(`${base}${second.id}/`)).status).toBe(204)
  // It is its person's alone.
  expect((await server.admin.get(base)).status).toBe(404)
  expect((await person.get(base.replace(id, randomUUID()))).status).toBe(404)

  // A large one comes in parts; until the last nobody sees it.
  const { upload } = (await give('film.mkv', 'abc', { more: '1' })).body
  expect((await person.get(base)).body.entries).toHaveLength(1)
  expect(await give('film.mkv', 'de', { upload, offset: '3' })).toMatchObject({
    ...{ status: 201, body: { name: 'film.mkv', size: 5 } },
  })
  expect((await give('film.mkv', 'de', { upload, offset: '5' })).status).toBe(409)
  expect((await give('film.mkv', 'de', { upload: 'x' })).status).toBe(400)
  const { upload: begun } = (await give('begun.txt', 'abc', { more: '1' })).body

  const session = `/api/v1/terminal/sessions/${id}`
  await server.admin.post(`${session}/lock/`, {})
  // The node of the session hears of it by itself.
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/has locked/)
  for (const answer of [await give('locked.txt', 'x'), await give('begun.txt', '', { upload: begun, offset: '3' })])
    expect(answer).toMatchObject({ status: 400, body: { code: 'locked' } })
  await server.admin.post(`${session}/unlock/`, {})
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/has unlocked/)
  const { body: permissions } = await server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}&limit=10`)
  const permit = (actions: string[]) =>
    server.admin.patch(`/api/v1/perms/asset-permissions/${permissions.results[0].id}/`, { actions })
  expect((await permit(['connect', 'clipboard_copy'])).status).toBe(200)
  await expect
    .poll(() => person.get(base).then(({ body }) => [body.may_upload, body.may_download]))
    .toEqual([false, false])
  expect([(await give('refused.txt', 'x')).status, (await take(first.id)).status]).toEqual([403, 403])
  await permit(['all'])

  const rows = async () => {
    const { body } = await server.admin.get(`/api/v1/audits/ftp-logs/?limit=100&offset=0`)
    return (body.results as Record<string, string>[])
      .filter(({ asset }) => asset?.startsWith(line.session?.asset as string))
      .map(
        ({ operate, filename, is_success }) =>
          `${operate} ${filename?.slice('\\\\tsclient\\Files\\'.length)} ${is_success}`,
      )
      .toSorted()
  }
  await expect
    .poll(rows)
    .toEqual([
      'Delete plan_of_März (2).txt true',
      'Download plan_of_März (2).txt true',
      'Download plan_of_März.txt false',
      'Download plan_of_März.txt true',
      'Upload begun.txt false',
      'Upload film.mkv true',
      'Upload locked.txt false',
      'Upload plan_of_März (2).txt true',
      'Upload plan_of_März.txt true',
      'Upload refused.txt false',
    ])
  line.say('CLOSE')
  await line.closed
  await expect.poll(() => person.get(base).then(({ status }) => status)).toBe(404)
  await expect.poll(() => readdirSync(join(server.kernel.config.dataDirectory, 'desktop-files'))).toEqual([])
  // Their names are in the recording, and found.
  await expect.poll(() => server.admin.get(`${session}/replay/`).then(({ body }) => body.type)).toBe('desktop')
  const { marks } = (await server.admin.get(`${session}/replay/index/`)).body
  const moved = marks.filter(({ kind }: { kind: string }) => kind === 'upload' || kind === 'download')
  expect(moved.map(({ kind, text }: Record<string, string>) => `${kind} ${text}`)).toEqual([
    'upload plan_of_März.txt',
    'upload plan_of_März (2).txt',
    'download plan_of_März.txt',
    'download plan_of_März (2).txt',
    'upload film.mkv',
  ])
  const { body: found } = await server.admin.get(`${session}/replay/search/?q=${encodeURIComponent('MÄRZ (2)')}`)
  expect(found.hits).toMatchObject([{ text: 'plan_of_März (2).txt' }, { text: 'plan_of_März (2).txt' }])
})

test('[A2.64] files that are copied on a machine are downloads of its page, with both rights, and a row for each', async () => {
  const tap = await listenIn(xrdp.port)
  onTestFinished(() => tap.close())
  const { server, person } = fixture
  const { line, target, id } = await open(tap.port)
  await messageArrives(line, 'DESKTOP_FILES')
  // The first channel beside the screen's.
  const peer: ClipboardPeer = new ClipboardPeer(tap.takeOver(1004, (data) => peer.take(data)))
  peer.begin()
  const base = `/koko/desktops/${id}/files/`
  const copied = async () => (await person.get(base)).body.copied as { id: number; name: string; size: number | null }[]
  const take = (file: unknown) =>
    fetch(`${server.url}${base}copied/${file}/`, { headers: { authorization: `Bearer ${person.token}` } })
  const content = Buffer.alloc(600_000, 'dig here\n')
  const fileLists = line.messages.filter(({ type }) => type === 'DESKTOP_FILES').length
  peer.copy(
    { name: 'work', content: 'folder' },
    { name: 'work\\März.txt', content },
    { name: 'empty', content: Buffer.alloc(0), isUnsized: true },
  )
  await expect.poll(copied).toMatchObject([
    { name: 'März.txt', path: 'work/März.txt', size: content.length },
    { name: 'empty', size: null },
  ])
  await expect
    .poll(() => line.messages.filter(({ type }) => type === 'DESKTOP_FILES').length)
    .toBeGreaterThan(fileLists)
  const [first, second] = await copied()
  const taken = await take(first?.id)
  expect([Buffer.from(await taken.arrayBuffer()).equals(content), taken.headers.get('content-disposition')]).toEqual([
    ...[true, "attachment; filename*=UTF-8''M%C3%A4rz.txt"],
  ])
  expect([await (await take(second?.id)).text(), (await take('x')).status, (await take(99)).status]).toEqual([
    ...['', 400, 404],
  ])
  // The offered file is gone: the download breaks off.
  peer.isClosed = true
  await expect(take(first?.id).then((answer) => answer.arrayBuffer())).rejects.toThrow()
  peer.isClosed = false

  const { body: permissions } = await server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}&limit=10`)
  const permit = (actions: string[]) =>
    server.admin.patch(`/api/v1/perms/asset-permissions/${permissions.results[0].id}/`, { actions })
  // A right that is withdrawn while it goes: what is asked for last is not handed on.
  const rights = async () => (await person.get(base)).body as { may_upload: boolean; may_download: boolean }
  peer.isSilent = true
  const begun = take(first?.id).then((answer) => answer.arrayBuffer())
  begun.catch(() => {})
  await expect.poll(() => peer.waiting).toBe(1)
  await permit(['connect', 'download_file'])
  await expect.poll(rights).toMatchObject({ may_upload: false, may_download: true })
  peer.speak()
  await expect(begun).rejects.toThrow()
  expect((await take(first?.id)).status).toBe(403)
  await permit(['connect', 'clipboard_copy'])
  await expect.poll(async () => (await person.get(base)).body.may_download).toBe(false)
  expect((await take(first?.id)).status).toBe(403)
  peer.copy({ name: 'secret.txt', content })
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/no permission to download from it$/)
  await permit(['connect', 'download_file'])
  peer.copy({ name: 'secret.txt', content })
  await expect.poll(() => noticesOf(line).at(-1)).toBe('You have no permission to copy from this desktop')
  expect(await copied()).toEqual([])
  await permit(['all'])
  peer.formats([8, 'picture'])
  await expect.poll(() => noticesOf(line).at(-1)).toBe('Only text and files copied on this desktop go to you')

  const rows = async () => {
    const { body } = await server.admin.get(`/api/v1/audits/ftp-logs/?limit=100&offset=0`)
    return (body.results as Record<string, string>[])
      .filter(({ filename }) => filename?.startsWith('Clipboard\\'))
      .map(({ operate, filename, is_success }) => `${operate} ${filename} ${is_success}`)
      .toSorted()
  }
  // How a file that went ended is written when its stream has closed, after the person has it.
  await expect
    .poll(rows)
    .toEqual([
      'Download Clipboard\\empty true',
      'Download Clipboard\\secret.txt false',
      'Download Clipboard\\work\\März.txt false',
      'Download Clipboard\\work\\März.txt false',
      'Download Clipboard\\work\\März.txt false',
      'Download Clipboard\\work\\März.txt false',
      'Download Clipboard\\work\\März.txt true',
    ])
  line.say('CLOSE')
  await line.closed
})

test('[A2.64] files that a person gives to the clipboard of a machine are pasted there, with both rights at each piece', async () => {
  const tap = await listenIn(xrdp.port)
  onTestFinished(() => tap.close())
  const { server, person } = fixture
  const { line, target, id } = await open(tap.port)
  await messageArrives(line, 'DESKTOP_FILES')
  const peer: ClipboardPeer = new ClipboardPeer(tap.takeOver(1004, (data) => peer.take(data)))
  peer.begin()
  const base = `/koko/desktops/${id}/files/`
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/octet-stream' }
  const content = 'dig here\n'.repeat(33_333)
  const give = async (name: string, body: string) =>
    (
      (await (await fetch(`${server.url}${base}?name=${name}`, { method: 'PUT', headers, body })).json()) as {
        id: number
      }
    ).id
  const [plan, note] = [await give('M%C3%A4rz.txt', content), await give('note', 'x')]
  expect((await person.get(base)).body).toMatchObject({ may_upload: true, may_paste: true })
  line.say('DESKTOP_CLIPBOARD', { files: [plan, note, 999] })
  await expect.poll(() => [...peer.offered.keys()]).toEqual(['FileGroupDescriptorW', 'FileContents'])
  expect(await peer.list()).toEqual([
    ['März.txt', content.length],
    ['note', 1],
  ])
  const [first, rest] = [await peer.fetch(0, 0, 262_144), await peer.fetch(0, 262_144, 262_144)]
  expect(`${first}${rest}` === content).toBe(true)
  await person.delete(`${base}${note}/`)
  expect(await peer.fetch(1, 0, 1)).toBeUndefined()

  const { body: permissions } = await server.admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}&limit=10`)
  const permit = (actions: string[]) =>
    server.admin.patch(`/api/v1/perms/asset-permissions/${permissions.results[0].id}/`, { actions })
  const mayPaste = async () => (await person.get(base)).body.may_paste
  for (const actions of [
    ['connect', 'upload_file'],
    ['connect', 'clipboard_paste'],
  ]) {
    await permit(['all'])
    await expect.poll(mayPaste).toBe(true)
    expect((await peer.fetch(0, 0, 4))?.toString()).toBe('dig ')
    await permit(actions)
    await expect.poll(mayPaste).toBe(false)
    expect(await peer.fetch(0, 0, 4)).toBeUndefined()
  }
  await permit(['connect', 'upload_file'])
  line.say('DESKTOP_CLIPBOARD', { files: [plan] })
  await expect.poll(() => noticesOf(line).at(-1)).toBe('You have no permission to paste into this desktop')
  line.say('CLOSE')
  await line.closed
  const session = `/api/v1/terminal/sessions/${id}`
  await expect.poll(async () => (await server.admin.get(`${session}/replay/index/`)).body.marks).toBeTruthy()
  const { body } = await server.admin.get(`${session}/replay/index/`)
  expect(body.marks.filter(({ kind }: { kind: string }) => kind === 'paste')).toMatchObject([
    { files: 2 },
    { files: 1, refused: true },
  ])
})

test('[A2.64] text that xrdp has no keys for is pasted there, and the clipboard has what it had before', async () => {
  const tap = await listenIn(xrdp.port)
  onTestFinished(() => tap.close())
  const { line, target } = await open(tap.port)
  await messageArrives(line, 'DESKTOP_FILES')
  const peer: ClipboardPeer = new ClipboardPeer(tap.takeOver(1004, (data) => peer.take(data)))
  peer.begin()
  line.say('DESKTOP_CLIPBOARD', { text: 'was there' })
  await expect.poll(() => peer.text()).toBe('was there')
  const pressed = keyInputs(CONTROL, V)
  const strokes = () => tap.sent().toString('hex').split(pressed).length - 1
  line.type(typedCharacters('你好，世界'))
  await expect.poll(strokes).toBe(1)
  expect(await peer.text()).toBe('你好，世界')
  await expect.poll(() => peer.text()).toBe('was there')
  // Nothing takes it: it stays there until something does, which is said.
  line.type(typedCharacters('好'))
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/ is on its clipboard: paste it there/)
  expect([strokes(), await peer.text()]).toEqual([2, '好'])
  await expect.poll(() => peer.text()).toBe('was there')

  // Terminals paste by other keys, which the person chooses, or presses.
  const strokesOf = (...keys: number[]) =>
    tap
      .sent()
      .toString('hex')
      .split(keyInputs(...keys)).length - 1
  for (const [keys, stroke] of Object.entries({ ctrl_shift_v: [CONTROL, 0x2a, V], shift_insert: [0x2a, 0x152] })) {
    line.say('DESKTOP_PASTE_KEYS', { keys })
    line.type(typedCharacters('世'))
    await expect.poll(() => strokesOf(...stroke)).toBe(1)
    expect(await peer.text()).toBe('世')
    await expect.poll(() => peer.text()).toBe('was there')
  }
  line.say('DESKTOP_PASTE_KEYS', { keys: 'none' })
  const before = tap.sent().length
  line.type(typedCharacters('界'))
  await expect.poll(() => peer.text()).toBe('界')
  await expect.poll(() => peer.text()).toBe('was there')
  expect(tap.sent().subarray(before).toString('hex')).not.toContain(keyInputs(V))
  line.say('DESKTOP_PASTE_KEYS', { keys: 'ctrl_v' })

  // xrdp's clipboard does not give out what is beyond the basic plane.
  line.type(typedCharacters('😀'))
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/neither keys nor a clipboard/)
  expect(strokes()).toBe(2)

  const { admin } = fixture.server
  const { body: permissions } = await admin.get(`/api/v1/perms/asset-permissions/?asset_id=${target}&limit=10`)
  await admin.patch(`/api/v1/perms/asset-permissions/${permissions.results[0].id}/`, {
    actions: ['connect', 'clipboard_copy'],
  })
  line.type(typedCharacters('世'))
  await expect.poll(() => noticesOf(line).at(-1)).toMatch(/ needs the permission to paste/)
  expect([strokes(), await peer.text()]).toEqual([2, 'was there'])
  line.say('CLOSE')
  await line.closed
})

const [CONTROL, V] = [0x1d, 0x2f]
const keyInputs = (...keys: number[]) => Buffer.concat(keys.map((key) => keyInput(true, key))).toString('hex')
const typedCharacters = (text: string) =>
  Buffer.concat(
    [...text].flatMap((one) =>
      [true, false].map((isDown) => keyEvent(isDown, 0x0100_0000 + (one.codePointAt(0) as number))),
    ),
  )

test('a machine behind the gateway of its domain is shown, and an order to end it ends it with words', async () => {
  const { port, username, privateKey } = fixture.sshd
  const domain = await fixture.created('/api/v1/assets/domains/', { name: 'desktops' })
  await fixture.created('/api/v1/assets/gateways/', {
    ...{ name: 'jump', ip: '127.0.0.1', port, protocol: 'ssh', username, private_key: privateKey, domain },
  })
  const { line, id } = await open(xrdp.port, { domain })
  await expect.poll(() => seen(line.output())?.width).toBe(1280)
  await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])
  await line.closed
  expect(noticesOf(line).at(-1)).toMatch(/^The session was terminated by /)
})

test('[A3.24] a remote app is a desktop of its program; the password of the program is for its launcher alone, once', async () => {
  const tap = await listenIn(xrdp.port)
  onTestFinished(() => tap.close())
  const { server, person, created } = fixture
  const { target: asset, systemUser } = await screenAt(tap.port)
  const name = 'browser of the bank'
  const path = 'C:\\Browser\\chrome.exe'
  const attrs = {
    asset,
    path,
    chrome_target: 'https://bank.test',
    chrome_username: 'teller',
    chrome_password: 'vault-4-me',
  }
  const app = await created('/api/v1/applications/applications/?type=chrome', {
    ...{ name, category: 'remote_app', type: 'chrome', attrs },
  })
  const wanted = { type: 'rdp', target: app, systemUser, family: 'application' }
  const stranger = await fixture.open(person, wanted)
  await stranger.closed
  expect(stranger.errors).toEqual(['You have no permission to connect to this asset'])

  await created('/api/v1/perms/application-permissions/', {
    ...{ name, category: 'remote_app', type: 'chrome', users: [person.id] },
    ...{ applications: [app], system_users: [systemUser] },
  })
  const line = await fixture.open(person, wanted)
  await messageArrives(line, 'DESKTOP_START')
  expect(line.session).toMatchObject({
    target_family: 'application',
    asset: expect.stringMatching(/^browser of the bank\(/),
  })
  const sent = tap.sent().toString('latin1').replaceAll('\0', '')
  const shell = /powershell\.exe -NoProfile -ExecutionPolicy RemoteSigned -File "(.+?)" (\S+) (\S{36}) (\S{24})/.exec(
    sent,
  )
  expect(shell?.slice(1, 4)).toEqual([
    'C:\\Program Files\\Sallyport\\start-app.ps1',
    'https://gate.test',
    line.session?.id,
  ])
  expect(sent).not.toContain('vault-4-me')
  expect(JSON.stringify(line.messages)).not.toContain('vault-4-me')

  const start = (ticket: unknown) =>
    fetch(`${server.url}/koko/remote-apps/${line.session?.id}/start/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    })
  expect([(await start('not-it')).status, (await start(['not-it'])).status]).toEqual([404, 400])
  const answer = await start(shell?.[4])
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { type: 'chrome', path, target: 'https://bank.test', username: 'teller', password: 'vault-4-me' },
  ])
  expect((await start(shell?.[4])).status).toBe(404)
  line.say('CLOSE')
  await line.closed

  // Its password goes over a line that others read along: it is not even begun.
  const [before, plainSite] = [tap.sent().length, { SITE_URL: 'http://gate.test' }]
  expect((await server.admin.patch(BASIC, plainSite)).status).toBe(200)
  const refused = await fixture.open(person, wanted)
  await refused.closed
  expect(refused.errors).toEqual([
    'A remote app with a password needs a Site URL that begins with https://: its launcher fetches the password there',
  ])
  expect(tap.sent()).toHaveLength(before)
  expect((await server.admin.patch(BASIC, { SITE_URL: 'https://gate.test' })).status).toBe(200)

  // Without a password of its own it needs no launcher.
  const tool = await created('/api/v1/applications/applications/?type=custom', {
    ...{ name: 'ledger', category: 'remote_app', type: 'custom' },
    attrs: { asset, path: 'C:\\ledger.exe', custom_cmdline: '/books main' },
  })
  await created('/api/v1/perms/application-permissions/', {
    ...{ name: 'ledger', category: 'remote_app', type: 'custom', users: [person.id] },
    ...{ applications: [tool], system_users: [systemUser] },
  })
  const plain = await fixture.open(person, { ...wanted, target: tool })
  await messageArrives(plain, 'DESKTOP_START')
  // Its program has files of the page as a machine does, by the rights to the application.
  await messageArrives(plain, 'DESKTOP_FILES')
  const files = `${server.url}/koko/desktops/${plain.session?.id}/files/`
  const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/octet-stream' }
  expect((await fetch(`${files}?name=books.csv`, { method: 'PUT', headers, body: '1;2' })).status).toBe(201)
  const rows = async () => (await server.admin.get('/api/v1/audits/ftp-logs/?limit=100&offset=0')).body.results
  await expect.poll(rows).toContainEqual(
    expect.objectContaining({
      asset: expect.stringMatching(/^ledger/),
      filename: '\\\\tsclient\\Files\\books.csv',
    }),
  )
  expect(tap.sent().toString('latin1').replaceAll('\0', '')).toContain('"C:\\ledger.exe" /books main')
  plain.say('CLOSE')
  await plain.closed

  // It is no more usable than the machine that it runs on.
  expect((await server.admin.patch(`/api/v1/assets/assets/${asset}/`, { is_active: false })).status).toBe(200)
  const away = await fixture.open(person, { ...wanted, target: tool })
  await away.closed
  expect(away.errors).toEqual(['This asset is switched off'])
})

test('the ticket of a launcher is worth something while its session comes about and lasts', async () => {
  const { kernel, url } = fixture.server
  const program: RemoteProgram = {
    ...{ type: 'chrome', asset: '', path: 'C:\\c.exe', values: {} },
    ...{ username: 'teller', password: 'x' },
  }
  const begun = () => {
    const id = randomUUID()
    const started = remoteStart(kernel, id, program)
    const ticket = started.shell.split(' ').at(-1)
    const fetched = () =>
      fetch(`${url}/koko/remote-apps/${id}/start/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ticket }),
      }).then(({ status }) => status)
    return { started, fetched }
  }
  const coming = begun()
  expect(await coming.fetched()).toBe(200)
  const failed = begun()
  failed.started.forget()
  expect(await failed.fetched()).toBe(404)
  const killed = begun()
  const live = { isOver: false, ended: Promise.resolve() }
  killed.started.belongsTo({ ...live, isOver: true, ended: new Promise(() => {}) })
  expect(await killed.fetched()).toBe(404)
  const over = begun()
  over.started.belongsTo(live)
  await live.ended
  expect(await over.fetched()).toBe(404)
})

test('a backslash at the end of an argument does not end in the quote behind it', () => {
  const program: RemoteProgram = {
    ...{ type: 'custom', asset: '', path: 'C:\\a.exe', values: { target: 'D:\\b\\' } },
    ...{ username: '', password: '' },
  }
  const { shell } = remoteStart(fixture.server.kernel, randomUUID(), program)
  expect(shell).toBe('"C:\\a.exe" "D:\\b\\\\"')
})
