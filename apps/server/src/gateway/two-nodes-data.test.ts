/** Files, recordings and whole requests that another node answers. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { type Caller, openTestServer, type TestServer } from '../../test/server.ts'
import { forgetOldSessions } from '../domains/terminal/retention.ts'
import { openTerminal } from './listeners/web/terminal-fixture.ts'
import { openTwoNodes, type TwoNodes } from './two-nodes-fixture.ts'

let nodes: TwoNodes
/** Files of the machine, and their place in the tree. */
let box: string
let top: string

beforeAll(async () => {
  nodes = await openTwoNodes({ SALLYPORT_HTTP_STALL_SECONDS: '1' })
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  const { target } = await nodes.target(
    { port: nodes.sshd.port },
    { username: nodes.sshd.username, private_key: nodes.sshd.privateKey, sftp_root: box },
  )
  top = `/@${target}`
})
afterAll(async () => {
  await nodes?.close()
  rmSync(box, { recursive: true, force: true })
})

const q = encodeURIComponent
const urls = () => [nodes.server.url, nodes.other.url]
const headersOf = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}`, cookie: 'django_language=en' })
const get = (url: string, path: string, caller = nodes.server.admin) =>
  fetch(url + path, { headers: headersOf(caller) })
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
const read = async (answer: Response | Promise<Response>): Promise<any> => (await answer).json()
const putPart = (url: string, name: string, bytes: Buffer, query: string) =>
  fetch(`${url}/koko/files/content/?path=${q(`${top}/${name}`)}${query}`, {
    method: 'PUT',
    headers: { ...headersOf(nodes.person), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })

test('an upload whose parts come to one node and the other in turn is one file, one row of the log, and comes back whole', async () => {
  const parts = Array.from({ length: 6 }, (_, n) => randomBytes(300_000 + n))
  let offset = 0
  for (const [n, bytes] of parts.entries()) {
    const more = n < parts.length - 1 ? '&more=1' : ''
    const answer = await putPart(urls()[n % 2] ?? '', 'turns.bin', bytes, `&offset=${offset}${more}`)
    expect(answer.status).toBe(204)
    offset += bytes.length
  }
  const whole = Buffer.concat(parts)
  expect(readFileSync(join(box, 'turns.bin')).equals(whole)).toBe(true)
  const sum = createHash('sha256').update(whole).digest('hex')
  for (const url of urls()) {
    const answer = await fetch(`${url}/koko/files/content/?path=${q(`${top}/turns.bin`)}`, {
      headers: { ...headersOf(nodes.person), 'accept-encoding': 'identity' },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([answer.headers.get('content-length'), createHash('sha256').update(bytes).digest('hex')]).toEqual([
      String(whole.length),
      sum,
    ])
  }
  const { body } = await nodes.server.admin.get('/api/v1/audits/ftp-logs/?limit=100')
  const rows = body.results.filter(({ filename }: { filename: string }) => filename.endsWith('turns.bin'))
  const uploads = rows.filter(({ operate }: { operate: string }) => /upload/i.test(operate))
  expect([uploads.length, uploads[0]?.is_success]).toEqual([1, true])
})

test('all messages of one credential are answered by one node, which has the statements of its agents', async () => {
  await nodes.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: 'everybody' })
  const working = [nodes.server, nodes.other].map(({ kernel }) => vi.spyOn(kernel, 'callerNow'))
  const params = { name: 'find_targets', arguments: {} }
  const use = (url: string) =>
    fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: {
        ...headersOf(nodes.person),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
  // The setting reaches the other node a moment later.
  await expect.poll(async () => (await use(urls()[1] ?? '')).status).toBe(200)
  for (const one of working) one.mockClear()
  for (const url of urls())
    expect(await read(use(url))).toMatchObject({ result: { structuredContent: { is_data: true } } })
  expect(working.map(({ mock }) => mock.calls.length).sort()).toEqual([0, 2])
})

/** An upload whose body is sent piece by piece; settles with all that was answered. */
function sending(url: string, name: string) {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port) })
  const headers = { ...headersOf(nodes.person), host: 'sallyport', 'content-type': 'application/octet-stream' }
  const lines = Object.entries({ ...headers, 'transfer-encoding': 'chunked', connection: 'close' })
  const head = [`PUT /koko/files/content/?path=${q(`${top}/${name}`)} HTTP/1.1`]
  socket.write([...head, ...lines.map(([key, value]) => `${key}: ${value}`), '', ''].join('\r\n'))
  return { socket, answered: text(socket) }
}

test('an upload at either node goes on for as long as something comes; one that stops gets an error, and holds no other', async () => {
  const [piece, size] = ['x'.repeat(2000), (2000).toString(16)]
  const slow = urls().map((url, n) => sending(url, `slow-${n}.bin`))
  let pieces = 0
  const going = setInterval(() => {
    pieces++
    for (const { socket } of slow) socket.write(`${size}\r\n${piece}\r\n`)
  }, 50)
  // One after the other, so that those have gone on for longer than one may say nothing.
  for (const [n, url] of [...urls(), ...urls()].entries()) {
    const { socket, answered } = sending(url, `stopped-${n}.bin`)
    socket.write('5\r\nbegun\r\n')
    expect(await answered).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s)
  }
  clearInterval(going)
  for (const { socket } of slow) socket.write('0\r\n\r\n')
  for (const [n, { answered }] of slow.entries()) {
    expect(await answered).toContain('204 No Content')
    expect(readFileSync(join(box, `slow-${n}.bin`), 'latin1')).toBe(piece.repeat(pieces))
  }
})

test('a browser that goes away in the middle of a download ends it on the node that reads the file', async () => {
  writeFileSync(join(box, 'large.bin'), Buffer.alloc(200_000_000))
  for (const url of urls()) {
    const leaving = new AbortController()
    const address = `${url}/koko/files/content/?path=${q(`${top}/large.bin`)}`
    const answer = await fetch(address, { headers: headersOf(nodes.person), signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
  }
  const broken = async () => {
    const { body } = await nodes.server.admin.get('/api/v1/audits/ftp-logs/?limit=100')
    return body.results.filter(
      (row: { filename: string; is_success: boolean }) => row.filename.endsWith('large.bin') && !row.is_success,
    ).length
  }
  await expect.poll(broken).toBe(2)
})

/** A finished session with a recording on the disk of that node alone. */
async function recordedAt(server: TestServer, words: string): Promise<string> {
  const terminal = await openTerminal(server.url, nodes.person, {
    type: 'ssh',
    target: nodes.asset,
    systemUser: nodes.systemUser,
  })
  await terminal.see(/[#$] /)
  terminal.type(`echo ${words}\r`)
  await terminal.see(`${words}\r\n`)
  terminal.say('CLOSE')
  await terminal.closed
  const id = terminal.session?.id ?? ''
  const isKept = async () => (await nodes.server.admin.get(`/api/v1/terminal/sessions/${id}/`)).body.has_replay
  await expect.poll(isKept).toBe(true)
  return id
}

test('a recording on the disk of one node is played, searched and downloaded at the other', async () => {
  const id = await recordedAt(nodes.server, 'green-elephant')
  const base = `/api/v1/terminal/sessions/${id}/replay/`
  const described = await read(get(nodes.other.url, base))
  expect(described).toMatchObject({ type: 'asciicast', src: expect.stringContaining(`${id}.cast.gz`) })
  expect((await get(nodes.other.url, described.src)).status).toBe(200)
  const index = await read(get(nodes.other.url, `${base}index/`))
  expect(index.sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(await (await get(nodes.other.url, `${base}part/0/`)).text()).toContain('green-elephant')
  expect((await get(nodes.other.url, `${base}screen/0/`)).status).toBe(200)
  expect(await read(get(nodes.other.url, `${base}integrity/`))).toEqual({ intact: true })
  const found = await read(get(nodes.other.url, `${base}search/?q=green-elephant`))
  expect(found.hits.length).toBeGreaterThan(0)
  const cast = Buffer.from(await (await get(nodes.other.url, `${base}download/?format=cast`)).arrayBuffer())
  expect(createHash('sha256').update(cast).digest('hex')).toBe(index.sha256)
  expect((await get(nodes.other.url, base, nodes.person)).status).toBe(403)
})

test('a search of all recordings reads those of every node, and counts apart what it could not read', async () => {
  const ids = [await recordedAt(nodes.server, 'blue-whale-1'), await recordedAt(nodes.other, 'blue-whale-2')]
  const search = (url: string) => read(get(url, '/api/v1/terminal/sessions/replay-search/?q=blue-whale-'))
  const { pool } = nodes.server.kernel
  const recorded = async () =>
    Number((await pool.query('SELECT count(*) FROM terminal_session WHERE has_replay')).rows[0].count)
  for (const url of urls()) {
    const { results, searched, unread, next } = await search(url)
    expect(results.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    expect([searched, unread, next]).toEqual([await recorded(), 0, null])
  }
  // One that lies with a node that can't be reached, and one that was removed.
  const [gone, terminal] = [randomUUID(), randomUUID()]
  await pool.query('INSERT INTO terminal_terminal (id, name) VALUES ($1, $2)', [terminal, 'gone'])
  await pool.query(
    'INSERT INTO kernel_node (id, name, roles, terminal, address, port, certificate) SELECT $1, $2, roles, $3, address, 1, certificate FROM kernel_node LIMIT 1',
    [gone, 'gone', terminal],
  )
  await pool.query(
    `INSERT INTO terminal_session (org_id, "user", asset, "system_user", is_finished, has_replay, terminal)
     SELECT org_id, 'u', 'a', 's', true, true, one FROM terminal_session, unnest(ARRAY[$1::uuid, NULL]) one WHERE id = $2`,
    [terminal, ids[0]],
  )
  for (const url of urls()) {
    const { results, searched, unread } = await search(url)
    expect([results.length, searched, unread]).toEqual([2, (await recorded()) - 2, 2])
  }
  const { rows } = await pool.query('SELECT id FROM terminal_session WHERE terminal = $1', [terminal])
  const answer = await get(nodes.other.url, `/api/v1/terminal/sessions/${rows[0].id}/replay/`)
  expect([answer.status, await answer.json()]).toEqual([
    502,
    { code: 'node_unreachable', detail: 'The server that carries this session cannot be reached' },
  ])
  // Nobody else can send the messages of nodes to each other.
  const forged = await fetch(`${nodes.other.url}/api/v1/terminal/sessions/replay-search/?q=blue-whale-`, {
    headers: { ...headersOf(nodes.server.admin), 'x-sallyport-sessions': ids.join(',') },
  })
  expect((await read(forged)).results).toHaveLength(2)
})

test('old recordings are removed by the node on whose disk they lie', async () => {
  const ids = [await recordedAt(nodes.server, 'old-1'), await recordedAt(nodes.other, 'old-2')]
  const filesOf = ({ kernel }: TestServer) =>
    readdirSync(join(kernel.config.dataDirectory, 'replay'), { recursive: true, encoding: 'utf8' })
  const has = (server: TestServer, n: number) => filesOf(server).some((name) => name.includes(ids[n] ?? '-'))
  expect([has(nodes.server, 0), has(nodes.other, 1)]).toEqual([true, true])
  // As if two days had passed.
  await forgetOldSessions(nodes.server.kernel, -2)
  await expect.poll(() => [has(nodes.server, 0), has(nodes.other, 1)]).toEqual([false, false])
})

test('a node that carries no sessions opens terminals, lists them and shows files on those that do, also when one of them is lost', async () => {
  const api = await openTestServer(
    { SALLYPORT_NODE_NAME: 'api', SALLYPORT_ROLES: 'api' },
    {
      connection: nodes.connection,
      drop: async () => {},
    },
  )
  const terminal = await openTerminal(api.url, nodes.person, {
    type: 'ssh',
    target: nodes.asset,
    systemUser: nodes.systemUser,
    client: 'page-1',
  })
  await terminal.see(/[#$] /)
  const watcher = await openTerminal(api.url, nodes.server.admin, {
    type: 'shareroom',
    target: terminal.session?.id ?? '',
    systemUser: '',
  })
  await watcher.see(/[#$] /)
  terminal.type('echo $((6*7))-seen\r')
  await watcher.see('42-seen')
  const mine = await read(get(api.url, '/koko/sessions/', nodes.person))
  expect(mine).toMatchObject([{ id: terminal.session?.id }])
  const listed = await get(api.url, `/koko/files/?path=${q(top)}`, nodes.person)
  expect((await read(listed)).is_machine).toBe(true)
  expect((await fetch(`${api.url}/koko/files/?path=/`)).status).toBe(401)
  await nodes.server.admin.patch('/api/v1/settings/setting/?category=security', { SECURITY_AGENTS: 'everybody' })
  for (const { url } of [api, nodes.server, nodes.other]) {
    const tools = await toolsOf(url, nodes.person)
    expect(JSON.stringify(await tools.json())).toContain('run_command')
  }
  terminal.say('CLOSE')
  await terminal.closed
  await api.close()
})

const toolsOf = (url: string, { token }: Caller) =>
  fetch(`${url}/api/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

test('without any node that carries sessions the others say so', async () => {
  const database = await createTestDatabase()
  const api = await openTestServer({ SALLYPORT_ROLES: 'api' }, database)
  const answer = await get(api.url, '/koko/files/?path=/', api.admin)
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { code: 'no_gateway', detail: 'No server that carries sessions is running' },
  ])
  expect((await toolsOf(api.url, api.admin)).status).toBe(503)
  await api.close()
})
