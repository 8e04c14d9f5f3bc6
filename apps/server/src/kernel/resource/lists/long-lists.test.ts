import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { producedStream } from '../../produced-stream.ts'
import { admin, openEngineFixture } from '../engine-fixture.ts'

const BOOKS = '/api/v1/test/books/'
const SHELVES = '/api/v1/test/shelves/'
const MANY = 50_000
/** More than an export once held. */
const SHELVES_IN_ALL = 200_001

let fixture: Awaited<ReturnType<typeof openEngineFixture>>
beforeAll(async () => {
  fixture = await openEngineFixture()
  await fixture.pool.query(
    `INSERT INTO test_book (title, pages, kind, is_active, tags, comment, org_id)
     SELECT 'book ' || n, n, 'novel', true, '{}', repeat('x', 500), $2 FROM generate_series(1, $1) n`,
    [MANY, DEFAULT_ORG_ID],
  )
  await fixture.pool.query(
    `INSERT INTO test_shelf (name, org_id) SELECT 'shelf ' || n, $2 FROM generate_series(1, $1) n`,
    [SHELVES_IN_ALL, DEFAULT_ORG_ID],
  )
  await fixture.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => fixture?.close())

/** The answer as soon as it begins; nobody reads it yet. */
function begun(path: string): Promise<IncomingMessage> {
  const { port } = fixture.app.server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: admin, agent: false }, resolve).once('error', reject)
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Lists that are being read of the database. */
async function beingRead(): Promise<number> {
  const { rows } = await fixture.pool.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
  )
  return rows[0].count
}

test('an answer that fails before its first piece is a refusal as any other, and ends nothing else', async () => {
  const faults: unknown[] = []
  const hear = (error: unknown) => faults.push(error)
  process.on('uncaughtException', hear)
  const refused = producedStream('somebody', () => Promise.reject(new Error('refused')))
  await expect(refused).rejects.toThrow('refused')
  await new Promise(setImmediate)
  process.off('uncaughtException', hear)
  expect(faults).toEqual([])
})

test('a list without limit is a bare array however long it is, in order, as it was when it began', async () => {
  const answer = await begun(`${BOOKS}?order=-pages&fields=pages,title`)
  expect(answer.headers['content-type']).toContain('application/json')
  // Writers of rows do not change the list meanwhile.
  await fixture.pool.query('UPDATE test_book SET pages = pages + 100000 WHERE pages <= 10')
  const rows = JSON.parse(await textOf(answer))
  expect(rows).toHaveLength(MANY)
  expect(rows.map(({ pages }: { pages: number }) => pages)).toEqual(Array.from({ length: MANY }, (_, n) => MANY - n))
  expect(rows[0]).toEqual({ title: `book ${MANY}`, pages: MANY })
})

test('rows that a client does not take are not read; a client that goes away leaves nothing', async () => {
  const answers = await Promise.all([begun(BOOKS), begun(`${BOOKS}?format=csv`)])
  await expect.poll(beingRead).toBe(2)
  for (const answer of answers) answer.destroy()
  await expect.poll(beingRead).toBe(0)
})

test('a list that is compressed on the way, and one without rows, are arrays as well', async () => {
  const url = `${BOOKS}?fields=title&order=pages`
  const packed = await fixture.app.inject({ url, headers: { ...admin, 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect((await fixture.app.inject({ url: `${BOOKS}?title=none`, headers: admin })).json()).toEqual([])
})

test('a faulty call for a long list gets the usual errors', async () => {
  const { statusCode, body } = await fixture.app.inject({ url: `${BOOKS}?limit=x`, headers: admin })
  expect([statusCode, JSON.parse(body).code]).toEqual([400, 'bad_request'])
})

test('[B7.42] an export has any number of rows, and the operate log how many', async () => {
  const before = fixture.operations.length
  const text = await textOf(await begun(`${SHELVES}?format=csv&order=name`))
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(SHELVES_IN_ALL + 1)
  expect(lines.at(-1)).toContain('shelf 99999')
  expect(fixture.operations.slice(before)).toMatchObject([{ action: 'export', resource: `${SHELVES_IN_ALL} (csv)` }])
})

test('[B7.42] a workbook is as long', async () => {
  const { rawPayload } = await fixture.app.inject({ url: `${BOOKS}?format=xlsx&limit=2001`, headers: admin })
  const { readSheet } = await import('read-excel-file/node')
  expect(await readSheet(rawPayload)).toHaveLength(2002)
})
