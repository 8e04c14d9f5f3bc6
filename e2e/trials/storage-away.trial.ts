/**
 * `npm run trial storage-away [minutes]`: people work without a pause while the store of recordings is away, by
 * default for an hour. Long terminals go on through it, short commands begin and end in it. Afterwards every session
 * has its recording, whole and unaltered, the node has nothing left on its disk, and its memory has not grown with
 * what waited.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sshd, startSshd } from '../../apps/server/src/domains/assets/sshd-fixture.ts'
import { type ObjectStore, startObjectStore } from '../../apps/server/test/object-store.ts'
import { type Installation, startInstallation } from '../installation.ts'
import { apiOf, describeMachine } from '../machine.ts'

const PASSWORD = 'Guarded-door-1'
const MINUTES = Number(process.env.TRIAL_RUNS ?? 60)
/** Terminals that stay open from before the store goes until after it is back. */
const TERMINALS = 4
/** A terminal says so many lines a second, of about 70 bytes. */
const LINES_A_SECOND = 20
/** All that an hour has left is stored by then, on a machine that has other work as well. */
const CATCH_UP_MS = 30 * 60_000
const SESSIONS = '/api/v1/terminal/sessions/'
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'sallyport-trial-'))

let objects: ObjectStore
let sshd: Sshd
let installation: Installation
let api: Awaited<ReturnType<typeof apiOf>>
let headers: Record<string, string>

beforeAll(async () => {
  ;[objects, sshd] = await Promise.all([startObjectStore(), startSshd()])
  installation = await startInstallation({
    settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD, ...objects.environment },
  })
  api = await apiOf(installation, PASSWORD)
  await describeMachine(installation, sshd, PASSWORD)
  const { token } = await api.post('/api/v1/authentication/auth/', { username: 'admin', password: PASSWORD })
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id')])
  const { status } = await fetch(`${installation.url}/api/v1/users/profile/public-key/`, {
    ...{ method: 'PUT', headers },
    body: JSON.stringify({ public_key: readFileSync(join(folder, 'id.pub'), 'utf8') }),
  })
  expect(status).toBe(200)
})
afterAll(async () => {
  await installation?.stop()
  await Promise.all([objects?.close(), sshd?.close()])
  rmSync(folder, { recursive: true, force: true })
})

test(
  'a store that is away costs no recording, and no memory',
  async () => {
    const terminals = Array.from({ length: TERMINALS }, (_, number) => longTerminal(number))
    const seconds = MINUTES * 60
    const commands: string[] = []
    await runCommands(commands, 20)
    await objects.stop()
    const begun = Date.now()
    const memory: number[] = []
    while (Date.now() - begun < seconds * 1000) {
      await runCommands(commands, Math.min(60, seconds))
      memory.push(memoryOfServer())
      const { files, bytes } = waitingOnDisk()
      const minute = ((Date.now() - begun) / 60_000).toFixed(1)
      console.log(
        `${minute} min: ${commands.length} commands, the slowest ${slowest.toFixed(0)} ms; ${files} files wait, ${(bytes / 1e6).toFixed(1)} MB; memory ${memory.at(-1)} MB`,
      )
    }
    await objects.start()
    const back = Date.now()
    slowest = 0
    await runCommands(commands, 20)
    console.log(`slowest command while recordings go out: ${slowest.toFixed(0)} ms`)
    writeFileSync(join(folder, 'end'), '')
    const output = await Promise.all(terminals)
    const expected = commands.length + TERMINALS
    const patience = { interval: 1000, timeout: CATCH_UP_MS }
    await expect.poll(async () => (await countOf('is_finished=true')) >= expected, patience).toBe(true)
    await expect.poll(() => waitingOnDisk().files, patience).toBe(0)
    console.log(
      `all recordings were in the store ${((Date.now() - back) / 1000).toFixed(0)} s after it was back; memory ${memoryOfServer()} MB`,
    )
    const lost = await lostOf(commands, output)
    console.table({ commands: commands.length, terminals: TERMINALS, refused, lost: lost.length })
    expect(refused).toBeLessThan(commands.length / 100)
    expect(lost).toEqual([])
    // Caching and compiling in the first minutes are no part of it.
    const [early = 0, late = 0] = [memory[Math.floor(memory.length / 4)], memory.at(-1)]
    expect(late).toBeLessThan(early * 1.5 + 50)
  },
  (MINUTES + 60) * 60_000,
)

const ssh = (command: string, ...options: string[]): [string, string[]] => [
  'ssh',
  [
    ...['-F', '/dev/null', '-i', join(folder, 'id'), '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no'],
    ...['-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR', ...options],
    ...['-p', String(installation.sshPort), `admin@${sshd.username}@web-1@127.0.0.1`, command],
  ],
]

/** Writes numbered lines until there is a file `end`; settles with all that it said. */
function longTerminal(number: number): Promise<string> {
  const line = `terminal-${number}-$n ${'x'.repeat(50)}`
  const loop = `n=0; until [ -e ${join(folder, 'end')} ]; do n=$((n+1)); echo ${line}; sleep ${1 / LINES_A_SECOND}; done`
  const [program, given] = ssh(loop, '-tt')
  return text(spawn(program, given, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout)
}

/** Commands that came back with words instead: a busy machine may not answer in time. */
let refused = 0

/** How long the slowest command took since this was last asked, in milliseconds. */
let slowest = 0

/** Runs commands one after the other for so long; each leaves a word in `done` that its recording must have. */
async function runCommands(done: string[], seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000
  while (Date.now() < until) {
    const word = `command-${done.length + 100_000}`
    const begun = performance.now()
    const output = await run(...ssh(`echo command-$((${done.length} + 100000))`)).then(
      ({ stdout }) => stdout.trim(),
      ({ stderr }) => console.log(`refused: ${stderr}`),
    )
    slowest = Math.max(slowest, performance.now() - begun)
    if (output === word) done.push(word)
    else refused++
    await wait(500)
  }
}

const countOf = async (filter: string) => (await api.get<{ count: number }>(`${SESSIONS}?limit=1&${filter}`)).count

/** Recordings that are not there, altered, or not whole. */
async function lostOf(commands: readonly string[], terminals: readonly string[]): Promise<string[]> {
  const lost: string[] = []
  const wanted = new Set(commands)
  const lines = new Map(terminals.map((output, number) => [`terminal-${number}-1 `, output.split('\r\n')]))
  const { results } = await api.get<{ results: { id: string; has_replay: boolean }[] }>(
    `${SESSIONS}?limit=100000&is_finished=true`,
  )
  for (const { id } of results.filter((session) => session.has_replay)) {
    const { intact } = await api.get<{ intact: boolean }>(`${SESSIONS}${id}/replay/integrity/`)
    if (!intact) lost.push(`${id}: altered`)
    const recorded = await outputOf(id)
    const command = /command-\d+/.exec(recorded)?.[0]
    const terminal = [...lines].find(([first]) => recorded.includes(first))
    if (command) wanted.delete(command)
    else if (terminal) {
      const missing = linesMissing(terminal[1], recorded)
      if (missing) lost.push(`${id}: ${missing} lines of a terminal`)
      lines.delete(terminal[0])
    } else lost.push(`${id}: nothing in it`)
  }
  return [...lost, ...wanted, ...lines.keys()]
}

/** How many lines are not in a recording, in their order: looked for from where the one before them stood. */
function linesMissing(lines: readonly string[], recorded: string): number {
  let missing = 0
  let from = 0
  for (const line of lines) {
    const at = recorded.indexOf(line, from)
    if (at < 0) missing++
    else from = at + line.length
  }
  return missing
}

/** Text that a person saw in it. */
async function outputOf(id: string): Promise<string> {
  const index = await api.get<{ parts: unknown[] }>(`${SESSIONS}${id}/replay/index/`)
  const parts = await Promise.all(
    index.parts.map(async (_, part) => {
      const answer = await fetch(`${installation.url}${SESSIONS}${id}/replay/part/${part}/`, { headers })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
    }),
  )
  const events = parts
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('['))
  return events
    .map((line) => JSON.parse(line))
    .flatMap(([, kind, data]) => (kind === 'o' ? [data] : []))
    .join('')
}

/** Resident memory of the server's process in MB. */
function memoryOfServer(): number {
  const status = readFileSync(`/proc/${installation.process.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

function waitingOnDisk(): { files: number; bytes: number } {
  const replays = join(installation.data, 'replay')
  const sizes = readdirSync(replays, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0)
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
