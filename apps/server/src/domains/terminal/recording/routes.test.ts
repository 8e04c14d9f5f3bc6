import { randomUUID } from 'node:crypto'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ReplayIndex } from '@sallyport/contract/replay.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  admin,
  as,
  auditor,
  BOB,
  bob,
  component,
  type DomainServer,
  openDomainServer,
  otherAdmin,
} from '../../../../test/domain-server.ts'
import { appendCommands } from '../commands/index.ts'
import { createSession, finishSession, patchSession } from '../index.ts'
import { markReplay, packInThread, replayPath } from './index.ts'

const DEFAULT = '00000000-0000-0000-0000-000000000002'
const SESSIONS = '/api/v1/terminal/sessions/'
const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1700000000}\n'
const LONG = `${HEADER}${Array.from({ length: 3000 }, (_, n) => `${JSON.stringify([n, 'o', `line ${n} ${'x'.repeat(200)}\r\n`])}\n`).join('')}`
let server: DomainServer

beforeAll(async () => {
  server = await openDomainServer()
})
afterAll(() => server?.close())

async function aSession(protocol = 'ssh'): Promise<{ id: string; date_start: Date }> {
  const who = {
    user: 'Bob(bob)',
    asset: 'web-1(10.0.0.1)',
    system_user: 'root(root)',
    user_id: BOB,
    asset_id: randomUUID(),
  }
  const id = await createSession(server.db, {
    ...who,
    org_id: DEFAULT,
    system_user_id: randomUUID(),
    login_from: 'WT',
    remote_addr: '192.0.2.7',
    protocol,
  })
  await patchSession(server.db, id, { has_replay: true })
  await finishSession(server.db, id)
  const { date_start } = (await server.pool.query('SELECT date_start FROM terminal_session WHERE id = $1', [id]))
    .rows[0]
  return { id, date_start }
}

/**
 * A session recorded as gateways do it today; answers its id, the address of its replay and the
 * packed file.
 */
async function recorded(recording = LONG): Promise<{ id: string; url: string; path: string }> {
  const session = await aSession()
  const path = await replayPath(server.kernel, session)
  const source = path.replace(/\.gz$/, '')
  await writeFile(source, recording)
  await packInThread({ source, isPacked: false, target: path, suffix: '.part' })
  await rm(source)
  await markReplay(server.kernel, session.id)
  return { id: session.id, url: `${SESSIONS}${session.id}/replay/`, path }
}

/** The index, asked for again as the player does while it is being made (202), which takes a busy machine longer. */
async function indexAt(url: string, who: Parameters<DomainServer['call']>[3]) {
  for (;;) {
    const answer = await server.call('GET', `${url}index/`, undefined, who)
    if (answer.status !== 202) return answer
  }
}

test('a recording opens with its index and plays by the piece, each with the screen before it', async () => {
  const { call } = server
  const { url } = await recorded()
  const index = (await indexAt(url, auditor)).body as ReplayIndex
  expect(index).toMatchObject({ start: 1_700_000_000, duration: 2999, cols: 80, rows: 24, bytes: LONG.length })
  expect(Object.keys(index.parts[0] ?? {})).toEqual(['time', 'cols', 'rows'])
  let text = ''
  for (const [n] of index.parts.entries()) {
    const part = await call('GET', `${url}part/${n}/`, undefined, auditor)
    expect(part.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'private, no-store' })
    text += gunzipSync(part.raw)
  }
  expect(text).toBe(LONG)
  const screen = gunzipSync((await call('GET', `${url}screen/1/`, undefined, auditor)).raw).toString()
  expect(screen).toContain(`line ${(index.parts[1]?.time ?? 0) - 1} `)
  expect((await call('GET', `${url}integrity/`, undefined, auditor)).body).toEqual({ intact: true })
})

test('every part of a recording is for those who may see its session only', async () => {
  const { call } = server
  const { url } = await recorded()
  for (const path of ['index/', 'part/0/', 'screen/0/', 'integrity/', 'search/?q=line']) {
    const answers = []
    for (const who of [auditor, component, otherAdmin, bob, {}])
      answers.push((await call('GET', `${url}${path}`, undefined, who)).status)
    expect([path, ...answers]).toEqual([path, 200, 200, 404, 403, 401])
  }
})

test('a person who reads a recording by the piece is in the operate log, once for as long as they read', async () => {
  const { call } = server
  const { id, url } = await recorded()
  const taken = async () => (await call('GET', `/api/v1/audits/operate-logs/?object_id=${id}`, undefined, admin)).body
  expect((await call('GET', `${url}part/999/`, undefined, auditor)).status).toBe(404)
  expect(await taken()).toEqual([])
  await Promise.all(['part/0/', 'part/1/', 'screen/1/'].map((piece) => call('GET', url + piece, undefined, auditor)))
  await call('GET', `${url}part/1/`, undefined, auditor)
  expect(await taken()).toMatchObject([{ action: 'download', resource_type: 'Replay', user: 'Ann(ann)' }])
  await call('GET', `${url}screen/1/`, undefined, as({ orgRoles: ['Auditor'], user: BOB }))
  expect(await taken()).toHaveLength(2)
  const hourLater = performance.now() + 3_600_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => hourLater)
  try {
    await call('GET', `${url}part/0/`, undefined, auditor)
  } finally {
    clock.mockRestore()
  }
  expect(await taken()).toHaveLength(3)
})

test('an address that is no piece is not found, and nothing but a number is one', async () => {
  const { url } = await recorded()
  for (const n of ['999', '-1', '1e3', '..%2f..%2fx', '00000000000000', 'x'])
    expect([n, (await server.call('GET', `${url}part/${n}/`, undefined, auditor)).status]).toEqual([n, 404])
  expect((await server.call('GET', `${SESSIONS}${randomUUID()}/replay/index/`, undefined, auditor)).status).toBe(404)
})

test('a recording without an index gets one when it is first asked for; the file keeps what it says', async () => {
  const { kernel } = server
  const session = await aSession()
  const path = await replayPath(kernel, session)
  await writeFile(path, gzipSync(LONG))
  const url = `${SESSIONS}${session.id}/replay/`
  const answers = await Promise.all([1, 2, 3].map(() => indexAt(url, auditor)))
  for (const { status, body } of answers) expect([status, body.duration]).toEqual([200, 2999])
  expect(gunzipSync(await readFile(path)).toString()).toBe(LONG)
  expect((await readdir(dirname(path))).filter((name) => name.startsWith(session.id)).sort()).toEqual(
    ['cast.gz', 'index.json', 'screens.gz'].map((ending) => `${session.id}.${ending}`),
  )
})

test('what cannot be read in pieces says so, and is still there as a whole', async () => {
  const { call, kernel } = server
  const session = await aSession()
  const path = await replayPath(kernel, session)
  const damaged = gzipSync(LONG).subarray(0, 2000)
  await writeFile(path, damaged)
  const url = `${SESSIONS}${session.id}/replay/`
  for (let time = 0; time < 2; time++)
    expect(await indexAt(url, auditor)).toMatchObject({ status: 200, body: { status: 'unavailable' } })
  // Nobody knows what it said: nothing tells that it was altered.
  expect((await call('GET', `${url}integrity/`, undefined, auditor)).body).toEqual({ intact: true })
  expect(await call('GET', `${url}part/0/`, undefined, auditor)).toMatchObject({
    status: 409,
    body: { code: 'replay_not_indexed' },
  })
  expect(await readFile(path)).toEqual(damaged)
  expect((await call('GET', (await call('GET', url, undefined, auditor)).body.src, undefined, auditor)).raw).toEqual(
    damaged,
  )

  const graphical = await aSession('vnc')
  for (const [one, type] of [
    [graphical, 'guacamole'],
    [await aSession('rdp'), 'guacamole'],
    [await aSession('ssh'), 'json'],
  ] as const) {
    await writeFile(await replayPath(kernel, one, '.replay.gz'), gzipSync('dump'))
    expect((await call('GET', `${SESSIONS}${one.id}/replay/`, undefined, auditor)).body.type).toBe(type)
  }
  expect((await indexAt(`${SESSIONS}${graphical.id}/replay/`, auditor)).body).toEqual({
    status: 'unavailable',
  })
  expect((await call('GET', `${SESSIONS}${graphical.id}/replay/search/?q=dump`, undefined, auditor)).status).toBe(400)
  const cast = await call('GET', `${SESSIONS}${graphical.id}/replay/download/?format=cast`, undefined, auditor)
  expect(cast).toMatchObject({ status: 400, body: { code: 'replay_format' } })
})

test('a file that was altered or cut says so instead of playing something else', async () => {
  const { call } = server
  const { url, path } = await recorded()
  const bytes = await readFile(path)
  await writeFile(path, bytes.subarray(0, -3000))
  expect((await call('GET', `${url}integrity/`, undefined, auditor)).body).toEqual({ intact: false })
  const { parts } = (await indexAt(url, auditor)).body as ReplayIndex
  const last = await call('GET', `${url}part/${parts.length - 1}/`, undefined, auditor)
  expect(last).toMatchObject({
    status: 409,
    body: { code: 'replay_altered', detail: 'The recording is incomplete or was altered.' },
  })
})

test('a change of a recording is detected even if its index is removed', async () => {
  const { call } = server
  const { url, path } = await recorded()
  const forge = async (content: Buffer) => {
    await writeFile(path, content)
    for (const beside of ['index.json', 'screens.gz']) await rm(path.replace('cast.gz', beside), { force: true })
  }
  const intact = async () => (await call('GET', `${url}integrity/`, undefined, auditor)).body.intact
  await forge(gzipSync(LONG.replace('line 77 ', 'line 78 ')))
  expect((await indexAt(url, auditor)).status).toBe(200)
  expect(await intact()).toBe(false)
  expect(await call('GET', `${url}download/?format=html`, undefined, auditor)).toMatchObject({
    status: 409,
    body: { code: 'replay_altered' },
  })
  await forge(gzipSync(LONG))
  expect(await intact()).toBe(true)
  await forge(gzipSync(LONG).subarray(0, 500))
  expect(await intact()).toBe(false)
})

test('a recording that came without an index is known by what it said when it was first looked at', async () => {
  const { call, kernel } = server
  const session = await aSession()
  const path = await replayPath(kernel, session)
  const url = `${SESSIONS}${session.id}/replay/`
  await writeFile(path, gzipSync(LONG))
  expect((await indexAt(url, auditor)).status).toBe(200)
  await writeFile(path, gzipSync(`${LONG}[3000,"o","more"]\n`))
  await rm(path.replace('cast.gz', 'index.json'))
  expect((await call('GET', `${url}integrity/`, undefined, auditor)).body).toEqual({ intact: false })
})

test('a text is found with its second; what is no question is refused', async () => {
  const { call } = server
  const { url } = await recorded()
  const find = (query: string) => call('GET', `${url}search/${query}`, undefined, auditor)
  const { hits, more } = (await find(`?q=${encodeURIComponent('LINE 2500')}`)).body
  expect([hits.length, more]).toEqual([1, false])
  expect(hits[0]).toMatchObject({ time: 2500, from: 0, to: 9 })
  expect((await find('?q=line')).body).toMatchObject({ more: true })
  expect((await find('?q=nowhere')).body).toEqual({ hits: [], more: false })
  for (const bad of ['', '?q=', '?q=x', '?q=%20%20%20', `?q=${'x'.repeat(101)}`, '?q=a&q=b'])
    expect([bad, (await find(bad)).status]).toEqual([bad, 400])
})

test('a text is found in all recordings of the organization, the latest first, and in no other’s', async () => {
  const { call } = server
  const saying = (what: string) => `${HEADER}[3,"o","somebody said ${what} here"]\n`
  const first = await recorded(saying('quicksilver'))
  const second = await recorded(saying('QUICKSILVER quicksilver quicksilver quicksilver'))
  await recorded(saying('nothing'))
  const find = async (query: string, who = auditor) => call('GET', `${SESSIONS}replay-search/?${query}`, undefined, who)
  const { body } = await find('q=quicksilver')
  expect(
    body.results.map(({ id, hits, more }: { id: string; hits: unknown[]; more: boolean }) => [id, hits.length, more]),
  ).toEqual([
    [second.id, 3, true],
    [first.id, 1, false],
  ])
  expect(body.results[1]).toMatchObject({
    user: 'Bob(bob)',
    hits: [{ time: 3, text: 'somebody said quicksilver here', from: 14, to: 25 }],
  })
  expect(body.next).toBeNull()
  expect(body.searched).toBeGreaterThanOrEqual(3)
  const later = (await find(`q=quicksilver&after=${second.id}`)).body
  expect(later.results.map(({ id }: { id: string }) => id)).toEqual([first.id])
  expect((await find(`q=quicksilver&date_from=${encodeURIComponent('2999/01/01 00:00:00')}`)).body).toEqual({
    results: [],
    searched: 0,
    unread: 0,
    next: null,
  })
  expect((await find('q=quicksilver', otherAdmin)).body.results).toEqual([])
  // A damaged recording is searched as far as possible, and not reported as read.
  await truncate(first.path, 60)
  const damaged = (await find(`q=quicksilver&after=${second.id}`)).body
  expect(damaged.unread).toBe(later.unread + 1)
  expect(damaged.searched).toBe(later.searched - 1)
  for (const bad of ['', 'q=x', 'q=quicksilver&after=nonsense'])
    expect([bad, (await find(bad)).status]).toEqual([bad, 400])
  for (const who of [bob, component]) expect((await find('q=quicksilver', who)).status).toBe(403)
})

/** Only a session of its own terminal is a component's to write. */
async function carriedByComponent(id: string): Promise<void> {
  await server.pool.query(
    `WITH own AS (INSERT INTO terminal_terminal (name, type, user_id, is_accepted) VALUES ($1, 'xrdp', $2, true)
       ON CONFLICT (user_id) DO UPDATE SET name = excluded.name RETURNING id)
     UPDATE terminal_session SET terminal = own.id FROM own WHERE terminal_session.id = $3`,
    [`of ${id}`, component['x-test-user'], id],
  )
}

test('a gateway that sends another recording of a session is refused; the first stays as it is', async () => {
  const { call } = server
  const { url, id } = await recorded()
  const before = await indexAt(url, admin)
  await carriedByComponent(id)
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.gz"\r\n\r\n'),
    gzipSync(`${HEADER}[7,"o","again"]\n`),
    Buffer.from('\r\n--x\r\nContent-Disposition: form-data; name="version"\r\n\r\n3\r\n--x--\r\n'),
  ])
  const send = () => call('POST', url, body, { ...component, 'content-type': 'multipart/form-data; boundary=x' })
  expect(await send()).toMatchObject({ status: 403, body: { detail: 'The recording of this session is sealed' } })
  expect((await indexAt(url, admin)).body).toEqual(before.body)
  expect((await call('GET', `${url}integrity/`, undefined, admin)).body).toEqual({ intact: true })
})

test('one of two recordings of a session that are sent at once is taken', async () => {
  const { call, pool } = server
  const session = await aSession()
  await pool.query('UPDATE terminal_session SET has_replay = false WHERE id = $1', [session.id])
  await carriedByComponent(session.id)
  const url = `${SESSIONS}${session.id}/replay/`
  const send = (word: string) => {
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="version"\r\n\r\n3\r\n'),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.gz"\r\n\r\n'),
      gzipSync(`${HEADER}[7,"o","${word}"]\n`),
      Buffer.from('\r\n--x--\r\n'),
    ])
    return call('POST', url, body, { ...component, 'content-type': 'multipart/form-data; boundary=x' })
  }
  const answers = await Promise.all(['one', 'two', 'three'].map(send))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403])
  const taken = ['one', 'two', 'three'][answers.findIndex(({ status }) => status === 201)] ?? ''
  expect((await call('GET', `${url}download/?format=cast`, undefined, auditor)).raw.toString()).toContain(taken)
})

test('a recording is downloaded as text for asciinema, or as a page; other forms are refused', async () => {
  const { call } = server
  const { url, id, path } = await recorded()
  const download = (format: string, who = auditor) => call('GET', `${url}download/?format=${format}`, undefined, who)
  const cast = await download('cast')
  expect(cast.headers).toMatchObject({
    'content-type': 'application/x-asciicast',
    'content-disposition': `attachment; filename*=UTF-8''${id}.cast`,
  })
  expect(cast.raw.toString()).toBe(LONG)
  expect((await download('tar')).headers['content-disposition']).toContain('.tar')
  for (const bad of ['', 'exe', 'cast&format=html'])
    expect(await download(bad)).toMatchObject({ status: 400, body: { format: ['Must be tar, cast, html or txt.'] } })
  for (const format of ['cast', 'html']) {
    expect((await download(format, otherAdmin)).status).toBe(404)
    expect((await download(format, bob)).status).toBe(403)
  }
  // A page of this size would be slow to open; nothing of it is read.
  await truncate(path, 33 * 1024 * 1024)
  expect(await download('html')).toMatchObject({ status: 400, body: { code: 'replay_too_large' } })
})

test('the exported page says who did what, where and when, and names the recording’s fingerprint', async () => {
  const { call } = server
  const { url, id } = await recorded()
  await appendCommands(server.db, [
    {
      org_id: DEFAULT,
      user: 'Bob(bob)',
      asset: 'web-1',
      system_user: 'root',
      session: id,
      timestamp: 1_700_000_060,
      input: 'rm -rf /',
      output: '',
      risk_level: 5,
    },
  ])
  const page = await call('GET', `${url}download/?format=html`, undefined, auditor)
  const { sha256 } = (await indexAt(url, auditor)).body as ReplayIndex
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  const facts = JSON.parse(/id="facts">([^<]+)</.exec(page.raw.toString())?.[1] ?? '')
  expect(facts).toMatchObject({ language: 'en', commands: [{ time: 60, input: 'rm -rf /', risk_level: 5 }] })
  expect(Object.fromEntries(facts.who)).toMatchObject({
    User: 'Bob (bob)',
    Asset: 'web-1 (10.0.0.1)',
    Address: '192.0.2.7',
    'Exported by': expect.stringContaining('Ann (ann)'),
    'SHA-256': sha256,
  })
})
