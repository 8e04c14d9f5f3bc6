import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { type ObjectStore, startObjectStore } from '../../../test/object-store.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { type RecordingStore, recordingStore, replayFolder } from '../../domains/terminal/recording/index.ts'
import { terminalSession } from '../../domains/terminal/tables.ts'
import { retryBriefly } from '../../kernel/with-retries.ts'
import { openTerminalFixture, type Terminal, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import { recoverRecordings } from './crash-recovery.ts'
import type { Manifest } from './manifest.ts'
import { RecordingUpload } from './recording-upload.ts'
import { removeSegments } from './seal.ts'

const LONG = { interval: 50 }

let objects: ObjectStore
/** The node that carries sessions. */
let fixture: TerminalFixture
/** Two others, each with a disk of its own. */
let [second, third]: TestServer[] = []
let store: RecordingStore

beforeAll(async () => {
  objects = await startObjectStore()
  const database = await createTestDatabase()
  fixture = await openTerminalFixture(objects.environment, database)
  second = await openTestServer(objects.environment, { ...database, drop: async () => {} })
  third = await openTestServer(objects.environment, { ...database, drop: async () => {} })
  store = recordingStore(fixture.server.kernel.config)
})
afterEach(() => {
  objects.faulty.clear()
  return objects.start()
})
afterAll(async () => {
  await second?.close()
  await third?.close()
  await fixture?.close()
  await objects?.close()
})

const rowOf = async (id: string) => {
  const { db } = fixture.server.kernel
  const [row] = await db.select().from(terminalSession).where(eq(terminalSession.id, id))
  if (!row) throw new Error('no such session')
  return row
}
const namesOf = async (id: string, prefix = '') => {
  const names: string[] = []
  for await (const { name } of store.list(prefix)) if (name.includes(id)) names.push(name)
  return names
}
const recorded = async (id: string) => {
  const [name = ''] = (await namesOf(id, '20')).filter((one) => one.endsWith('.cast.gz'))
  const chunks: Buffer[] = []
  for await (const chunk of store.open(name)) chunks.push(chunk as Buffer)
  return gunzipSync(Buffer.concat(chunks)).toString()
}
const filesOn = async ({ kernel }: TestServer, id: string) => {
  const files = await readdir(replayFolder(kernel.config), { recursive: true }).catch(() => [])
  return files.filter((name) => name.includes(id))
}
const manifestOf = async (id: string, ending = 'cast'): Promise<Manifest | undefined> => {
  const name = `manifests/${id}.${ending}.json`
  return (await store.find(name)) ? JSON.parse(await text(store.open(name))) : undefined
}
/** Files that have left the node so far. */
const sent = async (id: string) => {
  const parts: string[] = []
  for (const { name } of (await manifestOf(id))?.segments ?? []) parts.push(await text(store.open(name)))
  return parts.join('')
}
const idOf = ({ session }: Terminal) => session?.id ?? ''

async function begun(): Promise<Terminal> {
  const terminal = await fixture.open(fixture.person)
  await terminal.see(/[#$] /)
  return terminal
}

test('a running session leaves its node in segments with checksums; at its end they are gone and any node plays it', async () => {
  const terminal = await begun()
  const id = idOf(terminal)
  terminal.type('echo one-$((40 + 2))\r')
  await expect.poll(() => sent(id), LONG).toContain('one-42')
  terminal.type('echo two-$((40 + 3))\r')
  await expect.poll(() => sent(id), LONG).toContain('two-43')
  const manifest = await manifestOf(id)
  expect(manifest?.segments.length).toBeGreaterThan(1)
  for (const { sha256, last } of manifest?.segments ?? []) {
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(last).toBeGreaterThanOrEqual(0)
  }
  expect((await rowOf(id)).has_replay).toBe(false)
  terminal.type('exit\r')
  await terminal.closed
  await expect.poll(async () => (await rowOf(id)).is_finished, LONG).toBe(true)
  expect(await namesOf(id)).toEqual(['cast.gz', 'index.json', 'screens.gz'].map((one) => expect.stringContaining(one)))
  expect(await filesOn(fixture.server, id)).toEqual([])
  const index = await second?.admin.get(`/api/v1/terminal/sessions/${id}/replay/index/`)
  expect(index?.body).toMatchObject({ sha256: (await rowOf(id)).replay_sha256, parts: [expect.anything()] })
  expect((await third?.admin.get(`/api/v1/terminal/sessions/${id}/replay/integrity/`))?.body).toEqual({ intact: true })
  const found = await third?.admin.get('/api/v1/terminal/sessions/replay-search/?q=two-43')
  expect(found?.body.results).toMatchObject([{ id }])
})

test('a file that waits for a store that is away is read once the store is back, and then of few sessions at a time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordings-'))
  const lines = (bytes: number) => `[1,"o","${'x'.repeat(bytes)}"]\n`
  const uploads = await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      const id = randomUUID()
      const name = `2026-11-21/${id}.cast`
      const path = join(folder, String(n))
      await writeFile(path, '{"timestamp":1}\n')
      return { id, name, path, upload: new RecordingUpload(store, name, path, fixture.server.kernel.app.log) }
    }),
  )
  // An upload that had begun by itself knows nothing of the newest lines: one more begins behind
  // it.
  const sendAll = async () => {
    for (const _ of [1, 2]) await Promise.all(uploads.map(({ upload }) => upload.send()))
  }
  try {
    await sendAll()
    objects.faulty.add('manifests/')
    for (const { path } of uploads) await appendFile(path, lines(1))
    await sendAll()
    for (const { path } of uploads) await appendFile(path, lines(300_000))
    objects.calls.length = 0
    await sendAll()
    expect(objects.calls.filter((call) => call.includes('manifests/')).length).toBeGreaterThanOrEqual(uploads.length)
    expect(objects.calls.filter((call) => call.includes('segments/'))).toEqual([])
    objects.counted = 'segments/'
    objects.mostAtOnce()
    objects.faulty.clear()
    await sendAll()
    expect(objects.mostAtOnce()).toBeLessThanOrEqual(4)
    for (const { id, path } of uploads) expect(await sent(id)).toBe(await readFile(path, 'utf8'))
  } finally {
    objects.counted = ''
    objects.faulty.clear()
    for (const { name, upload } of uploads) {
      await upload.stop()
      await removeSegments(store, name)
    }
    await rm(folder, { recursive: true })
  }
})

test('while the store is away sessions go on and end; their recordings wait on the disk, ask nothing of a store known to be away, and are kept when it is back', async () => {
  onTestFinished(retryBriefly())
  const terminals = [await begun(), await begun()]
  const [first = '', next = ''] = terminals.map(idOf)
  await objects.stop()
  const end = async (id: string) => {
    const terminal = terminals.find((one) => idOf(one) === id)
    terminal?.type('echo away-$((40 + 2))\r')
    await terminal?.see('away-42')
    terminal?.type('exit\r')
    await terminal?.closed
    await expect.poll(async () => (await rowOf(id)).is_finished, LONG).toBe(true)
    expect(await rowOf(id)).toMatchObject({ has_replay: false })
    expect(await filesOn(fixture.server, id)).toContainEqual(expect.stringMatching(/\.cast$/))
  }
  await end(first)
  objects.faulty.add('sallyport/')
  await objects.start()
  objects.calls.length = 0
  await end(next)
  expect(objects.calls.filter((call) => call.includes(`${next}.cast.gz`))).toEqual([])
  objects.faulty.clear()
  expect(await recoverRecordings(fixture.server.kernel)).toBe(2)
  for (const id of [first, next]) {
    expect(await rowOf(id)).toMatchObject({ has_replay: true })
    expect(await recorded(id)).toContain('away-42')
    expect(await filesOn(fixture.server, id)).toEqual([])
  }
})
