// @vitest-environment node
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Receiver, type Sink } from './receive.ts'
import { Sender } from './send.ts'

const folder = mkdtempSync(join(tmpdir(), 'sallyport-zmodem-'))
afterAll(() => rmSync(folder, { recursive: true }))

const content = (bytes: number) =>
  Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, n) => n)), randomBytes(bytes)])
const exited = (program: ChildProcessWithoutNullStreams) =>
  new Promise<number | null>((resolve) => program.once('exit', resolve))

/** Runs the real `sz` against a receiver; answers what arrived by name, and how it ended. */
async function receive(parameters: string[], sinkFor: (name: string) => Sink | undefined | 'keep', delayMs = 0) {
  const files = new Map<string, Buffer>()
  const program = spawn('sz', parameters, { cwd: folder })
  let orderly: boolean | undefined
  const receiver = new Receiver({
    send: (bytes) => program.stdin.write(bytes),
    async offered({ name }) {
      if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs))
      const sink = sinkFor(name)
      if (sink !== 'keep') return sink
      const parts: Uint8Array[] = []
      return {
        write: (bytes) => void parts.push(bytes),
        close: () => void files.set(name, Buffer.concat(parts)),
        abort() {},
      }
    },
    progress() {},
    stray() {},
    over(how) {
      orderly = how
    },
  })
  program.stdin.on('error', () => {})
  program.stdout.on('data', (bytes: Buffer) => {
    // A machine is not read any further while the disk is behind.
    program.stdout.pause()
    void receiver.push(bytes).then(() => program.stdout.resume())
  })
  const code = await exited(program)
  return { files, code, orderly: () => orderly }
}

test('receives several files of sz whole, one of them empty', async () => {
  const one = content(2 * 1024 * 1024)
  writeFileSync(join(folder, 'one.bin'), one)
  writeFileSync(join(folder, 'empty.bin'), '')
  const { files, code, orderly } = await receive(['-q', 'one.bin', 'empty.bin'], () => 'keep')
  await expect.poll(orderly).toBe(true)
  expect(code).toBe(0)
  expect(files.get('one.bin')?.equals(one)).toBe(true)
  expect(files.get('empty.bin')).toHaveLength(0)
})

test.each([
  ['with all control characters escaped', ['-q', '-e']],
  ['in long subpackets', ['-q', '-8']],
  ['with a window of its own', ['-q', '-w', '65536']],
  ['with 16-bit checks', ['-q', '-o']],
])('receives of sz %s', async (_, parameters) => {
  const one = content(300_000)
  writeFileSync(join(folder, 'kind.bin'), one)
  const { files, code } = await receive([...parameters, 'kind.bin'], () => 'keep')
  expect(code).toBe(0)
  expect(files.get('kind.bin')?.equals(one)).toBe(true)
})

test('a file that is skipped does not come, the next one does', async () => {
  writeFileSync(join(folder, 'no.bin'), content(500_000))
  writeFileSync(join(folder, 'yes.bin'), content(1000))
  const { files } = await receive(['-q', 'no.bin', 'yes.bin'], (name) => (name === 'no.bin' ? undefined : 'keep'))
  expect([...files.keys()]).toEqual(['yes.bin'])
})

test('a disk that fails ends the transfer on both sides, and the half file is given up', async () => {
  writeFileSync(join(folder, 'full.bin'), content(3_000_000))
  let aborted = false
  const sink: Sink = {
    write: () => Promise.reject(new Error('disk full')),
    close() {},
    abort() {
      aborted = true
    },
  }
  const { code, orderly } = await receive(['-q', 'full.bin'], () => sink)
  expect(code).not.toBe(0)
  expect(orderly()).toBe(false)
  expect(aborted).toBe(true)
})

/** Runs the real `rz` against a sender. */
async function send(parameters: readonly string[], files: File[]) {
  const program = spawn('rz', parameters, { cwd: folder })
  const done: [string, boolean][] = []
  let orderly: boolean | undefined
  let unacknowledged = 0
  let sent = 0
  const sender = new Sender({
    send(bytes) {
      sent += bytes.length
      program.stdin.write(bytes)
    },
    began() {
      sent = 0
    },
    progress(bytes) {
      unacknowledged = Math.max(unacknowledged, sent - bytes)
    },
    done: ({ name }, taken) => void done.push([name, taken]),
    stray() {},
    over(how) {
      orderly = how
    },
  })
  program.stdin.on('error', () => {})
  program.stdout.once('data', () => sender.start(files))
  program.stdout.on('data', (bytes: Buffer) => sender.push(bytes))
  const code = await exited(program)
  return { code, done, orderly, unacknowledged }
}

test.each([
  ['as it comes', ['-q', '-y'], 2],
  // A quarter of the bytes is sent as two.
  ['with all control characters escaped', ['-q', '-y', '-e'], 4],
] as const)('sends files to rz %s, and never more ahead of it than the window', async (_, parameters, megabytes) => {
  const one = content(5 * 1024 * 1024)
  const files = [new File([one], 'up one.bin'), new File([], 'up-empty.bin')]
  const { code, done, orderly, unacknowledged } = await send(parameters, files)
  expect(code).toBe(0)
  expect(orderly).toBe(true)
  expect(done).toEqual([
    ['up one.bin', true],
    ['up-empty.bin', true],
  ])
  expect(readFileSync(join(folder, 'up one.bin')).equals(one)).toBe(true)
  expect(readFileSync(join(folder, 'up-empty.bin'))).toHaveLength(0)
  expect(unacknowledged).toBeLessThan(megabytes * 1024 * 1024)
})

test('a file that rz does not want because it is there already is told apart', async () => {
  writeFileSync(join(folder, 'there.bin'), 'mine')
  const { done } = await send(['-q', '-p'], [new File(['other'], 'there.bin'), new File(['new'], 'fresh.bin')])
  expect(done).toEqual([
    ['there.bin', false],
    ['fresh.bin', true],
  ])
  expect(readFileSync(join(folder, 'there.bin'), 'utf8')).toBe('mine')
})

test('a file that is gone when it is read ends the transfer on both sides', async () => {
  const gone = new File(['x'.repeat(100_000)], 'gone.bin')
  gone.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) as unknown as Blob
  const { code, orderly } = await send(['-q', '-y'], [gone])
  expect(code).not.toBe(0)
  expect(orderly).toBe(false)
  expect(existsSync(join(folder, 'gone.bin')) && readFileSync(join(folder, 'gone.bin')).length > 0).toBe(false)
})
