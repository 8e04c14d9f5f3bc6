import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { type ObjectStore, startObjectStore } from '../../../../test/object-store.ts'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { createSession, finishSession } from '../index.ts'
import { DESKTOP, type ReplaySuffix } from '../replay-suffix.ts'
import { markReplay, recordingStore } from './index.ts'
import { replayName } from './replay-file.ts'

const SESSIONS = 20
const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1700000000}\n'

let objects: ObjectStore
let server: TestServer
const ids: string[] = []

beforeAll(async () => {
  objects = await startObjectStore()
  server = await openTestServer({ ...objects.environment, SALLYPORT_ROLES: 'api' }, await createTestDatabase())
  for (let n = 0; n < SESSIONS; n++) ids.unshift(await recorded(n))
})
afterAll(async () => {
  await server?.close()
  await objects?.close()
})

/** A session whose recording is in the store; each is later than the one before. */
function recorded(n: number): Promise<string> {
  return stored(n, '.cast.gz', `${HEADER}[3,"o","the otter number ${n}"]\n`)
}

async function stored(minute: number, suffix: ReplaySuffix, text: string): Promise<string> {
  const { db } = server.kernel
  const session = { user: 'u', asset: 'a', system_user: 's', org_id: DEFAULT_ORG_ID }
  const date_start = new Date(Date.parse('2026-11-20T08:00:00Z') + minute * 60_000)
  const id = await createSession(db, { ...session, date_start })
  await finishSession(db, id)
  await recordingStore(server.kernel.config).put(replayName({ id, date_start }, suffix), gzipSync(text))
  await markReplay(server.kernel, id)
  return id
}

/** To the end: a call answers with as many as it had time for, and the next goes on behind them. */
async function search() {
  const all = { results: [] as { id: string }[], searched: 0, unread: 0, next: null as string | null }
  let status = 200
  do {
    const after = all.next === null ? '' : `&after=${all.next}`
    const answer = await server.admin.get(`/api/v1/terminal/sessions/replay-search/?q=otter${after}`)
    status = answer.status
    if (status !== 200) break
    const { results, searched, unread, next } = answer.body
    Object.assign(all, {
      results: [...all.results, ...results],
      searched: all.searched + searched,
      unread: all.unread + unread,
      next,
    })
  } while (all.next !== null)
  return { status, body: all }
}

test('a recording that the store does not tell of is counted as unread, and the others are searched', async () => {
  const [first = '', second = '', ...others] = ids
  objects.faulty.add(second)
  const { status, body } = await search()
  objects.faulty.clear()
  expect([status, body.searched, body.unread, body.next]).toEqual([200, SESSIONS - 1, 1, null])
  expect(body.results.map(({ id }) => id)).toEqual([first, ...others])
})

test('recordings are looked up several at a time', async () => {
  objects.mostAtOnce()
  expect((await search()).body.searched).toBe(SESSIONS)
  const most = objects.mostAtOnce()
  expect([most > 1, most <= 8]).toEqual([true, true])
})

test('while the store is away a search answers that it could read nothing', async () => {
  await objects.stop()
  const { status, body } = await search()
  await objects.start()
  expect([status, body]).toEqual([200, { results: [], searched: 0, unread: SESSIONS, next: null }])
  expect((await search()).body.searched).toBe(SESSIONS)
})

test('a desktop whose index is still being made is not passed over: the search stops before it, and finds it once it is there', async () => {
  const [latest = ''] = ids
  const header = '{"version":1,"kind":"desktop","timestamp":1790000000,"title":"x"}'
  const note = JSON.stringify([4, 'm', { kind: 'notice', text: 'the otter of a desktop' }])
  const id = await stored(SESSIONS - 1.5, DESKTOP, `${header}\n${note}\n`)
  const { promise, resolve } = Promise.withResolvers<void>()
  objects.held.set(id, promise)
  const from = (query: string) => server.admin.get(`/api/v1/terminal/sessions/replay-search/?q=otter${query}`)
  const [upToIt, atIt] = await Promise.all([from(''), from(`&after=${latest}`)])
  objects.held.clear()
  resolve()
  expect(upToIt.body).toMatchObject({ results: [{ id: latest }], searched: 1, unread: 0, next: latest })
  expect([atIt.status, atIt.body.code]).toEqual([503, 'busy'])
  await expect.poll(async () => (await from(`&after=${latest}`)).body.results?.[0]?.id).toBe(id)
  await server.kernel.pool.query('UPDATE terminal_session SET has_replay = false WHERE id = $1', [id])
})

test('a recording of a kind that cannot be searched is not told as read; a log of statements is not looked for', async () => {
  const store = recordingStore(server.kernel.config)
  const [latest = ''] = ids
  const name = replayName({ id: latest, date_start: new Date(Date.parse('2026-11-20T08:19:00Z')) })
  const bytes = await buffer(store.open(name))
  await store.remove(name)
  await store.put(name.replace('.cast.gz', '.replay.gz'), gzipSync('{"3":"the otter"}'))
  await markReplay(server.kernel, latest)
  expect((await search()).body).toMatchObject({ searched: SESSIONS - 1, unread: 1 })
  await store.remove(name.replace('.cast.gz', '.replay.gz'))
  await store.put(name.replace('.cast.gz', '.statements.gz'), bytes)
  await markReplay(server.kernel, latest)
  expect((await search()).body).toMatchObject({ searched: SESSIONS - 1, unread: 0 })
  await server.kernel.pool.query('UPDATE terminal_session SET has_replay = false WHERE id = $1', [latest])
})
