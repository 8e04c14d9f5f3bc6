import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import type { Person } from '../session/person.ts'
import type { AssetFiles } from './asset-files.ts'
import { FileConnections } from './file-connections.ts'
import { OPEN } from './sftp/sftp-wire.ts'
import { readingStream, writingStream } from './transfer-streams.ts'

let fixture: TerminalFixture
let box: string
let connections: FileConnections
let files: AssetFiles
let place: { target: string; systemUser: string }

beforeAll(async () => {
  fixture = await openTerminalFixture()
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  const { port, username, privateKey } = fixture.sshd
  place = await fixture.target({ port }, { username, private_key: privateKey, sftp_root: box })
  const person: Person = {
    id: fixture.person.id,
    name: 'w',
    username: 'walker',
    language: 'en',
    remoteAddress: '::1',
    loginFrom: 'WT',
  }
  connections = new FileConnections(fixture.server.kernel, { person, view: 'folder', showHidden: false })
  files = await connections.to(place.target, place.systemUser)
  expect(await connections.to(place.target, place.systemUser)).toBe(files)
})
afterAll(async () => {
  await connections.close()
  await fixture.close()
  rmSync(box, { recursive: true, force: true })
})

async function rows(): Promise<unknown[][]> {
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=2&offset=0')
  return (body.results as Record<string, unknown>[]).map(({ operate, filename, is_success }) => [
    operate,
    filename,
    is_success,
  ])
}

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test.for([0, 1, 261_120, 20_000_001])('a file of %i bytes is streamed there and back', async (size) => {
  const content = randomBytes(size)
  const writing = writingStream(await files.open('/streamed', OPEN.WRITE | OPEN.CREAT | OPEN.TRUNC))
  await pipeline(Readable.from(pieces(content)), writing)
  expect(sum(readFileSync(join(box, 'streamed')))).toBe(sum(content))
  const reading = readingStream(await files.open('/streamed', OPEN.READ))
  expect(sum(Buffer.concat(await reading.toArray()))).toBe(sum(content))
  expect(await rows()).toEqual([
    ['Download', join(box, 'streamed'), true],
    ['Upload', join(box, 'streamed'), true],
  ])
})

function* pieces(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; ) {
    const length = 1 + Math.floor(Math.random() * 300_000)
    yield content.subarray(at, at + length)
    at += length
  }
}

test('both go on from where somebody stopped', async () => {
  writeFileSync(join(box, 'half'), '0123')
  await pipeline(
    Readable.from([Buffer.from('456'), Buffer.from('789')]),
    writingStream(await files.open('/half', OPEN.WRITE), { start: 4 }),
  )
  expect(readFileSync(join(box, 'half'), 'utf8')).toBe('0123456789')
  const rest = readingStream(await files.open('/half', OPEN.READ), { start: 7 })
  expect(Buffer.concat(await rest.toArray()).toString()).toBe('789')
})

test('a stream that is given up counts as broken off', async () => {
  writeFileSync(join(box, 'big'), Buffer.alloc(30_000_000))
  const reading = readingStream(await files.open('/big', OPEN.READ))
  for await (const bytes of reading) if (bytes.length) break
  const writing = writingStream(await files.open('/begun', OPEN.WRITE | OPEN.CREAT))
  await new Promise<void>((resolve) => writing.write(Buffer.from('begun'), () => resolve()))
  const closed = new Promise((resolve) => writing.once('close', resolve))
  writing.destroy()
  await closed
  expect(await rows()).toEqual([
    ['Upload', join(box, 'begun'), false],
    ['Download', join(box, 'big'), false],
  ])
  expect(files.openFiles).toBe(0)
})

test('a write that the machine refuses ends the stream with the reason', async () => {
  const readOnly = writingStream(await files.open('/big', OPEN.READ))
  await expect(pipeline(Readable.from([Buffer.alloc(100_000), Buffer.alloc(100_000)]), readOnly)).rejects.toThrow()
})

test('a lost connection is rebuilt', async () => {
  await files.close()
  const again = await connections.to(place.target, place.systemUser)
  expect(again).not.toBe(files)
  expect((await again.list('/')).map(({ name }) => name)).toContain('big')
})
