import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'
import { Enclosure, plainPath } from './enclosure.ts'
import { SftpClient } from './sftp/sftp-client.ts'
import { OPEN, SftpStatus, STATUS } from './sftp/sftp-wire.ts'
import { openSftpServer, type SftpTestServer } from './sftp-fixture.ts'

let fixture: TerminalFixture
let sftpServer: SftpTestServer
/** `box` is where a person is confined, `outside` is beside it, with one file. */
let box: string
let outside: string
let top: string

beforeAll(async () => {
  fixture = await openTerminalFixture()
  top = mkdtempSync(join(tmpdir(), 'sallyport-kept-'))
  ;[box, outside] = [join(top, 'box'), join(top, 'box-outside')]
  mkdirSync(join(box, 'inner'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'secret')
  writeFileSync(join(box, 'inner', 'own'), 'own')
  symlinkSync(outside, join(box, 'out'))
  symlinkSync('../box-outside/secret', join(box, 'out-file'))
  symlinkSync(join(outside, 'new'), join(box, 'dangling'))
  symlinkSync('inner', join(box, 'in'))
  const { username, privateKey, port } = fixture.sshd
  const { target, systemUser } = await fixture.target({ port }, { username, private_key: privateKey, sftp_root: box })
  const person = {
    id: fixture.person.id,
    name: 'walker',
    username: 'walker',
    language: 'en' as const,
    remoteAddress: '::1',
    loginFrom: 'ST' as const,
  }
  sftpServer = await openSftpServer(fixture.server.kernel, person, {
    machine: { assetId: target, systemUserId: systemUser },
    tree: 'granted',
  })
})
afterAll(async () => {
  await sftpServer.close()
  await fixture.close()
  rmSync(top, { recursive: true, force: true })
})

/** The tree's paths begin at the asset's folder, the machine's own at its root. */
const VIEWS: ['tree' | 'machine', (path: string) => string][] = [
  ['tree', (path) => `/Default/target-1${path}`],
  ['machine', (path) => box + path],
]

async function connected(view: 'tree' | 'machine'): Promise<SftpClient> {
  const { channel, close } = await sftpServer.raw(view)
  return SftpClient.start(channel, { close })
}

/** The code of the status that it throws; undefined when it does not. */
async function refusal(work: Promise<unknown>): Promise<number | undefined> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  )
  if (error && !(error instanceof SftpStatus)) throw error
  return error?.code
}

test.for(VIEWS)('nothing outside of the folder is reached, by .. or by links (%s)', async ([view, at]) => {
  const client = await connected(view)
  const denied: [string, () => Promise<unknown>][] = [
    ['list through a link', () => client.opendir(at('/out'))],
    ['look through a link', () => client.stat(at('/out/secret'))],
    ['look at what a link leads to', () => client.stat(at('/out-file'))],
    ['read through a link', () => client.open(at('/out/secret'), OPEN.READ)],
    ['read what a link leads to', () => client.open(at('/out-file'), OPEN.READ)],
    ['write where a link to nothing leads', () => client.open(at('/dangling'), OPEN.WRITE | OPEN.CREAT)],
    ['make a file through a link', () => client.open(at('/out/made'), OPEN.WRITE | OPEN.CREAT | OPEN.EXCL)],
    ['make a folder through a link', () => client.mkdir(at('/out/made'), {})],
    ['delete through a link', () => client.remove(at('/out/secret'))],
    ['rename to outside', () => client.rename(at('/inner/own'), at('/out/own'))],
    ['rename from outside', () => client.rename(at('/out/secret'), at('/mine'))],
    ['make a link through a link', () => client.symlink('x', at('/out/link'))],
    ['change what a link leads to', () => client.setstat(at('/out-file'), { size: 0 })],
    ['remove the folder itself', () => client.rmdir(at('/'))],
    [
      'go up',
      () => (view === 'machine' ? client.open(at('/../box-outside/secret'), OPEN.READ) : client.rmdir(at('/..'))),
    ],
  ]
  for (const [what, work] of denied) expect([what, await refusal(work())]).toEqual([what, STATUS.PERMISSION_DENIED])
  expect(readdirSync(outside)).toEqual(['secret'])
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  expect(existsSync(join(box, 'inner', 'own'))).toBe(true)
  client.close()
})

test.for(VIEWS)(
  'inside of it links lead where they should, and a link out may be looked at and removed (%s)',
  async ([view, at]) => {
    const client = await connected(view)
    expect((await client.stat(at('/in/own'))).size).toBe(3)
    const handle = await client.open(at('/in/../in/own'), OPEN.READ)
    expect((await client.read(handle, 0, 100))?.toString()).toBe('own')
    await client.closeHandle(handle)
    expect(await client.readlink(at('/in'))).toBe('inner')
    symlinkSync(outside, join(box, 'stray'))
    expect((await client.lstat(at('/stray'))).mode).toBeDefined()
    await client.remove(at('/stray'))
    expect(existsSync(join(outside, 'secret'))).toBe(true)
    await client.symlink(at('/inner'), at('/made'))
    expect(await client.readlink(at('/made'))).toBe(at('/inner'))
    await client.remove(at('/made'))
    client.close()
  },
)

test.for(VIEWS)('names with a NUL are no names (%s)', async ([view, at]) => {
  const client = await connected(view)
  const name = at('/inner/own\0.txt')
  const refused = [
    () => client.open(name, OPEN.READ),
    () => client.open(name, OPEN.WRITE | OPEN.CREAT),
    () => client.remove(name),
    () => client.mkdir(name, {}),
    () => client.rename(at('/inner/own'), name),
    () => client.symlink('x\0', at('/nul')),
    () => client.stat(name),
  ]
  for (const work of refused) expect([STATUS.NO_SUCH_FILE, STATUS.FAILURE]).toContain(await refusal(work()))
  expect(readdirSync(join(box, 'inner'))).toEqual(['own'])
  client.close()
})

test('where a machine resolves existing paths alone, a new file is fine and a link to nowhere is not', async () => {
  const client = await connected('machine')
  const strict = {
    realpath: async (path: string) => {
      if (!existsSync(path)) throw new SftpStatus(STATUS.NO_SUCH_FILE, 'No such file')
      return client.realpath(path)
    },
    lstat: (path: string) => client.lstat(path),
  } as SftpClient
  const enclosure = new Enclosure(strict, box)
  expect(await enclosure.followed(join(box, 'inner', 'new'))).toBe(join(box, 'inner', 'new'))
  expect(await enclosure.followed(join(box, 'in', 'own'))).toBe(join(box, 'inner', 'own'))
  expect(await refusal(enclosure.followed(join(box, 'dangling')))).toBe(STATUS.PERMISSION_DENIED)
  expect(await refusal(enclosure.followed(join(box, 'out', 'new')))).toBe(STATUS.PERMISSION_DENIED)
  // It can't vouch for a folder that it may not look at.
  const closed = {
    ...strict,
    realpath: async (path: string) => {
      if (path.endsWith('/new')) throw new SftpStatus(STATUS.PERMISSION_DENIED, 'Permission denied')
      return client.realpath(path)
    },
  } as SftpClient
  const refused = new Enclosure(closed, box).followed(join(box, 'inner', 'new'))
  expect(await refusal(refused)).toBe(STATUS.PERMISSION_DENIED)
  client.close()
})

test('a path never leaves the top, however it is written', () => {
  const parts = ['..', '.', '', 'a', '...', '..a', '报告']
  const longer = (paths: string[]) => paths.flatMap((path) => parts.map((part) => `${path}/${part}`))
  for (const path of longer(longer(longer(longer(parts))))) {
    const plain = plainPath(path)
    expect(plain).toMatch(/^\/(?!\/)/)
    expect(plain.split('/').filter((part) => part === '..' || part === '.')).toEqual([])
    expect(plainPath(plain)).toBe(plain)
  }
})
