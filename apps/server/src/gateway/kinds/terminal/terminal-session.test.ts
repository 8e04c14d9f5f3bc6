import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UNGUARDED } from '../../guard/guard.ts'
import { collectedCommands } from '../../session/command-log-fixture.ts'
import { notice } from '../../session/notice.ts'
import type { Watcher } from '../../session/watchers.ts'
import { Asciicast } from './asciicast.ts'
import { plainCommand } from './commands/plain-commands.ts'
import { Tail } from './output-tail.ts'
import type { OutputStream, TargetStream, TerminalSize } from './streams.ts'
import { TerminalSession, type TerminalSessionParts } from './terminal-session.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-live-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

/** A machine in memory that notes how it was treated. */
class Machine implements TargetStream {
  say: (bytes: Buffer, stream?: OutputStream) => void = () => {}
  hangUp: () => void = () => {}
  paused = false
  closed = 0
  start(onOutput: (bytes: Buffer, stream: OutputStream) => void, onEnd: (end: { exitCode?: number }) => void) {
    this.say = (bytes, stream = 'stdout') => onOutput(bytes, stream)
    this.hangUp = () => onEnd({ exitCode: 3 })
  }
  write() {}
  pending() {
    return 0
  }
  onceTaken(then: () => void) {
    then()
  }
  resize() {}
  endInput() {}
  signal() {}
  pause() {
    this.paused = true
  }
  resume() {
    this.paused = false
  }
  close() {
    this.closed++
    // As a connection that ends in the same moment.
    this.hangUp()
  }
}

async function sessionOf(parts: Partial<TerminalSessionParts> = {}) {
  const machine = new Machine()
  const recording = await Asciicast.open(join(folder, 'x.cast'), {
    size: { cols: 80, rows: 24 },
    title: '',
    startedAt: new Date(),
  })
  const { commands = collectedCommands(), program } = parts
  const ends: unknown[] = []
  const shown: Buffer[] = []
  const live = new TerminalSession({
    id: 'x',
    orgId: '',
    person: { id: 'p', name: 'P', username: 'p', language: 'en', remoteAddress: '', loginFrom: 'WT' },
    owner: {
      write: (bytes) => {
        shown.push(bytes)
        return true
      },
      close: () => {},
    },
    target: machine,
    recording,
    program: { terminal: { type: 'xterm', size: { cols: 80, rows: 24 } } },
    log: pino({ level: 'silent' }) as unknown as TerminalSessionParts['log'],
    commands,
    endProgram: program?.command && commands.begin(plainCommand(program.command.toString(), (parts.now ?? Date.now)())),
    guard: UNGUARDED,
    noteUnseen: () => {},
    goesOnUnrecorded: () => false,
    onEnd: async (reason, end) => {
      ends.push({ reason, ...end })
      await recording.close()
    },
    ...parts,
  })
  return { live, machine, recording, ends, shown: () => Buffer.concat(shown).toString() }
}

function watcherOf() {
  const seen: Buffer[] = []
  const state = { waiting: 0, closed: false }
  const watcher: Watcher<TerminalSize> = {
    write: (bytes) => void seen.push(bytes),
    backlog: () => state.waiting,
    resize: () => {},
    close: () => {
      state.closed = true
    },
  }
  return { watcher, state, seen: () => Buffer.concat(seen).toString() }
}

test('however often it is ended, a session ends once, for the first reason, and its last words are recorded', async () => {
  const { live, machine, ends, recording, shown } = await sessionOf()
  await Promise.all([
    live.end('idle', notice('idle', 'The session was terminated')),
    live.end('left'),
    live.end('shutdown', notice('shutdown', 'The server is being stopped')),
  ])
  machine.hangUp()
  machine.say(Buffer.from('too late'))
  expect(ends).toEqual([{ reason: 'idle' }])
  expect(machine.closed).toBe(1)
  expect(shown()).toContain('The session was terminated')
  expect(await readFile(recording.path, 'utf8')).toContain('The session was terminated')
  expect(await readFile(recording.path, 'utf8')).not.toContain('too late')
})

test('how the machine ended it is handed on; an end that can’t be stored is survived', async () => {
  const { machine, ends, live } = await sessionOf()
  machine.hangUp()
  await live.ended
  expect(ends).toEqual([{ reason: 'closed', exitCode: 3 }])
  await rm(join(folder, 'x.cast'))
  const broken = await sessionOf({ onEnd: () => Promise.reject(new Error('database is away')) })
  broken.machine.hangUp()
  await broken.live.ended
  await broken.recording.close()
})

test('a slow person holds the machine back, and an end meanwhile lets nothing hang', async () => {
  let ready = false
  const { live, machine, ends } = await sessionOf({ owner: { write: () => ready, close: () => {} } })
  machine.say(Buffer.from('more than they can take'))
  expect(machine.paused).toBe(true)
  ready = true
  live.ownerDrained()
  expect(machine.paused).toBe(false)
  ready = false
  machine.say(Buffer.from('again'))
  await live.end('terminated', notice('terminated', 'The session was terminated'))
  live.ownerDrained()
  expect(ends).toEqual([{ reason: 'terminated' }])
})

test('a watcher who does not read costs nobody anything, and sees the newest when they read again', async () => {
  const { live, machine } = await sessionOf()
  const { watcher, state, seen } = watcherOf()
  live.watch(watcher)
  machine.say(Buffer.from('first\n'))
  await expect.poll(seen).toContain('first')
  const before = seen().length
  state.waiting = 1024 * 1024
  for (let n = 0; n < 1000; n++) machine.say(Buffer.alloc(4096, 'x'))
  machine.say(Buffer.from('\nlast'))
  expect(machine.paused).toBe(false)
  expect(seen().length).toBe(before)
  state.waiting = 0
  await expect.poll(seen).toContain('last')
  // A screenful and the lines above it, not four megabytes.
  expect(seen().length).toBeLessThan(300_000)
  await live.end('left')
  expect(state.closed).toBe(true)
})

test('thousands of watchers are too many, and an ended session takes none', async () => {
  const { live } = await sessionOf()
  const admitted = Array.from({ length: 2000 }, () => live.watch(watcherOf().watcher)).filter(Boolean)
  expect(admitted.length).toBe(32)
  admitted[0]?.()
  expect(live.watch(watcherOf().watcher)).toBeDefined()
  await live.end('left')
  expect(live.watch(watcherOf().watcher)).toBeUndefined()
})

test('a person who joins late sees the whole screen at once, with the lines above it; later output follows once and in order', async () => {
  const { live, machine } = await sessionOf()
  for (let n = 0; n < 500; n++) machine.say(Buffer.from(`line ${n}\r\n`))
  machine.say(Buffer.from('\x1b[?2004h\x1b[31mready'))
  const { watcher, seen } = watcherOf()
  live.watch(watcher)
  for (let n = 0; n < 100; n++) machine.say(Buffer.from(`+${n}`))
  await expect.poll(seen).toContain('+99')
  machine.say(Buffer.from(' after'))
  const shown = seen()
  expect(shown.startsWith('\x1bc')).toBe(true)
  expect(shown.match(/line \d+/g)).toEqual(Array.from({ length: 500 }, (_, n) => `line ${n}`))
  expect(shown.match(/\+\d+/g)).toEqual(Array.from({ length: 100 }, (_, n) => `+${n}`))
  expect(shown.endsWith(' after')).toBe(true)
  // Modes belong to a screen: this one tells the terminal to mark what is pasted.
  expect(shown).toContain('\x1b[?2004h')
  await live.end('left')
})

test('a character and a control sequence that are cut at the moment somebody comes are whole for them', async () => {
  const { live, machine } = await sessionOf()
  const ni = Buffer.from('你')
  machine.say(Buffer.concat([Buffer.from('before '), ni.subarray(0, 1)]))
  const first = watcherOf()
  live.watch(first.watcher)
  machine.say(Buffer.concat([ni.subarray(1), Buffer.from(' after\x1b[3')]))
  await expect.poll(first.seen).toContain('after')
  expect(first.seen()).toContain('before 你 after')
  const second = watcherOf()
  live.watch(second.watcher)
  machine.say(Buffer.from('1mred'))
  await expect.poll(second.seen).toContain('red')
  expect(second.seen()).toContain('\x1b[31mred')
  await live.end('left')
})

test('a person who joins late sees a full-screen program on the second screen, however long ago it began', async () => {
  const { live, machine } = await sessionOf()
  machine.say(Buffer.from('$ vim\r\n\x1b[?1049h\x1b[H'))
  for (let n = 0; n < 1000; n++) machine.say(Buffer.from(`\x1b[5;1H${`drawn ${n} `.repeat(2)}`))
  const { watcher, seen } = watcherOf()
  live.watch(watcher)
  await expect.poll(seen).toContain('drawn 999')
  expect(seen()).toContain('$ vim')
  expect(seen().indexOf('\x1b[?1049h')).toBeLessThan(seen().indexOf('drawn 999'))
  expect(seen()).not.toContain('drawn 998')
  await live.end('left')
})

test('a tail keeps the last bytes, whatever the pieces, and starts behind a line’s end', () => {
  const stream = Buffer.from(Array.from({ length: 300 }, (_, n) => `line ${n}\n`).join(''))
  for (const size of [1, 3, 7, 64, 100, 1000, stream.length]) {
    const tail = new Tail(100)
    for (let at = 0; at < stream.length; at += size) tail.push(stream.subarray(at, at + size))
    const kept = tail.read().toString()
    expect(stream.toString().endsWith(kept)).toBe(true)
    expect(kept).toMatch(/^line \d+\n/)
    expect(kept.length).toBeGreaterThan(80)
  }
  const short = new Tail(100)
  short.push(Buffer.from('all of it'))
  expect(short.read().toString()).toBe('all of it')
})

const COMMAND = { program: { command: Buffer.from('backup') } }

test('without a terminal both streams arrive byte for byte and apart, with the exit code; a flood is recorded as its size, and what follows it again', async () => {
  const got: { stdout: Buffer[]; stderr: Buffer[]; end?: unknown } = { stdout: [], stderr: [] }
  const commands = collectedCommands()
  let now = 1_700_000_000_000
  const { live, machine, ends } = await sessionOf({
    ...COMMAND,
    now: () => now,
    owner: {
      write: (bytes, stream) => Boolean(got[stream].push(bytes)),
      close: (end) => {
        got.end = end
      },
    },
    commands,
  })
  const flood = Buffer.alloc(6 * 1024 * 1024, 0x0a)
  machine.say(Buffer.from('one\ntwo\n'))
  machine.say(Buffer.from('careful\n'), 'stderr')
  machine.say(flood)
  now += 1000
  machine.say(Buffer.from('three\n'))
  machine.hangUp()
  await live.ended
  expect(
    Buffer.concat(got.stdout).equals(Buffer.concat([Buffer.from('one\ntwo\n'), flood, Buffer.from('three\n')])),
  ).toBe(true)
  expect(Buffer.concat(got.stderr).toString()).toBe('careful\n')
  expect(got.end).toEqual({ exitCode: 3 })
  expect(ends).toEqual([{ reason: 'closed', exitCode: 3 }])
  expect(commands.over).toEqual([
    { input: 'backup', output: expect.stringContaining('one\ntwo\ncareful\n'), timestamp: 1_700_000_000 },
  ])
  const recorded = (await readFile(join(folder, 'x.cast'), 'utf8'))
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line)[2])
  expect(recorded.join('')).toBe(
    `one\r\ntwo\r\ncareful\r\n\r\n[${flood.length} bytes of data not recorded]\r\nthree\r\n`,
  )
})

test('lines that come in for a shell without a terminal are commands; data for any other program is none', async () => {
  const seen: Record<string, string[]> = {}
  for (const command of [undefined, '/bin/bash -s', 'sudo -s', '$SHELL', 'cat > disk.img']) {
    const commands = collectedCommands()
    const { live, machine } = await sessionOf({
      program: command === undefined ? {} : { command: Buffer.from(command) },
      commands,
    })
    live.input(Buffer.from('id\nuname'))
    machine.say(Buffer.from('uid=0\n'))
    live.input(Buffer.from(' -a\n'))
    machine.hangUp()
    await live.ended
    seen[command ?? 'login shell'] = commands.over.map(({ input }) => input)
    await rm(join(folder, 'x.cast'))
  }
  expect(seen).toEqual({
    'login shell': ['id', 'uname -a'],
    '/bin/bash -s': ['/bin/bash -s', 'id', 'uname -a'],
    'sudo -s': ['sudo -s', 'id', 'uname -a'],
    $SHELL: ['$SHELL', 'id', 'uname -a'],
    'cat > disk.img': ['cat > disk.img'],
  })
})
