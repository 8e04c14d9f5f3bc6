import { createHash, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, auditor, type DomainServer, openDomainServer, superAdmin } from '../../../../test/domain-server.ts'
import { BUCKET, type ObjectStore, startObjectStore } from '../../../../test/object-store.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { createSession, finishSession } from '../index.ts'
import { markReplay, recordingStore, replayName, replayPath } from '../recording/index.ts'
import { outsideStore } from '../recording/storages/outside-stores.ts'
import { carryOutMove, type MoveOptions, MoveStopped } from './carry-out.ts'

const STORAGES = '/api/v1/terminal/replay-storages/'
const MOVES = '/api/v1/terminal/recording-moves/'
const ORG = '00000000-0000-0000-0000-000000000002'
let server: DomainServer
/** Each a store of its own. */
let near: ObjectStore
let far: ObjectStore
/** The server's own storage, and those two. */
let here: string
let there: string
let elsewhere: string
let lines: string[] = []

beforeAll(async () => {
  server = await openDomainServer()
  // Without a worker: what is begun here is carried out step by step.
  await server.kernel.jobs.start()
  ;[near, far] = await Promise.all([startObjectStore(), startObjectStore()])
  here = (await call('GET', `${STORAGES}?type=server`)).body[0].id
  there = await storage('near', near.endpoint)
  elsewhere = await storage('far', far.endpoint)
})
afterAll(async () => {
  await near?.close()
  await far?.close()
  await server?.close()
})

const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, who = superAdmin) =>
  server.call(method, path, body, who)

async function storage(name: string, ENDPOINT: string): Promise<string> {
  const meta = { BUCKET, ENDPOINT, ACCESS_KEY: 'S3RVER', SECRET_KEY: 'S3RVER' }
  const { status, body } = await call('POST', `${STORAGES}?type=s3`, { name, type: 's3', meta })
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}

/** A finished session of that day, whose recording is with the server. */
async function recorded(day: string) {
  const named = { user: 'Bob(bob)', asset: 'web-1(10.0.0.1)', system_user: 'root(root)', login_from: 'WT' } as const
  const ids = { user_id: randomUUID(), asset_id: randomUUID(), system_user_id: randomUUID(), org_id: ORG }
  const id = await createSession(server.db, { ...named, ...ids, remote_addr: '192.0.2.7', protocol: 'ssh' })
  await finishSession(server.db, id)
  await server.pool.query('UPDATE terminal_session SET date_start = $2 WHERE id = $1', [id, `${day}T10:00:00Z`])
  const session = { id, date_start: new Date(`${day}T10:00:00Z`) }
  const text = `{"version":2,"width":80,"height":24}\n[0,"o","${id}"]\n`
  const packed = gzipSync(text)
  await writeFile(await replayPath(server.kernel, session), packed)
  await markReplay(server.kernel, id)
  await server.pool.query('UPDATE terminal_session SET replay_sha256 = $2 WHERE id = $1', [
    id,
    createHash('sha256').update(text).digest('hex'),
  ])
  const plays = async () => {
    const answer = await call('GET', `/api/v1/terminal/sessions/${id}/replay/download/?format=cast`, undefined, auditor)
    return answer.status === 200 && answer.raw.toString() === text
  }
  return { id, name: replayName(session), bytes: packed.length, plays }
}

const dayOf = (day: string) => ({ date_from: `${day} 00:00:00 +0000`, date_to: `${day} 23:59:59 +0000` })
async function move(source: string, target: string, day: string): Promise<string> {
  const { status, body } = await call('POST', MOVES, { source, target, ...dayOf(day), rate_limit: 1000 })
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}
const stored = async (id: string) => (await call('GET', `${MOVES}${id}/`)).body
const failures = async (id: string) => (await call('GET', `${MOVES}${id}/failures/`)).body

function run(id: string, options: MoveOptions = {}, signal = new AbortController().signal) {
  lines = []
  const log = async (line: string) => void lines.push(line)
  return carryOutMove(server.kernel, { move: id, log, signal }, { graceMs: 0, ...options })
}
/** Where its file is: with the server, near, far. */
async function placesOf(name: string): Promise<boolean[]> {
  const stores = [
    recordingStore(server.kernel.config),
    await outsideStore(server.kernel, there),
    await outsideStore(server.kernel, elsewhere),
  ]
  return Promise.all(stores.map(async (store) => (await store?.find(name)) !== undefined))
}

test('before a move it says how many recordings and bytes, and then each is in the other storage and plays', async () => {
  const day = '2026-01-01'
  const [one, two] = [await recorded(day), await recorded(day)]
  const other = await recorded('2026-01-02')
  const query = new URLSearchParams({ source: here, target: there, ...dayOf(day) })
  expect((await call('GET', `${MOVES}amount/?${query}`)).body).toEqual({
    recordings: 2,
    bytes: one.bytes + two.bytes,
    complete: true,
  })
  const id = await move(here, there, day)
  expect(await stored(id)).toMatchObject({ state: 'running', amount: 2, moved: 0, failed: 0 })
  const seen: [string, boolean][] = []
  const at = async (step: string, session: string) => {
    const recording = [one, two].find((each) => each.id === session)
    seen.push([step, (await recording?.plays()) ?? false])
  }
  expect(await run(id, { at })).toEqual({ success: 2, failed: 0, skipped: 0 })
  expect(seen.map(([step]) => step).sort()).toEqual([
    ...['cleared', 'cleared', 'copied', 'copied'],
    ...['switched', 'switched'],
  ])
  expect(seen.every(([, plays]) => plays)).toBe(true)
  expect(await stored(id)).toMatchObject({ state: 'done', moved: 2, bytes: one.bytes + two.bytes, reason: null })
  for (const { name, plays } of [one, two])
    expect([await placesOf(name), await plays()]).toEqual([[false, true, false], true])
  expect(await placesOf(other.name)).toEqual([true, false, false])
  // And from one storage outside to another, and home.
  await run(await move(there, elsewhere, day))
  expect([await placesOf(one.name), await one.plays()]).toEqual([[false, false, true], true])
  // Files that are being read in the old storage stay there for a while, and then go as well.
  const home = await move(elsewhere, here, day)
  expect(await run(home, { graceMs: 400 })).toEqual({ success: 2, failed: 0, skipped: 0 })
  expect(await stored(home)).toMatchObject({ state: 'done', reason: null })
  expect([await placesOf(one.name), await one.plays()]).toEqual([[true, false, false], true])
})

test.each([
  ['copied', [true, true, false]],
  ['switched', [true, true, false]],
  ['cleared', [false, true, false]],
] as const)(
  'killed once it has %s a recording, it goes on where it was, and the recording plays',
  async (step, left) => {
    const day = `2026-02-0${['copied', 'switched', 'cleared'].indexOf(step) + 1}`
    const { name, plays } = await recorded(day)
    const id = await move(here, there, day)
    const killed = new Error('killed')
    const at = (now: string) => {
      if (now === step) throw killed
    }
    await expect(run(id, { at })).rejects.toBe(killed)
    expect([await placesOf(name), await plays()]).toEqual([left, true])
    expect(await stored(id)).toMatchObject({ state: 'running', moved: step === 'copied' ? 0 : 1 })
    await run(id)
    expect([await placesOf(name), await plays()]).toEqual([[false, true, false], true])
    expect(await stored(id)).toMatchObject({ state: 'done', amount: 1, moved: 1, failed: 0 })
  },
)

test('a recording that differs or is missing stays where it is and is named; the others are moved', async () => {
  const day = '2026-03-01'
  const [damaged, missing, good] = [await recorded(day), await recorded(day), await recorded(day)]
  const own = recordingStore(server.kernel.config)
  await own.put(damaged.name, gzipSync('something else'))
  await own.remove(missing.name)
  const id = await move(here, there, day)
  expect(await run(id)).toEqual({ success: 1, failed: 2, skipped: 0 })
  expect(await stored(id)).toMatchObject({ state: 'done', moved: 1, failed: 2 })
  const named = (await failures(id)).map(({ session, reason }: Record<string, string>) => [session, reason])
  expect(new Map(named)).toEqual(
    new Map([
      [damaged.id, 'It is not what was recorded'],
      [missing.id, 'Its files are not in the storage'],
    ]),
  )
  expect(await placesOf(damaged.name)).toEqual([true, false, false])
  expect(await good.plays()).toBe(true)
  // Once it is mended, the same move takes it along.
  await own.put(damaged.name, gzipSync(`{"version":2,"width":80,"height":24}\n[0,"o","${damaged.id}"]\n`))
  expect((await call('POST', `${MOVES}${id}/resume/`)).status).toBe(200)
  expect(await run(id)).toMatchObject({ success: 2, failed: 1 })
  expect(await placesOf(damaged.name)).toEqual([false, true, false])
})

test('a storage that goes away stops a move, which loses nothing and goes on later', async () => {
  const day = '2026-04-01'
  const recordings = [await recorded(day), await recorded(day)]
  const id = await move(here, elsewhere, day)
  let copied = 0
  const at = async (step: string) => {
    if (step === 'switched' && ++copied === 1) await far.stop()
  }
  try {
    await expect(run(id, { at })).rejects.toBeInstanceOf(MoveStopped)
  } finally {
    await far.start()
  }
  expect(await stored(id)).toMatchObject({ moved: 1, failed: 0 })
  for (const { plays } of recordings) expect(await plays()).toBe(true)
  expect(await run(id)).toMatchObject({ success: 2, failed: 0 })
  for (const { name } of recordings) expect(await placesOf(name)).toEqual([false, false, true])
})

test('a move that is cancelled leaves the rest where it is, and tidies up behind what it has moved', async () => {
  const day = '2026-05-01'
  const recordings = [await recorded(day), await recorded(day)]
  const id = await move(here, there, day)
  const cancelling = new AbortController()
  const cancelled = new Error('Cancelled')
  const at = (step: string) => {
    if (step === 'switched') cancelling.abort(cancelled)
  }
  await expect(run(id, { at }, cancelling.signal)).rejects.toBe(cancelled)
  const places = await Promise.all(recordings.map(({ name }) => placesOf(name)))
  expect(places.map(String).sort()).toEqual(['false,true,false', 'true,false,false'])
  await run(id)
  for (const { name } of recordings) expect(await placesOf(name)).toEqual([false, true, false])
})

test('a recording that was brought back meanwhile is not deleted as what an earlier move left', async () => {
  const day = '2026-06-01'
  const { name, plays } = await recorded(day)
  const out = await move(here, there, day)
  await expect(
    run(out, {
      at: (step) => {
        if (step === 'switched') throw new Error('killed')
      },
    }),
  ).rejects.toThrow('killed')
  await run(await move(there, here, day))
  await run(out)
  expect([await placesOf(name), await plays()]).toEqual([[true, false, false], true])
})

test('files of a moved recording on the disk of another node are named, as this node cannot delete them', async () => {
  const day = '2026-06-02'
  const { id: session, name } = await recorded(day)
  const id = await move(here, there, day)
  const another = { id: randomUUID() } as Awaited<ReturnType<Kernel['nodes']['ofTerminals']>>[number]
  const nodes = { ...server.kernel.nodes, ofTerminals: async () => [another] }
  const at = async (step: string) => {
    if (step !== 'switched') return
    await server.pool.query(
      `WITH terminal AS (INSERT INTO terminal_terminal (name) VALUES ('of another node') RETURNING id)
       UPDATE terminal_session SET terminal = terminal.id FROM terminal WHERE terminal_session.id = $1`,
      [session],
    )
  }
  const task = { move: id, log: async () => {}, signal: new AbortController().signal }
  await carryOutMove({ ...server.kernel, nodes }, task, { graceMs: 0, at })
  expect(await placesOf(name)).toEqual([true, true, false])
  expect(await failures(id)).toMatchObject([
    { session, reason: 'It was moved, but its files could not be deleted where it was' },
  ])
})

test('what cannot be moved is refused before anything begins, and changes nothing', async () => {
  const { id } = await recorded('2026-07-01')
  const post = async (body: unknown) => (await call('POST', MOVES, body)).body
  const nowhere = (await call('GET', `${STORAGES}?type=null`)).body[0].id
  const twin = await storage('the same bucket', near.endpoint)
  expect(await post({ source: here, target: here })).toEqual({ target: [expect.anything()] })
  expect(await post({ source: here, target: nowhere })).toEqual({ target: [expect.anything()] })
  expect(await post({ source: here, target: id })).toEqual({ target: [expect.anything()] })
  expect(await post({ source: here, target: there, ...dayOf('2020-01-01') })).toMatchObject({ code: 'nothing_to_move' })
  expect(await post({ source: there, target: twin })).toMatchObject({ code: 'same_place' })
  const before = { date_from: '2026/02/01 00:00:00 +0000', date_to: '2026/01/01 00:00:00 +0000' }
  expect(await post({ source: here, target: there, ...before })).toEqual({ date_to: [expect.anything()] })
  expect((await call('GET', `${MOVES}amount/?source=${here}&target=nobody`)).status).toBe(400)
  expect((await call('GET', `${MOVES}amount/?source=${here}&target=${there}&date_from=soon`)).status).toBe(400)
  expect((await call('GET', MOVES, undefined, admin)).status).toBe(403)
  const { rows } = await server.pool.query('SELECT FROM terminal_recording_move_item WHERE session = $1', [id])
  expect(rows).toEqual([])
})

test('a storage that still holds recordings, or takes part in a move, is not deleted, and says how many it holds', async () => {
  const day = '2026-08-01'
  const own = await storage('soon gone', far.endpoint)
  await recorded(day)
  const id = await move(here, own, day)
  expect((await call('DELETE', `${STORAGES}${own}/`)).body).toMatchObject({ code: 'in_use' })
  await run(id)
  expect((await call('DELETE', `${STORAGES}${own}/`)).body).toEqual({
    code: 'in_use',
    detail: 'Recordings are in this storage (1): it can be deleted once they are moved, or gone by their age',
  })
  await run(await move(own, here, day))
  expect((await call('DELETE', `${STORAGES}${own}/`)).status).toBe(204)
})
