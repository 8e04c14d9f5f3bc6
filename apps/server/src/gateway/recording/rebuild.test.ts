import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { type ObjectStore, startObjectStore } from '../../../test/object-store.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { createSession, finishSession } from '../../domains/terminal/index.ts'
import { type RecordingStore, recordingStore, replayFolder } from '../../domains/terminal/recording/index.ts'
import { terminalSession } from '../../domains/terminal/tables.ts'
import { recoverRecordings } from './crash-recovery.ts'
import { type Manifest, manifestName } from './manifest.ts'
import { rebuildLost } from './rebuild.ts'
import { RecordingUpload } from './recording-upload.ts'

const START = Date.parse('2026-11-20T08:00:00Z') / 1000
const HEADER = `${JSON.stringify({ version: 2, width: 80, height: 24, timestamp: START })}\n`

let objects: ObjectStore
/** Each with a disk of its own; without a gateway, so that nothing is done but what a test does. */
let first: TestServer
let second: TestServer
let third: TestServer
let store: RecordingStore
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-'))
  objects = await startObjectStore()
  const database = await createTestDatabase()
  const node = () =>
    openTestServer({ ...objects.environment, SALLYPORT_ROLES: 'api' }, { ...database, drop: async () => {} })
  first = await openTestServer({ ...objects.environment, SALLYPORT_ROLES: 'api' }, database)
  second = await node()
  third = await node()
  store = recordingStore(first.kernel.config)
})
afterAll(async () => {
  await third?.close()
  await second?.close()
  await first?.close()
  await objects?.close()
  await rm(folder, { recursive: true, force: true })
})

const rowOf = async (id: string) => {
  const [row] = await first.kernel.db.select().from(terminalSession).where(eq(terminalSession.id, id))
  if (!row) throw new Error('no such session')
  return row
}
const namesOf = async (id: string, prefix = '') => {
  const names: string[] = []
  for await (const { name } of store.list(prefix)) if (name.includes(id)) names.push(name)
  return names
}
const recorded = async (id: string) => gunzipSync(await buffer(store.open(`2026-11-20/${id}.cast.gz`))).toString()
const filesOn = async ({ kernel }: TestServer, id: string) => {
  const files = await readdir(replayFolder(kernel.config), { recursive: true }).catch(() => [])
  return files.filter((name) => name.includes(id))
}
const manifestOf = async (id: string): Promise<Manifest | undefined> => {
  const name = `manifests/${id}.cast.json`
  return (await store.find(name)) ? JSON.parse(await text(store.open(name))) : undefined
}
/** Files that have left the node so far. */
const sent = async (id: string) => {
  const parts: string[] = []
  for (const { name } of (await manifestOf(id))?.segments ?? []) parts.push(await text(store.open(name)))
  return parts.join('')
}

/** A session of a node that is gone, with its recording as far as it was sent. */
async function lost(
  recording: string,
  ending = 'cast',
): Promise<{ id: string; name: string; path: string; upload: RecordingUpload }> {
  const { db, app } = first.kernel
  const who = { user: 'u', asset: 'a', system_user: 's', org_id: DEFAULT_ORG_ID, is_success: true }
  const id = await createSession(db, { ...who, date_start: new Date(START * 1000) })
  await db
    .update(terminalSession)
    .set({ date_last_active: new Date(Date.now() - 120_000) })
    .where(eq(terminalSession.id, id))
  const name = `2026-11-20/${id}.${ending}`
  const path = join(folder, `${id}.${ending}`)
  await writeFile(path, recording)
  const upload = new RecordingUpload(store, name, path, app.log)
  await upload.send()
  await upload.stop()
  return { id, name, path, upload }
}

test('a backlog is sent when the store is back, and many small segments become one', async () => {
  const { id, path, upload } = await lost(HEADER)
  let all = HEADER
  const write = (line: string) => {
    all += line
    return writeFile(path, all)
  }
  await objects.stop()
  await write('[1,"o","while it was away"]\n')
  await upload.send()
  await objects.start()
  await upload.send()
  expect(await sent(id)).toBe(all)
  for (let n = 2; n < 60; n++) {
    // Half a line waits for its end.
    await writeFile(path, `${all}[${n},"o","half`)
    await write(`[${n},"o","${n}"]\n`)
    await upload.send()
  }
  expect(await sent(id)).toBe(all)
  const segments = (await manifestOf(id))?.segments ?? []
  expect(segments.length).toBeLessThan(40)
  expect(segments.at(-1)?.last).toBe(59)
  expect(await namesOf(id, 'segments/')).toHaveLength(segments.length)
  await rebuildLost(second.kernel)
  expect(await recorded(id)).toBe(all)
  expect(await namesOf(id)).toHaveLength(3)
})

test('recordings of a node that is gone are rebuilt by the others, each once, and their sessions end with them', async () => {
  const whole = `${HEADER}[1.5,"o","hello"]\n[61.25,"o","world"]\n`
  const all = await Promise.all(Array.from({ length: 6 }, () => lost(whole)))
  const empty = await lost('')
  const statements = await lost(`${HEADER}[3,"statement",1,"select 1",8]\n`, 'statements')
  const living = await lost(whole)
  const { pool } = first.kernel
  await pool.query('UPDATE terminal_session SET date_last_active = now() WHERE id = $1', [living.id])
  const counts = await Promise.all([second, third, second, third].map((node) => rebuildLost(node.kernel)))
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(7)
  for (const { id } of all) {
    expect(await rowOf(id)).toMatchObject({
      is_finished: true,
      has_replay: true,
      date_end: new Date((START + 61.25) * 1000),
    })
    expect(await recorded(id)).toBe(whole)
    expect(await namesOf(id)).toHaveLength(3)
    for (const node of [second, third]) expect(await filesOn(node, id)).toEqual([])
  }
  expect(await rowOf(statements.id)).toMatchObject({ is_finished: true, has_replay: true })
  expect(await namesOf(statements.id)).toEqual([`${statements.name}.gz`])
  expect(await manifestOf(empty.id)).toBeUndefined()
  expect(await rowOf(living.id)).toMatchObject({ is_finished: false, has_replay: false })
  expect(await sent(living.id)).toBe(whole)
})

test('a session ends where its recording ends, also when it was ended for its node; what its node ended stays', async () => {
  const [orphan, own] = [await lost(`${HEADER}[30,"o","x"]\n`), await lost(`${HEADER}[30,"o","x"]\n`)]
  const { db, pool } = first.kernel
  const ended = new Date((START + 45) * 1000)
  await finishSession(db, own.id, { dateEnd: ended })
  // Heard of just now: those that are ended for their node do not wait for a lease.
  await pool.query("UPDATE terminal_session SET date_last_active = now() - interval '31 s' WHERE id = $1", [orphan.id])
  expect(await rebuildLost(second.kernel)).toBe(1)
  await pool.query('UPDATE terminal_session SET is_finished = true, date_end = date_last_active WHERE id = $1', [
    orphan.id,
  ])
  expect(await rebuildLost(second.kernel)).toBe(1)
  expect((await rowOf(orphan.id)).date_end).toEqual(new Date((START + 30) * 1000))
  expect((await rowOf(own.id)).date_end).toEqual(ended)
})

test('a segment that is missing or altered ends what is rebuilt before it', async () => {
  const begin = `${HEADER}[1,"o","first"]\n`
  const { id, path, upload } = await lost(begin)
  await writeFile(path, `${begin}[2,"o","second"]\n`)
  await upload.send()
  await writeFile(path, `${begin}[2,"o","second"]\n[3,"o","third"]\n`)
  await upload.send()
  const altered = (await manifestOf(id))?.segments[1]?.name ?? ''
  await store.put(altered, Buffer.from('[2,"o","forged"]\n'))
  expect(await rebuildLost(second.kernel)).toBe(1)
  expect(await recorded(id)).toBe(begin)
})

test('nothing is thrown away that cannot be kept: what belongs to no row, what was altered from its beginning', async () => {
  const [rowless, forged] = [await lost(`${HEADER}[1,"o","x"]\n`), await lost(`${HEADER}[1,"o","x"]\n`)]
  await first.kernel.pool.query('DELETE FROM terminal_session WHERE id = $1', [rowless.id])
  await store.put((await manifestOf(forged.id))?.segments[0]?.name ?? '', Buffer.from('forged'))
  const before = [await namesOf(rowless.id), await namesOf(forged.id)]
  expect(await rebuildLost(second.kernel)).toBe(0)
  expect([await namesOf(rowless.id), await namesOf(forged.id)]).toEqual(before)
  expect(await rowOf(forged.id)).toMatchObject({ is_finished: true, has_replay: false })
})

test('a node that comes back with its disk keeps the longer recording, never less, and never another', async () => {
  const sentPart = `${HEADER}[1,"o","sent"]\n`
  const [longer, shorter, other] = [await lost(sentPart), await lost(sentPart), await lost(sentPart)]
  expect(await rebuildLost(second.kernel)).toBe(3)
  const onDisk = async ({ name }: { name: string }, content: string) => {
    const path = join(replayFolder(first.kernel.config), name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, content)
    return path
  }
  const all = `${sentPart}[2,"o","not sent"]\n`
  await onDisk(longer, `${all}[3,"o","cut`)
  await onDisk(shorter, HEADER)
  const aside = await onDisk(other, `${HEADER}[1,"o","another"]\n[2,"o","and more"]\n`)
  await recoverRecordings(first.kernel)
  expect(await recorded(longer.id)).toBe(all)
  expect((await third.admin.get(`/api/v1/terminal/sessions/${longer.id}/replay/integrity/`))?.body).toEqual({
    intact: true,
  })
  expect(await recorded(shorter.id)).toBe(sentPart)
  expect(await recorded(other.id)).toBe(sentPart)
  expect(await readFile(`${aside}.other`, 'utf8')).toContain('another')
  for (const { id } of [longer, shorter]) expect(await filesOn(first, id)).toEqual([])
})

test('files in the store that a finished session left are removed, and take nothing of its recording along', async () => {
  const { id, name } = await lost(`${HEADER}[1,"o","x"]\n`)
  await rebuildLost(second.kernel)
  const before = await recorded(id)
  // Its node was slow to see that it is gone, and its segments of before are not there any more.
  await store.put(
    manifestName(name),
    Buffer.from(
      JSON.stringify({
        version: 1,
        recording: name,
        segments: [{ name: `segments/${id}.cast/000000000000000-5`, from: 0, bytes: 5, sha256: 'x', last: 1 }],
      }),
    ),
  )
  await rebuildLost(third.kernel)
  expect(await namesOf(id, 'manifests/')).toEqual([])
  expect(await recorded(id)).toBe(before)
})
