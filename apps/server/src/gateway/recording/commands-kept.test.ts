/** A command that was sent has its row, whatever happens to the database or the disk. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { mountSmallDisk, type SmallDisk } from '../../../test/small-disk.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { retryBriefly } from '../../kernel/with-retries.ts'
import { openSshFixture, type SshFixture } from '../listeners/ssh/ssh-fixture.ts'

const WORDS = 'The recording cannot be written'

let fixture: SshFixture
let data: string
let box: string
let disk: SmallDisk | undefined
// Only root can mount a small file system.
const isRoot = process.getuid?.() === 0

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'sallyport-kept-'))
  if (isRoot) disk = mountSmallDisk(join(data, 'commands'))
  fixture = await openSshFixture({ SALLYPORT_DATA_DIR: data })
})
afterAll(async () => {
  await fixture?.close()
  disk?.unmount()
  rmSync(data, { recursive: true, force: true })
})
beforeEach(() => {
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
})
afterEach(() => {
  rmSync(box, { recursive: true, force: true })
})

const journal = () => readFileSync(join(data, 'commands', 'commands.journal'), 'utf8')
/** Stored commands that begin like this, in the order in which they were begun. */
const commands = async (beginning: string): Promise<string[]> => {
  const { rows } = await fixture.server.kernel.pool.query<{ input: string }>(
    'SELECT input FROM terminal_command WHERE starts_with(input, $1) ORDER BY id',
    [beginning],
  )
  return rows.map(({ input }) => input)
}
const finished = async (id: string | undefined) =>
  (await fixture.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.is_finished

test('a command has its row although the database was away from before it was typed until long after its session ended', async () => {
  onTestFinished(retryBriefly())
  const { pool } = fixture.server.kernel
  const terminal = await fixture.open(fixture.person)
  await terminal.see(/[#$] /)
  await pool.query(`CREATE FUNCTION takes_nothing() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'cannot_connect_now'; END $$`)
  await pool.query(
    'CREATE TRIGGER takes_nothing BEFORE INSERT ON terminal_command FOR EACH ROW EXECUTE FUNCTION takes_nothing()',
  )
  terminal.type(`echo away-from-$((40 + 2))\r`)
  await terminal.see('away-from-42')
  terminal.type('exit\r')
  await terminal.closed
  await expect.poll(() => finished(terminal.session?.id), { interval: 200 }).toBe(true)
  expect(journal()).toContain('echo away-from-')
  await pool.query('DROP FUNCTION takes_nothing CASCADE')
  await expect.poll(() => commands('echo away-from')).toEqual(['echo away-from-$((40 + 2))'])
  await expect.poll(journal).toBe('')
})

test('thousands of lines for a shell are rows, each once and in their order, and all of them are run', async () => {
  const lines = Array.from({ length: 15_000 }, (_, n) => `: flood-${n}`)
  const ran = await fixture.ssh(fixture.direct, 'sh', { input: `${lines.join('\n')}\necho through\n` })
  expect([ran.code, ran.stdout.toString()]).toEqual([0, 'through\n'])
  await expect.poll(async () => (await commands(': flood-')).length).toBe(lines.length)
  expect(await commands(': flood-')).toEqual(lines)
})

test('a command that asks for a terminal has its row, too', async () => {
  const { options, environment } = fixture.clientOptions()
  await fixture.run('ssh', [...options, '-tt', fixture.direct, 'true with-a-terminal'], { environment })
  await expect.poll(() => commands('true with-a-terminal')).toEqual(['true with-a-terminal'])
})

describe.skipIf(!isRoot)('while commands cannot be written down', () => {
  beforeEach(async () => {
    await expect.poll(journal).toBe('')
  })
  afterEach(() => disk?.empty())

  test('a single command is refused in plain words and not run; with room again it is', async () => {
    const command = `touch ${box}/made`
    disk?.fill()
    const refused = await fixture.ssh(fixture.direct, command)
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(WORDS)])
    // As long as the one that is run afterwards takes.
    disk?.empty()
    expect(await fixture.ssh(fixture.direct, `ls ${box}`)).toMatchObject({ code: 0, stdout: Buffer.from('') })
    expect(await fixture.ssh(fixture.direct, command)).toMatchObject({ code: 0 })
    expect(existsSync(join(box, 'made'))).toBe(true)
    await expect.poll(() => commands(command)).toEqual([command])
  })

  test('a line for a shell without a terminal is not sent, and the session ends with a word', async () => {
    const { options } = fixture.clientOptions()
    const shell = spawn('ssh', [...options, fixture.direct, 'sh'])
    const output = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const) shell[stream].on('data', (bytes) => (output[stream] += bytes))
    shell.stdin.on('error', () => {})
    const closed = once(shell, 'close')
    shell.stdin.write('echo first\n')
    await expect.poll(() => output.stdout).toBe('first\n')
    disk?.fill()
    // More than fits into what the journal's last page has left.
    shell.stdin.write(`${': padding\n'.repeat(50)}touch ${box}/made\n`)
    await closed
    expect(output.stderr).toContain(WORDS)
    expect(existsSync(join(box, 'made'))).toBe(false)
  })

  test('a terminal is ended with a word to the person; where the setting says so it goes on, and its history says so', async () => {
    const opened = await fixture.open(fixture.person)
    await opened.see(/[#$] /)
    disk?.fill()
    // More than fits into what the journal's last page has left.
    for (let n = 0; n < 20; n++) opened.type(`echo unwritten-${n}\r`)
    await opened.see(WORDS)
    await opened.closed

    const { kernel } = fixture.server
    await settingsOf(kernel).set('TERMINAL_RECORDING_FAILURE', 'alarm')
    try {
      disk?.empty()
      const going = await fixture.open(fixture.person)
      await going.see(/[#$] /)
      disk?.fill()
      for (let n = 0; n < 20; n++) going.type(`echo unwritten-${n}\r`)
      await going.see('goes on without it')
      going.type('echo still-$((40 + 2))\r')
      await going.see('still-42')
      disk?.empty()
      going.type('exit\r')
      await going.closed
      const events = `/api/v1/terminal/session-events/?session=${going.session?.id}`
      await expect
        .poll(async () => (await fixture.server.admin.get(events)).body.map(({ event }: { event: string }) => event))
        .toEqual(['unrecorded', 'ended'])
    } finally {
      await settingsOf(kernel).set('TERMINAL_RECORDING_FAILURE', 'stop')
    }
  })
})
