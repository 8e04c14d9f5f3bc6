import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { replayFolder, replayName } from '../../../../domains/terminal/recording/index.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from '../../../listeners/web/terminal-fixture.ts'

let fixture: TerminalFixture
const folder = mkdtempSync(join(tmpdir(), 'sallyport-zmodem-'))
/** Folders of the machine, and of the person. */
const there = join(folder, 'there')
const here = join(folder, 'here')

beforeAll(async () => {
  for (const one of [there, here]) mkdirSync(one)
  fixture = await openTerminalFixture()
})
afterAll(async () => {
  await fixture?.close()
  rmSync(folder, { recursive: true })
})

/** Random, with every byte and everything that lines treat in their own way. */
function content(bytes: number): Buffer {
  const every = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  return Buffer.concat([every, Buffer.from('@\r~.\r\n\x18\x18\x18\x18\x18\x11\x13'), randomBytes(bytes)])
}
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
let count = 0

async function atPrompt(options: Parameters<TerminalFixture['open']>[1] = {}): Promise<Terminal> {
  const terminal = await fixture.open(fixture.person, options)
  await terminal.see(/[#$] /)
  terminal.type(`cd ${there}; PS1=$'ready\\x24 '; bind 'set enable-bracketed-paste off'; clear\r`)
  await terminal.see('ready$ ')
  return terminal
}

const actions = ({ messages }: Terminal) =>
  messages.filter(({ type }) => type === 'TERMINAL_ACTION').map(({ data }) => data)
const begun = (terminal: Terminal, times = 1) =>
  expect.poll(() => actions(terminal).filter((data) => data === 'ZMODEM_START').length).toBe(times)
const ended = (terminal: Terminal, times = 1) =>
  expect.poll(() => actions(terminal).filter((data) => data === 'ZMODEM_END').length).toBe(times)

/** The prompt comes back, the shell answers, and what is typed arrives. */
async function shellWorks(terminal: Terminal): Promise<void> {
  await terminal.see('ready$ ')
  const n = ++count
  terminal.type(`echo works-$((${n}+0))\r`)
  await terminal.see(`works-${n}\r\n`)
}

/**
 * The other side of a transfer: the real program, as a browser would be. Begins with what has come
 * since ZMODEM_START.
 */
function programOf(
  terminal: Terminal,
  command: string,
  parameters: string[],
  from: number,
): ChildProcessWithoutNullStreams {
  const program = spawn(command, parameters, { cwd: here })
  let given = from
  const give = () => {
    const all = terminal.output()
    if (all.length > given && program.stdin.writable) program.stdin.write(all.subarray(given))
    given = all.length
  }
  const feeding = setInterval(give, 5)
  program.stdout.on('data', (bytes: Buffer) => terminal.type(bytes))
  program.stdin.on('error', () => {})
  program.on('exit', () => clearInterval(feeding))
  return program
}
const exited = (program: ChildProcessWithoutNullStreams) =>
  new Promise<number | null>((resolve) => program.once('exit', resolve))

async function ftpLog(filename: string): Promise<Record<string, unknown>[]> {
  const { body } = await fixture.server.admin.get(`/api/v1/audits/ftp-logs/?filename=${filename}&limit=20&offset=0`)
  return body.results
}

async function recordingOf(terminal: Terminal): Promise<string> {
  terminal.type('exit\r')
  await terminal.closed
  const id = terminal.session?.id ?? ''
  const row = async () => (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body
  await expect.poll(async () => (await row()).is_finished).toBe(true)
  const [year, month, day] = (await row()).date_start.split(/[/ ]/)
  const name = replayName({ id, date_start: new Date(`${year}-${month}-${day}T00:00:00Z`) })
  const [, ...lines] = gunzipSync(await readFile(join(replayFolder(fixture.server.kernel.config), name)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line)[2]).join('')
}

test('sz: a file of some megabytes with every byte arrives whole; it is written down, and not recorded', async () => {
  const file = content(4 * 1024 * 1024)
  writeFileSync(join(there, 'down.bin'), file)
  const terminal = await atPrompt()
  terminal.type('sz down.bin\r')
  const from = await seenBytes(terminal, 'sz down.bin\r\n')
  await begun(terminal)
  const rz = programOf(terminal, 'rz', ['-q', '-y'], from)
  expect(await exited(rz)).toBe(0)
  await ended(terminal)
  expect(sha(readFileSync(join(here, 'down.bin')))).toBe(sha(file))
  await shellWorks(terminal)
  await expect
    .poll(() => ftpLog('down.bin'))
    .toMatchObject([{ operate: 'Download', is_success: true, filename: 'down.bin' }])
  // By which a replay marks it on its time line.
  const ofSession = `/api/v1/audits/ftp-logs/?session_id=${terminal.session?.id}&limit=20&offset=0`
  expect((await fixture.server.admin.get(ofSession)).body.results).toMatchObject([{ filename: 'down.bin' }])
  const recorded = await recordingOf(terminal)
  expect(recorded).toContain('The machine sends a file')
  expect(recorded).toContain(`down.bin was downloaded, ${file.length} bytes`)
  expect(recorded).toContain('works-')
  expect(recorded.length).toBeLessThan(5000)
})

/** Where, in bytes, the text has come to its end. */
async function seenBytes(terminal: Terminal, text: string): Promise<number> {
  await terminal.see(text)
  return terminal.output().lastIndexOf(text) + text.length
}

test('rz: files with every byte arrive whole on the machine, and the shell is back; where rules apply, the history of the session says that they were not seen', async () => {
  const file = content(3 * 1024 * 1024)
  writeFileSync(join(here, 'up.bin'), file)
  writeFileSync(join(here, 'empty.bin'), '')
  const { admin } = fixture.server
  const filter = await admin.post('/api/v1/assets/cmd-filters/', { name: 'transfers', assets: [fixture.asset] })
  onTestFinished(() => admin.delete(`/api/v1/assets/cmd-filters/${filter.body.id}/`).then(() => {}))
  await admin.post(`/api/v1/assets/cmd-filters/${filter.body.id}/rules/`, { content: 'never-sent', action: 0 })
  const terminal = await atPrompt()
  terminal.type('rz\r')
  const from = await seenBytes(terminal, 'rz waiting to receive.')
  await begun(terminal)
  const sz = programOf(terminal, 'sz', ['-q', 'up.bin', 'empty.bin'], from)
  expect(await exited(sz)).toBe(0)
  await ended(terminal)
  await shellWorks(terminal)
  expect(sha(readFileSync(join(there, 'up.bin')))).toBe(sha(file))
  expect(readFileSync(join(there, 'empty.bin'))).toHaveLength(0)
  await expect.poll(() => ftpLog('up.bin')).toMatchObject([{ operate: 'Upload', is_success: true }])
  await expect.poll(() => ftpLog('empty.bin')).toMatchObject([{ operate: 'Upload', is_success: true }])
  const { body } = await admin.get(`/api/v1/terminal/commands/?session_id=${terminal.session?.id}`)
  expect(JSON.stringify(body)).not.toContain('up.bin')
  const events = async () =>
    (await admin.get(`/api/v1/terminal/session-events/?session=${terminal.session?.id}`)).body.map(
      ({ event }: { event: string }) => event,
    )
  await expect.poll(events).toContain('unseen_transfer')
  terminal.close()
})

test('input right after a file transfer waits until the shell is back: a program that leaves throws away what it finds', async () => {
  writeFileSync(join(there, 'ahead.bin'), content(1000))
  // As sz itself, a moment later: what would be lost now and then is lost each time.
  writeFileSync(
    join(there, 'leave.py'),
    'import termios, time\ntime.sleep(0.3)\ntermios.tcflush(0, termios.TCIFLUSH)\n',
  )
  const terminal = await atPrompt()
  terminal.type('sz ahead.bin; python3 leave.py\r')
  const from = await seenBytes(terminal, 'leave.py\r\n')
  await begun(terminal)
  expect(await exited(programOf(terminal, 'rz', ['-q', '-y'], from))).toBe(0)
  await ended(terminal)
  terminal.type('echo not-lost-$((1+1))\r')
  await terminal.see('not-lost-2')
  terminal.close()
})

test('a machine that speaks GBK gets and gives bytes as they are, and text again afterwards', async () => {
  const file = content(300_000)
  writeFileSync(join(there, 'gbk.bin'), file)
  const platform = `Old Linux ${++count}`
  await fixture.created('/api/v1/assets/platforms/', { name: platform, base: 'Linux', charset: 'gbk' })
  const { port, username, privateKey } = fixture.sshd
  const old = await fixture.target({ port, platform }, { username, login_mode: 'auto', private_key: privateKey })
  const terminal = await atPrompt(old)
  terminal.type('sz gbk.bin\r')
  const from = await seenBytes(terminal, 'sz gbk.bin\r\n')
  await begun(terminal)
  expect(await exited(programOf(terminal, 'rz', ['-q', '-y'], from))).toBe(0)
  await ended(terminal)
  await terminal.see('ready$ ')
  expect(sha(readFileSync(join(here, 'gbk.bin')))).toBe(sha(file))
  // The program's last output is not for the shell.
  expect(terminal.text()).not.toContain('command not found')
  terminal.type("printf '\\xb1\\xa4\\n'\r")
  await terminal.see('堡')
  terminal.close()
})

test("a machine that leaves without its goodbye: the person's program is notified, and the shell gets nothing of it", async () => {
  const terminal = await atPrompt()
  const [start, end] = ['**\\x18B00000000000000\\r\\n\\x11', '**\\x18B0800000000022d\\r\\n']
  // It waits for the own program's header, ends, waits for the answer to that, and takes what is left of it.
  const [taken, answered] = ['head -c 21 > /dev/null', 'head -c 1 > /dev/null; timeout 1 cat > /dev/null']
  const machine = `printf '${start}'; ${taken}; printf '${end}'; ${answered}`
  terminal.type(`stty raw -echo; ${machine}; stty sane\r`)
  const from = await seenBytes(terminal, 'stty sane\r\n')
  await begun(terminal)
  expect(await exited(programOf(terminal, 'rz', ['-q', '-y'], from))).toBe(0)
  await ended(terminal)
  await shellWorks(terminal)
  expect(terminal.text()).not.toContain('command not found')
  terminal.close()
})

test('without the right a transfer does not begin: a plain line, a row in the log, and the shell is back', async () => {
  const path = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  const terminal = await atPrompt()
  writeFileSync(join(there, 'kept.bin'), content(1000))
  await fixture.server.admin.patch(path, { actions: ['connect', 'upload_file'] })
  terminal.type('sz kept.bin\r')
  await terminal.see('You have no permission to download from this asset')
  await shellWorks(terminal)
  await fixture.server.admin.patch(path, { actions: ['connect', 'download_file'] })
  terminal.type('rz\r')
  await terminal.see('You have no permission to change files on this asset')
  await shellWorks(terminal)
  await fixture.server.admin.patch(path, { actions: ['all'] })
  expect(actions(terminal)).toEqual([])
  await expect.poll(() => ftpLog('sz')).toMatchObject([{ operate: 'Download', is_success: false }])
  await expect.poll(() => ftpLog('rz')).toMatchObject([{ operate: 'Upload', is_success: false }])
  terminal.close()
})

test('a right that is withdrawn in the middle ends the transfer', async () => {
  const path = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  writeFileSync(join(there, 'endless.bin'), randomBytes(1024))
  const terminal = await atPrompt()
  terminal.type('sz endless.bin\r')
  await begun(terminal)
  await fixture.server.admin.patch(path, { actions: ['connect'] })
  await ended(terminal)
  await terminal.see('Your permission for this asset has ended')
  await fixture.server.admin.patch(path, { actions: ['all'] })
  await shellWorks(terminal)
  terminal.close()
})

test('cancelled by the person in the middle of the data: the shell is back, the log says that it failed', async () => {
  writeFileSync(join(there, 'cancelled.bin'), content(64 * 1024 * 1024))
  const terminal = await atPrompt()
  terminal.type('sz cancelled.bin\r')
  const from = await seenBytes(terminal, 'sz cancelled.bin\r\n')
  await begun(terminal)
  const rz = programOf(terminal, 'rz', ['-q', '-y'], from)
  await expect.poll(() => terminal.output().length).toBeGreaterThan(1024 * 1024)
  rz.kill('SIGKILL')
  await exited(rz)
  terminal.type(Buffer.concat([Buffer.alloc(8, 0x18), Buffer.alloc(8, 0x08)]))
  await ended(terminal)
  await shellWorks(terminal)
  await expect.poll(() => ftpLog('cancelled.bin')).toMatchObject([{ operate: 'Download', is_success: false }])
  terminal.close()
})

test.each([
  ['between an escape and its byte', '\\x18'],
  ['in a check', '\\x18ha'],
  ['in a header', '\\x18hzzzz*\\x18A'],
])('a program that is cancelled and leaves %s: all of the prompt is shown', async (_where, end) => {
  const terminal = await atPrompt()
  const [start, data] = ['**\\x18B00000000000000\\r\\n\\x11', '**\\x18B0a0000000046ae\\r\\n\\x11\\x80\\x81']
  const program = `printf '${start}'; head -c 8 > /dev/null; printf '${data}${end}'`
  terminal.type(`stty raw -echo; ${program}; timeout 1 cat > /dev/null; stty sane\r`)
  await begun(terminal)
  terminal.type(Buffer.concat([Buffer.alloc(8, 0x18), Buffer.alloc(8, 0x08)]))
  await ended(terminal)
  await shellWorks(terminal)
  terminal.close()
})

test('a browser that reloads in the middle leaves a shell that works', async () => {
  writeFileSync(join(there, 'reloaded.bin'), content(64 * 1024 * 1024))
  const terminal = await atPrompt({ client: 'tab' })
  terminal.type('sz reloaded.bin\r')
  const from = await seenBytes(terminal, 'sz reloaded.bin\r\n')
  await begun(terminal)
  const rz = programOf(terminal, 'rz', ['-q', '-y'], from)
  await expect.poll(() => terminal.output().length).toBeGreaterThan(1024 * 1024)
  terminal.cut()
  rz.kill('SIGKILL')
  const again = await fixture.open(fixture.person, {
    type: 'resume',
    target: terminal.session?.id ?? '',
    client: 'tab',
  })
  await again.see('reloaded.bin was not transferred')
  await shellWorks(again)
  expect(actions(again)).toEqual([])
  again.say('CLOSE')
})

test('a machine whose program is killed gives the terminal back', async () => {
  writeFileSync(join(there, 'killed.bin'), content(1024))
  const terminal = await atPrompt()
  terminal.type(`(sleep 1; pkill -KILL -f 'sz killed.bi[n]'; stty sane) & sz killed.bin; stty sane\r`)
  await begun(terminal)
  await ended(terminal)
  terminal.type('\x15')
  await shellWorks(terminal)
  terminal.close()
})

test('typing cancels a transfer that the own program does not understand', async () => {
  writeFileSync(join(there, 'typed.bin'), content(1024))
  const terminal = await atPrompt()
  terminal.type('sz typed.bin\r')
  await begun(terminal)
  terminal.type('\x03')
  await ended(terminal)
  await terminal.see('The file transfer was broken off')
  await shellWorks(terminal)
  terminal.close()
})

test('a header that is only looked at begins no transfer, and what hides behind one is recorded', async () => {
  const terminal = await atPrompt()
  writeFileSync(join(there, 'look.txt'), 'before **\x18B00000000000000\r\n\x11 after\n')
  terminal.type('cat look.txt\r')
  await terminal.see(' after')
  expect(actions(terminal)).toEqual([])
  terminal.type(`printf '**\\x18B0100000023be50\\r\\n'; sleep 0.3; echo hidden-$((40+2)); sleep 3\r`)
  await begun(terminal)
  await ended(terminal)
  await shellWorks(terminal)
  expect(await recordingOf(terminal)).toContain('hidden-42')
})

test('a browser that says what it has taken holds the machine back', async () => {
  writeFileSync(join(there, 'slow.bin'), randomBytes(8 * 1024 * 1024))
  const terminal = await atPrompt()
  terminal.say('TERMINAL_TAKEN', { bytes: terminal.output().length })
  terminal.type('sz slow.bin\r')
  const from = await seenBytes(terminal, 'sz slow.bin\r\n')
  await begun(terminal)
  const rz = programOf(terminal, 'rz', ['-q', '-y'], from)
  // Two megabytes are on their way at most, and a piece that has just come.
  await expect.poll(() => terminal.output().length - from).toBeGreaterThan(2 * 1024 * 1024)
  await fixture.server.admin.get('/api/v1/users/profile/')
  expect(terminal.output().length - from).toBeLessThan(3 * 1024 * 1024)
  const taking = setInterval(() => terminal.say('TERMINAL_TAKEN', { bytes: terminal.output().length }), 5)
  expect(await exited(rz)).toBe(0)
  clearInterval(taking)
  expect(readdirSync(here)).toContain('slow.bin')
  terminal.close()
})
