import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ReplayIndex } from '@sallyport/contract/replay.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditor, BOB, type DomainServer, openDomainServer } from '../../../../../test/domain-server.ts'
import { createSession, finishSession, patchSession } from '../../index.ts'
import { replayPath } from '../index.ts'
import type { PackedFile } from '../packed-file.ts'
import { img, painted, png, say } from './guacamole-fixture.ts'
import { GuacamolePieces } from './guacamole-pieces.ts'
import { joinParts, UnjoinableParts } from './join-parts.ts'

const START = 1_700_000_000_000
const SIDE = 16

let server: DomainServer
const folder = mkdtempSync(join(tmpdir(), 'guacamole-'))
beforeAll(async () => {
  server = await openDomainServer()
})
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true })
})

/** A session whose recording came as a file of that text. */
async function recorded(text: string | Buffer, packed = gzipSync(text)): Promise<{ url: string; path: string }> {
  const id = await createSession(server.db, {
    user: 'Bob(bob)',
    asset: 'desk-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: BOB,
    asset_id: randomUUID(),
    org_id: '00000000-0000-0000-0000-000000000002',
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol: 'rdp',
  })
  await patchSession(server.db, id, { has_replay: true })
  await finishSession(server.db, id)
  const { date_start } = (await server.pool.query('SELECT date_start FROM terminal_session WHERE id = $1', [id]))
    .rows[0]
  const path = await replayPath(server.kernel, { id, date_start }, '.replay.gz')
  await writeFile(path, packed)
  return { url: `/api/v1/terminal/sessions/${id}/replay/`, path }
}

const get = (url: string) => server.call('GET', url, undefined, auditor)
async function indexAt(url: string): Promise<ReplayIndex> {
  await expect.poll(async () => (await get(`${url}index/`)).body.status).not.toBe('running')
  return (await get(`${url}index/`)).body as ReplayIndex
}
const piece = async (url: string, kind: 'part' | 'screen', n: number) =>
  gunzipSync((await get(`${url}${kind}/${n}/`)).raw).toString()

const noise = (n: number) => say('blob', 9, `${n}`.padEnd(6000, 'x'))
/** A second of a desktop: something is drawn, and much is sent. */
const second = (n: number) =>
  img(0, (n * 5) % SIDE, (n * 3) % SIDE, png(6, 6, n % 256)) + noise(n).repeat(20) + say('sync', START + n * 1000)

test('a recording of Guacamole is played in pieces: each begins with the picture that was there', async () => {
  const seconds = Array.from({ length: 40 }, (_, n) => second(n))
  const text = say('size', 0, SIDE, SIDE) + seconds.join('')
  const { url, path } = await recorded(text)
  expect((await get(url)).body.type).toBe('guacamole')
  const index = await indexAt(url)
  expect(index).toMatchObject({ start: START / 1000, origin: START, duration: 39, cols: SIDE, rows: SIDE })
  expect(index.parts.length).toBeGreaterThan(4)
  expect(index.parts.every(({ follows }) => !follows)).toBe(true)
  let before = ''
  for (const n of index.parts.keys()) {
    const screen = await piece(url, 'screen', n)
    expect(painted(screen, SIDE, SIDE)).toBe(painted(before, SIDE, SIDE))
    before += await piece(url, 'part', n)
  }
  expect(before).toBe(text)
  expect(index.parts.map(({ time }) => time)).toEqual(index.parts.map(({ time }) => time).toSorted((a, b) => a - b))
  // The recording itself is what it was.
  expect(gunzipSync(await readFile(path)).toString()).toBe(text)
  expect((await get(`${url}integrity/`)).body).toEqual({ intact: true })
  expect((await get(`${url}download/?format=html`)).status).toBe(400)
})

test('a recording that was cut off plays up to there', async () => {
  const text = `${say('size', 0, 8, 8)}${second(0)}${second(7)}4.blob,1.1,8000.AAA`
  const { url } = await recorded(text)
  const index = await indexAt(url)
  expect(index).toMatchObject({ duration: 7 })
  expect(await piece(url, 'part', 0)).toBe(text)
})

test('a length that lies ends what plays; what is behind it stays, and takes no memory', async () => {
  const behind = Buffer.alloc(40 * 1024 * 1024, 'x')
  const text = Buffer.concat([Buffer.from(`${say('size', 0, 8, 8)}${second(0)}${second(3)}4.syncX`), behind])
  const { url } = await recorded(text)
  const index = await indexAt(url)
  expect(index.duration).toBe(3)
  expect(index.bytes).toBe(text.length)
  expect(index.parts.slice(1).every(({ follows }) => follows)).toBe(true)
})

test('an instruction that has no end yet counts as what was sent', async () => {
  const pieces = new GuacamolePieces({ bytes: 0 } as PackedFile, {} as FileHandle, 1000)
  await pieces.add(Buffer.from('4.blob,7000.'))
  for (let n = 0; n < 9; n++) await pieces.add(Buffer.alloc(100, 'x'))
  await expect(pieces.add(Buffer.alloc(100, 'x'))).rejects.toThrow('too large')
})

test('a picture that stays unknown is begun again after eight pieces, with what was drawn since', async () => {
  const file = { bytes: 0, piece: async () => ({ bytes: 0, crc32: 0, at: 0, length: 0 }), end: async () => ({}) }
  const screens = { writeFile: async () => {} } as unknown as FileHandle
  const pieces = new GuacamolePieces(file as unknown as PackedFile, screens)
  await pieces.add(Buffer.from(say('sync', START) + img(0, 0, 0, png(4, 4, 9, 128)).repeat(6000)))
  const mebibytes = Buffer.from(say('blob', 9, 'x'.repeat(4 * 1024 * 1024)))
  for (let n = 0; n < 60; n++) await pieces.add(mebibytes)
  const known = (await pieces.end()).parts.flatMap(({ follows }, n) => (follows ? [] : [n]))
  expect(known).toEqual([0, 9, 18])
})

test('hundreds of thousands of instructions, a huge picture and a clock that jumps are read within bounds', async () => {
  const huge = png(1, 1, 0)
  huge.writeUInt32BE(2 ** 31 - 1, 16)
  huge.writeUInt32BE(2 ** 31 - 1, 20)
  const many = say('rect', 0, 1, 1, 2, 2) + say('cfill', 14, 0, 1, 2, 3, 9)
  const text = [
    say('size', 0, 2 ** 31, 2 ** 31),
    img(0, 0, 0, huge),
    say('sync', START),
    many.repeat(100_000),
    say('sync', START + 5000),
    say('sync', 0),
    say('sync', 9e15),
    say('sync', START + 6000),
  ].join('')
  const { url } = await recorded(text)
  const index = await indexAt(url)
  expect(index).toMatchObject({ duration: 6, cols: 16_384, rows: 16_384 })
  expect(Math.max(...index.parts.map((_, n) => n))).toBeLessThan(20)
})

test('a file that is damaged, or no recording, says so', async () => {
  for (const [text, packed] of [
    ['4.size,1.0,1.8,1.8;', undefined],
    ['dump', undefined],
    ['', gzipSync(second(1)).subarray(0, 40)],
    ['', Buffer.from('no gzip at all')],
  ] as const) {
    const { url } = await recorded(text, packed)
    await expect.poll(async () => (await get(`${url}index/`)).body).toEqual({ status: 'unavailable' })
  }
})

test('the content decides what a file of an older suffix is', async () => {
  for (const [text, type] of [
    ['{"0.5":"hello","0.000000":""}', 'json'],
    ['{"version": 2, "width": 80, "height": 24}\n[1, "o", "x"]\n', 'asciicast'],
    ['5.ready,2.$x;4.size,1.0,1.8,1.8;4.sync,1.1;', 'guacamole'],
  ] as const)
    expect((await get((await recorded(text)).url)).body.type).toBe(type)
})

const partFile = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, gzipSync(text))
  return path
}
const joinedText = () => gunzipSync(readFileSync(join(folder, 'joined.gz'))).toString()
async function join2(parts: Parameters<typeof joinParts>[0]) {
  rmSync(join(folder, 'joined.gz'), { force: true })
  return joinParts(parts, join(folder, 'joined.gz'))
}

test('the parts of a session become one recording', async () => {
  const [one, two] = [second(1), say('size', 0, 8, 8) + second(60)]
  expect(await join2([{ path: partFile('a', one) }, { path: partFile('b', two) }])).toBe('guacamole')
  expect(joinedText()).toBe(one + two)
  // A part whose session broke ends with its last whole instruction, and the next one plays.
  const broken = [`${one}4.blob,1.1,8000.AAA`, `${one}4.syncX${'x'.repeat(70_000)}`, two]
  await join2(broken.map((text, n) => ({ path: partFile(`broken-${n}`, text) })))
  expect(joinedText()).toBe(one + one + two)

  const header = '{"version":2,"width":80,"height":24}\n'
  const cast = (...times: number[]) =>
    header + times.map((time) => `${JSON.stringify([time, 'o', `${time}`])}\n`).join('')
  const restarted = [
    { path: partFile('c', `${cast(0.5, 2)}[3,"o","cut o`), start: START },
    { path: partFile('d', cast(0.25)), start: START + 10_000 },
  ]
  expect(await join2(restarted)).toBe('asciicast')
  expect(joinedText()).toBe(`${header}[0.5,"o","0.5"]\n[2,"o","2"]\n[10.25,"o","0.25"]\n`)
  // Times that go on are those of the session.
  await join2([
    { path: partFile('e', cast(1)), start: START },
    { path: partFile('f', cast(12)), start: START + 10_000 },
  ])
  expect(joinedText()).toBe(`${header}[1,"o","1"]\n[12,"o","12"]\n`)

  for (const parts of [[], [partFile('g', cast(1)), partFile('h', second(1))], [partFile('i', 'dump')]])
    await expect(join2(parts.map((path) => ({ path })))).rejects.toThrow(UnjoinableParts)
})
