import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mountSmallDisk } from '../../../test/small-disk.ts'
import { packRecording, UNFINISHED } from './packing.ts'
import { RecordingFile } from './recording-file.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packing-'))
  path = join(folder, 'x.cast')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Some 40 MB, of which packing takes a second or more. */
function large(): string {
  const lines = Array.from(
    { length: 20_000 },
    (_, n) => `${JSON.stringify([n, 'o', `${n} \x1b[3${n % 8}m${`${n * 7919} `.repeat(250)}\r\n`])}\n`,
  )
  return `{"version":2,"width":120,"height":40,"timestamp":1700000000}\n${lines.join('')}`
}

test('[bug class 25] kill -9 in the middle of packing leaves the recording whole and no half under a finished name; packed again it is all there', async () => {
  const recording = large()
  await writeFile(path, `${recording}[20001,"o","cut of`)
  const program = `import(${JSON.stringify(join(import.meta.dirname, 'packing.ts'))}).then(({ packRecording }) => packRecording(${JSON.stringify(path)}))`
  // Not with --input-type, which no thread of it would take.
  const packing = spawn(process.execPath, ['-e', program], { stdio: 'ignore' })
  const ended = once(packing, 'close')
  await vi.waitFor(() => expect(existsSync(`${path}.gz.part`)).toBe(true), { timeout: 120_000, interval: 5 })
  packing.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect((await readdir(folder)).filter((name) => !UNFINISHED.some((one) => name === `x.${one}`))).toEqual(['x.cast'])
  expect(await readFile(path, 'utf8')).toBe(recording)

  const packed = await packRecording(path)
  expect((await readdir(folder)).sort()).toEqual(['x.cast', 'x.cast.gz', 'x.index.json', 'x.screens.gz'])
  const text = gunzipSync(await readFile(packed))
  expect(text.toString()).toBe(recording)
  const index = JSON.parse(await readFile(join(folder, 'x.index.json'), 'utf8'))
  expect(index.sha256).toBe(createHash('sha256').update(text).digest('hex'))
})

test('a log of statements is packed whole, without the index and the screens that only what is played has', async () => {
  const log = join(folder, 'x.statements')
  const lines = `{"kind":"statements"}\n${'[1,"s","SELECT 1"]\n'.repeat(50_000)}`
  await writeFile(log, lines)
  expect(gunzipSync(await readFile(await packRecording(log))).toString()).toBe(lines)
  expect((await readdir(folder)).sort()).toEqual(['x.statements', 'x.statements.gz'])
})

test('many recordings that end at once are packed in turn, and one that fails takes no other with it', async () => {
  const paths = Array.from({ length: 12 }, (_, n) => join(folder, `${n}.cast`))
  for (const [n, one] of paths.entries())
    if (n !== 5) await writeFile(one, `{"version":2,"width":80,"height":24}\n[${n},"o","x"]\n`)
  const results = await Promise.allSettled(paths.map(packRecording))
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(paths.map((_, n) => n !== 5))
  for (const [n, one] of paths.entries())
    if (n !== 5) expect(gunzipSync(await readFile(`${one}.gz`)).toString()).toContain(`[${n},`)
})

// Only root can mount a small file system.
test.runIf(process.getuid?.() === 0)(
  'on a full disk a recording ends at its last whole line and says so, packing leaves nothing half made, and with room again all of it is packed',
  async () => {
    const full = join(folder, 'full')
    const disk = mountSmallDisk(full)
    try {
      const on = join(full, 'x.cast')
      const recording = await RecordingFile.open(on, { timestamp: 1_700_000_000, version: 2, width: 80, height: 24 })
      recording.append('[1,"o","kept"]\n')
      await recording.written()
      disk.fill()
      const failures: string[] = []
      recording.onFailure = (error) => void failures.push(String((error as NodeJS.ErrnoException).code))
      recording.append(`[2,"o","${'x'.repeat(100_000)}"]\n`)
      recording.append('[3,"o","behind it"]\n')
      await recording.written()
      await recording.close()
      expect(failures).toEqual(['ENOSPC'])
      await expect(packRecording(on)).rejects.toMatchObject({ code: 'ENOSPC' })
      expect((await readdir(full)).sort()).toEqual(['filling', 'x.cast'])
      disk.empty()
      const text = gunzipSync(await readFile(await packRecording(on))).toString()
      expect(text.trimEnd().split('\n')).toEqual([expect.stringContaining('"version":2'), '[1,"o","kept"]'])
    } finally {
      disk.unmount()
    }
  },
)
