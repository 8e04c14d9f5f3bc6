import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { NONSENSE } from '@sallyport/contract/socket/nonsense-fixture.ts'
import { PROTOCOLS } from '@sallyport/contract/socket/protocols.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayFolder, replayName } from '../../../domains/terminal/recording/index.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from './terminal-fixture.ts'

let fixture: TerminalFixture

beforeAll(async () => {
  fixture = await openTerminalFixture()
})
afterAll(() => fixture?.close())

const PROMPT = 'ready$ '

/** A terminal with a prompt that tests can wait for. */
async function atPrompt(): Promise<Terminal> {
  const terminal = await fixture.open(fixture.person)
  await terminal.see(/[#$] /)
  terminal.type(
    `export LC_ALL=C.UTF-8; PS1=$'ready\\x24 '; stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null; stty echo; clear\r`,
  )
  await terminal.see(PROMPT)
  return terminal
}

let settleCount = 0
/** Waits until everything typed before has run: typed ahead lines bring more prompts than one. */
async function settled(terminal: Terminal): Promise<void> {
  const count = ++settleCount
  terminal.type(`echo settled-$((${count}+0))\r`)
  await terminal.see(`settled-${count}\r\n`)
  await terminal.see(PROMPT)
}

async function leave(terminal: Terminal, { waiting = true } = {}): Promise<string> {
  terminal.type('exit\r')
  if (waiting) await terminal.closed
  const id = terminal.session?.id ?? ''
  await expect
    .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished)
    .toBe(true)
  return id
}

async function recording(id: string): Promise<{ header: Record<string, unknown>; events: [number, string, string][] }> {
  const { body } = await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)
  const [year, month, day] = body.date_start.split(/[/ ]/)
  const started = new Date(`${year}-${month}-${day}T00:00:00Z`)
  const path = `${replayFolder(fixture.server.kernel.config)}/${replayName({ id, date_start: started })}`
  const [header = '', ...lines] = gunzipSync(await readFile(path))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  return { header: JSON.parse(header), events: lines.map((line) => JSON.parse(line)) }
}

async function commands(id: string): Promise<{ input: string; output: string }[]> {
  return (await fixture.server.admin.get(`/api/v1/terminal/commands/?session_id=${id}&order=timestamp`)).body
}

test('[A1.16 A3.22] a session runs, its row tells who was where, and the recording holds every byte that was shown', async () => {
  const terminal = await atPrompt()
  terminal.type('echo héllo 你好; seq 1 2000\r')
  await terminal.see('2000\r\n')
  await terminal.see(PROMPT)
  terminal.resize(100, 30)
  terminal.type('stty size\r')
  await terminal.see('30 100')
  const id = await leave(terminal)
  const { body } = await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)
  expect(body).toMatchObject({
    user: 'walker of test(walker)',
    asset: 'web-1(127.0.0.1)',
    protocol: 'ssh',
    login_from: 'WT',
    is_success: true,
    has_replay: true,
    can_replay: true,
  })
  const { header, events } = await recording(id)
  expect(header).toMatchObject({ version: 2, width: 80, height: 24 })
  const recorded = events
    .filter(([, code]) => code === 'o')
    .map(([, , text]) => text)
    .join('')
  // The connecting counter is before the recording; everything after it is the same, byte for byte.
  expect(terminal.text().endsWith(recorded)).toBe(true)
  expect(recorded).toContain('héllo 你好')
  expect(events.filter(([, code]) => code === 'r').map(([, , size]) => size)).toEqual(['100x30'])
})

test('[A1.10] commands are stored as they were run: edited, recalled, completed, in Chinese, several lines pasted; hidden input never', async () => {
  const terminal = await atPrompt()
  const run = async (typed: string) => {
    terminal.type(typed)
    await terminal.see(PROMPT)
  }
  await run('echo one\r')
  await run('echo twx\x7fo\r')
  await run('\x1b[A\x1b[A\r') // up, up: echo one
  await run('echo 你好\r')
  terminal.type(`read -s -p "$(printf 'Pass''word: ')" secret\r`)
  await terminal.see('Password: ')
  await run('hunter2\r')
  terminal.type('echo three\recho four\r')
  await settled(terminal)
  terminal.type('echo abandoned')
  await terminal.see('abandoned')
  // A shell that is just about to wait for a key notices the signal with the next one.
  for (const key of ['\x03', '\r']) terminal.type(key)
  await terminal.see(PROMPT)
  await settled(terminal)
  await run(`echo ${'long '.repeat(30)}\r`)
  const id = await leave(terminal)
  const rows = await commands(id)
  const inputs = rows.map(({ input }) => input)
  expect(inputs).toEqual(
    expect.arrayContaining(['echo one', 'echo two', 'echo 你好', 'echo three', 'echo four', 'exit']),
  )
  expect(inputs.filter((input) => input === 'echo one')).toHaveLength(2)
  expect(inputs.some((input) => input.startsWith('echo long long'))).toBe(true)
  expect(rows.find(({ input }) => input === 'echo two')?.output).toBe('two')
  expect(rows.find(({ input }) => input === 'echo 你好')?.output).toBe('你好')
  expect(JSON.stringify(rows)).not.toContain('hunter2')
  expect(inputs).not.toContain('echo abandoned')
})

test('full-screen programs leave no commands behind', async () => {
  const terminal = await atPrompt()
  terminal.type(`printf '\\033[?1049h'; read line; printf '\\033[?1049l'\r`)
  await terminal.see('\x1b[?1049h')
  terminal.type('typed inside\r')
  await terminal.see(PROMPT)
  const id = await leave(terminal)
  expect((await commands(id)).map(({ input }) => input).join('|')).not.toContain('typed inside')
})

test('[A4.02] an auditor watches live from the current screen and is named to who works there, an administrator ends it', async () => {
  const auditor = await fixture.server.aPerson('watcher', { orgRoles: ['Auditor'] })
  const terminal = await atPrompt()
  terminal.type('echo before-you-came\r')
  await terminal.see(PROMPT)
  const watching = await fixture.open(auditor, { type: 'shareroom', target: terminal.session?.id ?? '' })
  await watching.see('before-you-came')
  const watchers = () =>
    terminal.messages.filter(({ type }) => type === 'TERMINAL_WATCHERS').map(({ data }) => JSON.parse(data ?? '').users)
  await expect.poll(watchers).toEqual([['watcher of test(watcher)']])
  const another = await fixture.open(fixture.server.admin, { type: 'shareroom', target: terminal.session?.id ?? '' })
  await another.see('before-you-came')
  await expect.poll(() => watchers().at(-1)).toHaveLength(2)
  another.close()
  await expect.poll(() => watchers().at(-1)).toEqual(['watcher of test(watcher)'])
  expect(watching.sizes[0]).toEqual({ Width: 80, Height: 24 })
  terminal.type('echo while-you-watch\r')
  await watching.see('while-you-watch')
  watching.type('echo intruder\r')
  const stranger = await fixture.open(await fixture.server.aPerson('stranger'), {
    type: 'shareroom',
    target: terminal.session?.id ?? '',
  })
  await stranger.closed
  expect(stranger.errors).toHaveLength(1)
  expect(stranger.text()).not.toContain('before-you-came')
  const id = terminal.session?.id ?? ''
  expect((await fixture.server.admin.post('/api/v1/terminal/tasks/kill-session/', [id])).body).toEqual({ ok: [id] })
  await terminal.see('terminated by Administrator (admin)')
  await watching.see('terminated by Administrator (admin)')
  await terminal.closed
  await watching.closed
  expect(terminal.text()).not.toContain('intruder')
  await expect
    .poll(async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.has_replay)
    .toBe(true)
  const { events } = await recording(id)
  expect(events.at(-1)?.[2]).toContain('terminated by Administrator (admin)')
})

test('[A6.15] without permission, with a wrong origin or without sign-in no terminal opens', async () => {
  const other = await fixture.server.aPerson('outsider')
  const refused = await fixture.open(other)
  await refused.closed
  expect(refused.errors).toEqual(['You have no permission to connect to this asset'])
  await expect(fixture.open(fixture.person, { origin: 'http://evil.example' })).rejects.toThrow(/403/)
  await expect(fixture.open({ ...fixture.person, token: 'wrong' })).rejects.toThrow(/401/)
})

test('[A6.15] a kind of session that is a word of the language opens nothing, and the node goes on', async () => {
  for (const type of ['constructor', '__proto__', 'toString']) {
    for (const view of [undefined, 'workbench']) {
      const refused = await fixture.open(fixture.person, { type, ...(view ? { view } : {}) })
      await refused.closed
      expect(refused.errors, type).toHaveLength(1)
    }
  }
  expect((await fixture.person.get('/koko/sessions/')).status).toBe(200)
})

test('a withdrawn permission or a disabled person ends the live session', async () => {
  const brief = await fixture.server.aPerson('brief')
  await fixture.server.admin.post('/api/v1/perms/asset-permissions/', {
    name: 'brief',
    users: [brief.id],
    assets: [fixture.asset],
    system_users: [fixture.systemUser],
  })
  const terminal = await fixture.open(brief)
  await terminal.see(/[#$] /)
  await fixture.server.admin.patch(`/api/v1/users/users/${brief.id}/`, { is_active: false })
  await terminal.see('has ended')
  await terminal.closed
})

test('a machine that shows another host key is refused loudly until an administrator accepts it', async () => {
  const before = await atPrompt()
  await leave(before)
  await fixture.sshd.changeHostKey()
  const refused = await fixture.open(fixture.person)
  await refused.closed
  expect(refused.errors.join()).toMatch(/HOST KEY OF THIS MACHINE HAS CHANGED.*SHA256:.*SHA256:/)
  const { body } = await fixture.server.admin.get(`/api/v1/assets/assets/${fixture.asset}/host-keys/`)
  const seen = body.find((key: { state: string }) => key.state === 'refused')
  expect(
    (await fixture.server.admin.post(`/api/v1/assets/assets/${fixture.asset}/host-keys/accept/`, { id: seen.id }))
      .status,
  ).toBeLessThan(300)
  await leave(await atPrompt())
})

test('a person who reads slowly gets every byte, and the machine waits meanwhile', async () => {
  const terminal = await atPrompt()
  const before = terminal.output().length
  terminal.pause()
  terminal.type(`head -c 20000000 /dev/zero | tr '\\0' 'x'; exit\r`)
  const slowly = setInterval(() => {
    terminal.resume()
    setImmediate(() => terminal.pause())
  }, 20)
  await terminal.closed
  clearInterval(slowly)
  const received = terminal.output().subarray(before)
  expect(received.reduce((count, byte) => count + Number(byte === 0x78), 0)).toBeGreaterThanOrEqual(20_000_000)
})

test('the session may be over long before a slow line has taken its last words', async () => {
  const line = fixture.server.kernel.app.websocketServer
  // Once closing has begun a line that is behind is cut off after this.
  Object.assign(line.options, { closeTimeout: 1 })
  const terminal = await atPrompt()
  terminal.type(`trap 'echo last-''words' EXIT; clear\r`)
  await terminal.see(PROMPT)
  terminal.pause()
  const behind = () => Math.max(...[...line.clients].map((client) => client.bufferedAmount))
  const saysMore = () => {
    terminal.type(`head -c 200000 /dev/zero | tr '\\0' 'x'\r`)
    return behind()
  }
  await expect.poll(saysMore).toBeGreaterThan(50_000)
  await leave(terminal, { waiting: false })
  terminal.resume()
  await terminal.closed
  expect(terminal.text()).toContain('last-words')
  Object.assign(line.options, { closeTimeout: 30_000 })
})

/** Every kind that there is, each way, but those that mean something whatever they carry. */
const KINDS = Object.values(PROTOCOLS)
  .flatMap(({ fromClient, fromGateway }) => [...Object.keys(fromClient), ...Object.keys(fromGateway)])
  .filter((type) => !['CLOSE', 'TERMINAL_DATA'].includes(type))

test('a malformed message to a terminal is refused, whatever it is called and carries, and changes nothing', async () => {
  const terminal = await atPrompt()
  const { id } = terminal.session ?? {}
  const before = terminal.messages.length
  for (const type of new Set([...KINDS, '', 'constructor', '__proto__', 'x'.repeat(65)]))
    for (const body of NONSENSE) terminal.say(type, body)
  terminal.say('TERMINAL_RESIZE', { cols: 0, rows: 24 })
  terminal.say('TERMINAL_RESIZE', { cols: 80, rows: 1001 })
  terminal.say('TERMINAL_TAKEN', { bytes: -1 })
  terminal.type('stty size\r')
  await terminal.see('24 80\r\n')
  // A person who asks for a link and gets none sees that; nobody else hears anything.
  const heard = terminal.messages.slice(before)
  expect(new Set(heard.map(({ type, data }) => `${type} ${data}`))).toEqual(
    new Set(['TERMINAL_SHARE {"share_id":"","code":""}', 'PONG ']),
  )
  expect(terminal.errors).toEqual([])
  // The session is the same, and can still be shared.
  terminal.say('TERMINAL_SHARE', { session_id: id, expired: 10 })
  await terminal.until(() =>
    terminal.messages.some(({ type, data }) => type === 'TERMINAL_SHARE' && data.includes('-')),
  )
  await leave(terminal)
})
