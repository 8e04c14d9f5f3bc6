import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { endLostSessions } from '../../domains/terminal/index.ts'
import { openTerminal } from '../../gateway/listeners/web/terminal-fixture.ts'
import { makeNodeKey, type NodeKey } from './certificate.ts'
import { sendOverLink } from './link-request.ts'
import type { Node } from './nodes.ts'
import { Peers, Unreachable } from './peers.ts'

let database: TestDatabase
let server: TestServer
let other: TestServer
let person: Caller

const newFolder = () => mkdtemp(join(tmpdir(), 'sallyport-node-'))
const stays = () => ({ ...database, drop: async () => {} })

beforeAll(async () => {
  database = await createTestDatabase()
  server = await openTestServer({}, database)
  // The same name, as by default on one machine.
  other = await openTestServer({}, stays())
  person = await server.aPerson('walker')
})
afterAll(async () => {
  await other?.close()
  await server?.close()
})

const endpointOf = async ({ kernel }: TestServer) => {
  const { rows } = await kernel.pool.query<Node>('SELECT * FROM kernel_node WHERE id = $1', [kernel.nodes.id])
  const [node] = rows
  if (!node?.port || !node.address || !node.certificate) throw new Error('the node does not listen')
  return { ...node, port: node.port, address: node.address, certificate: node.certificate }
}

/** A running web terminal of the person, on a node that the row describes. */
async function sessionAt(node: Partial<Node>): Promise<string> {
  const [nodeId, terminal] = [randomUUID(), randomUUID()]
  const { pool } = server.kernel
  await pool.query('INSERT INTO terminal_terminal (id, name) VALUES ($1, $2)', [terminal, nodeId])
  await pool.query(
    'INSERT INTO kernel_node (id, name, roles, terminal, address, port, certificate) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [nodeId, nodeId, ['gateway'], terminal, node.address, node.port, node.certificate],
  )
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO terminal_session (org_id, "user", asset, "system_user", user_id, login_from, terminal)
     VALUES ('00000000-0000-0000-0000-000000000002', 'walker', 'web-1(10.0.0.1)', 'root', $1, 'WT', $2) RETURNING id`,
    [person.id, terminal],
  )
  return rows[0]?.id ?? ''
}

/** Reads a connection until it is closed. */
const readAll = (socket: TLSSocket) =>
  new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (bytes) => (text += bytes))
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })

async function askAsPeer(key: NodeKey | undefined): Promise<string> {
  const { address, port, certificate } = await endpointOf(server)
  const socket = connect({
    host: address,
    port,
    ca: [certificate],
    checkServerIdentity: () => undefined,
    ...(key ? { key: key.privateKey, cert: key.certificate } : {}),
  })
  socket.write('GET /api/health/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return readAll(socket)
}

test('two nodes of one name stand apart: each has a row, a name and a terminal of its own', async () => {
  const [one, two] = [await endpointOf(server), await endpointOf(other)]
  expect(two.name).toBe(`${one.name}-2`)
  expect([one.terminal, two.terminal]).toEqual([expect.any(String), expect.any(String)])
  expect(one.terminal).not.toBe(two.terminal)
  const { rows } = await server.kernel.pool.query('SELECT name FROM terminal_terminal WHERE id = ANY($1)', [
    [one.terminal, two.terminal],
  ])
  expect(rows.map(({ name }) => name).sort()).toEqual([`[KoKo]-${one.name}`, `[KoKo]-${two.name}`])
})

test('a node that ends gives its name back, and keeps its identity with its data directory', async () => {
  const folder = await newFolder()
  const named = (more = {}) => openTestServer({ SALLYPORT_NODE_NAME: 'third', ...more }, stays())
  const third = await named({ SALLYPORT_DATA_DIR: folder })
  const second = await named()
  expect([third.kernel.nodes.name, second.kernel.nodes.name]).toEqual(['third', 'third-2'])
  const { id } = third.kernel.nodes
  await Promise.all([third.close(), second.close()])
  expect((await server.kernel.nodes.running()).map(({ name }) => name)).not.toContain('third')
  const again = await named({ SALLYPORT_DATA_DIR: folder })
  expect([again.kernel.nodes.name, again.kernel.nodes.id]).toEqual(['third', id])
  await again.close()
  await rm(folder, { recursive: true })
})

/** As nodes with a database of the site's own know it; which one, the test says. */
const SHARED = { DATABASE_URL: 'postgres://database/shared' }

test('a copy of a data directory is refused while its original runs, in plain words, and harms nothing', async () => {
  const [original, copy] = [await newFolder(), await newFolder()]
  const open = (SALLYPORT_DATA_DIR: string) =>
    openTestServer({ ...SHARED, SALLYPORT_NODE_NAME: 'original', SALLYPORT_DATA_DIR }, stays())
  const first = await open(original)
  const row = await endpointOf(first)
  await cp(original, copy, { recursive: true })
  const words = `The node of the data directory ${copy} already runs: original, which answers at ${row.address}:${row.port}`
  await expect(open(copy)).rejects.toThrow(words)
  expect(await endpointOf(first)).toMatchObject({ port: row.port, certificate: row.certificate, is_running: true })
  // The row of a process that was killed looks the same: it does not answer.
  await first.close()
  await server.kernel.pool.query('UPDATE kernel_node SET is_running = true, date_seen = now() WHERE id = $1', [row.id])
  const again = await open(copy)
  expect(again.kernel.nodes.id).toBe(row.id)
  await again.close()
  await Promise.all([original, copy].map((folder) => rm(folder, { recursive: true })))
})

test('a node that is cut off from the database keeps its name, and its sessions; one that is lost does not', async () => {
  const cut = await openTestServer({ SALLYPORT_NODE_NAME: 'cut' }, stays())
  const { id, terminal } = await endpointOf(cut)
  const { pool } = server.kernel
  const session = async () => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO terminal_session (org_id, "user", asset, "system_user", terminal, date_last_active)
       VALUES ('00000000-0000-0000-0000-000000000002', 'u', 'a', 's', $1, now() - interval '10 minutes') RETURNING id`,
      [terminal],
    )
    return rows[0]?.id ?? ''
  }
  const fallsSilent = () => pool.query("UPDATE kernel_node SET date_seen = now() - interval '31 s' WHERE id = $1", [id])
  const carried = await session()
  await fallsSilent()
  expect(await endLostSessions(server.kernel)).not.toContain(carried)
  await fallsSilent()
  const namesake = await openTestServer({ SALLYPORT_NODE_NAME: 'cut' }, stays())
  expect(namesake.kernel.nodes.name).toBe('cut-2')
  await Promise.all([cut.close(), namesake.close()])
  await pool.query('UPDATE kernel_node SET is_running = true WHERE id = $1', [id])
  await fallsSilent()
  const left = await session()
  // The node's own round may have been there first.
  await endLostSessions(server.kernel)
  const { rows } = await pool.query(
    'SELECT is_finished, date_end = date_last_active AS at_last_sign FROM terminal_session WHERE id = $1',
    [left],
  )
  expect(rows).toEqual([{ is_finished: true, at_last_sign: true }])
})

test('at the port of the link nobody is answered without the certificate of a node', async () => {
  const stranger = makeNodeKey()
  expect(await askAsPeer(undefined)).toBe('')
  expect(await askAsPeer(stranger)).toBe('')
  const { address, port } = await endpointOf(server)
  const plain = connectPlain({ host: address, port })
  plain.end('GET /api/health/ HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await readAll(plain as unknown as TLSSocket)).not.toContain('HTTP/1.1')
  // Only the row makes the difference.
  await server.kernel.pool.query('INSERT INTO kernel_node (id, name, roles, certificate) VALUES ($1, $2, $3, $4)', [
    randomUUID(),
    'known',
    ['api'],
    stranger.certificate,
  ])
  expect(await askAsPeer(stranger)).toContain('HTTP/1.1 200 OK')
})

test('a node shows the certificate of its row, or nothing is passed on to it', async () => {
  const impostor = makeNodeKey()
  const reached: string[] = []
  const listener = createServer({ key: impostor.privateKey, cert: impostor.certificate }, () => reached.push('in'))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  const id = await sessionAt({ address: '127.0.0.1', port, certificate: makeNodeKey().certificate })
  const answer = await server.call('DELETE', `/koko/sessions/${id}/`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect([answer.status, reached]).toEqual([502, []])
  listener.close()
})

test('a request that was passed on is answered where it arrived, and never passed on again', async () => {
  // As if the table said that another node is at this one's own address.
  const id = await sessionAt(await endpointOf(server))
  const answer = await server.call('DELETE', `/koko/sessions/${id}/`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect(answer.status).toBe(404)
})

test('clients learn at each door that a node can’t be reached, and its sessions are not lost', async () => {
  const id = await sessionAt({ address: '127.0.0.1', port: 1, certificate: makeNodeKey().certificate })
  const words = 'The server that carries this session cannot be reached'
  const headers = { authorization: `Bearer ${person.token}` }
  const answer = await server.call('DELETE', `/koko/sessions/${id}/`, { headers })
  expect([answer.status, answer.body]).toEqual([502, { code: 'node_unreachable', detail: words }])
  const watching = await openTerminal(server.url, server.admin, { type: 'shareroom', target: id, systemUser: '' })
  await watching.closed
  expect(watching.errors).toEqual([words])
  const resuming = await openTerminal(server.url, person, { type: 'resume', target: id, systemUser: '', client: 'a' })
  await resuming.closed
  expect(resuming.errors).toEqual([words])
  const { body } = await server.call('GET', '/koko/sessions/', { headers })
  expect(body).toContainEqual(expect.objectContaining({ id, is_waiting: true, asset: 'web-1(10.0.0.1)' }))
})

test('a request that is passed on to a silent node is broken off', async () => {
  const key = makeNodeKey()
  // Takes every request and says nothing more, as a machine that was cut off.
  const silent = createServer({ key: key.privateKey, cert: key.certificate }, (socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const peers = new Peers(makeNodeKey(), Fastify().log, 100)
  const peer = peers.get({ name: 'silent', address: '127.0.0.1', port, certificate: key.certificate } as Node)
  const { signal } = new AbortController()
  const passing = sendOverLink(peer, { method: 'GET', path: '/', headers: ['Host', 'x'], signal })
  await expect(passing).rejects.toMatchObject({ status: 502, cause: expect.any(Unreachable) })
  peers.close()
  silent.close()
})
