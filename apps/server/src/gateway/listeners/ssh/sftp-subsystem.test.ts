import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attributeField, type Field, PacketCutter, packet, uint64 } from '../../files/sftp/packets.ts'
import { SftpClient } from '../../files/sftp/sftp-client.ts'
import { Fields, OPEN, PACKET, SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'
import { openSftpServer, run, type SftpTestServer, sftp } from '../../files/sftp-fixture.ts'
import { openTerminalFixture, type TerminalFixture } from '../web/terminal-fixture.ts'

let fixture: TerminalFixture
let sftpServer: SftpTestServer
let box: string

beforeAll(async () => {
  fixture = await openTerminalFixture()
  box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
  const person = {
    id: fixture.person.id,
    name: 'walker',
    username: 'walker',
    language: 'en' as const,
    remoteAddress: '::1',
    loginFrom: 'ST' as const,
  }
  const { port, username, privateKey } = fixture.sshd
  const { target, systemUser } = await fixture.target(
    { port },
    { username, private_key: privateKey, sftp_root: 'home' },
  )
  sftpServer = await openSftpServer(fixture.server.kernel, person, {
    machine: { assetId: target, systemUserId: systemUser },
  })
})
afterAll(async () => {
  await sftpServer.close()
  await fixture.close()
  rmSync(box, { recursive: true, force: true })
})

/** Memory in use, without garbage. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  for (let n = 0; n < 3; n++) {
    runInNewContext('gc')()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().arrayBuffers
}

async function client(): Promise<SftpClient> {
  const { channel, close } = await sftpServer.raw('machine')
  return SftpClient.start(channel, { close })
}

interface Answer {
  type: number
  id: number
  fields: Fields
}

/** A client that says what it wants, in whatever order, and waits for nothing. */
interface RudeClient {
  channel: ssh2.ClientChannel
  answers: Answer[]
  say(type: number, fields: readonly Field[]): void
  /** Settles with so many answers. */
  answered(count: number): Promise<Answer[]>
  closed: Promise<void>
  close(): void
}

async function rudeClient({ greets = true } = {}): Promise<RudeClient> {
  const { channel, close } = await sftpServer.raw('machine')
  const answers: Answer[] = []
  const cutter = new PacketCutter()
  let look = () => {}
  channel.on('data', (bytes: Buffer) => {
    cutter.push(bytes, (one) => {
      const fields = new Fields(one, 1)
      answers.push({ type: one[0] ?? 0, id: fields.uint32(), fields })
    })
    look()
  })
  channel.stderr.resume()
  const closed = new Promise<void>((resolve) => channel.once('close', () => resolve()))
  const rude: RudeClient = {
    channel,
    answers,
    closed,
    close,
    say: (type, fields) => void channel.write(Buffer.concat(packet(type, fields))),
    answered: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (answers.length >= count) resolve(answers)
        }
        look()
      }),
  }
  if (greets) {
    rude.say(PACKET.INIT, [3])
    await rude.answered(1)
    answers.length = 0
  }
  return rude
}

test('a person begins at home, and every kind of question has its answer', async () => {
  const machine = await client()
  const home = await machine.realpath('.')
  expect((await machine.stat(home)).mode).toBeDefined()
  expect(await machine.realpath('')).toBe(home)
  expect(await machine.realpath('/tmp/..')).toBe('/')
  expect([...machine.extensions.keys()].sort()).toEqual([
    'copy-data',
    'expand-path@openssh.com',
    'fsync@openssh.com',
    'hardlink@openssh.com',
    'limits@openssh.com',
    'lsetstat@openssh.com',
    'posix-rename@openssh.com',
    'statvfs@openssh.com',
    'users-groups-by-id@openssh.com',
  ])
  expect((await machine.statvfs(box)).length).toBe(11 * 8)
  const handle = await machine.open(`${box}/all`, OPEN.READ | OPEN.WRITE | OPEN.CREAT | OPEN.EXCL, { mode: 0o600 })
  await machine.write(handle, 0, Buffer.from('0123456789'))
  await machine.fsync(handle)
  await machine.fsetstat(handle, { mode: 0o640, atime: 1000, mtime: 2000 })
  expect(await machine.fstat(handle)).toMatchObject({ size: 10, mode: 0o100640, mtime: 2000 })
  expect((await machine.read(handle, 3, 4))?.toString()).toBe('3456')
  expect(await machine.read(handle, 10, 4)).toBeUndefined()
  await machine.closeHandle(handle)
  await machine.setstat(`${box}/all`, { size: 4 })
  expect(readFileSync(`${box}/all`, 'utf8')).toBe('0123')
  const more = await machine.open(`${box}/all`, OPEN.WRITE | OPEN.APPEND)
  await machine.write(more, 0, Buffer.from('end'))
  await machine.closeHandle(more)
  expect(readFileSync(`${box}/all`, 'utf8')).toBe('0123end')
  await expect(machine.open(`${box}/all`, OPEN.WRITE | OPEN.CREAT | OPEN.EXCL)).rejects.toMatchObject({
    code: STATUS.FAILURE,
  })
  writeFileSync(`${box}/other`, 'other')
  await expect(machine.rename(`${box}/all`, `${box}/other`)).rejects.toMatchObject({ code: STATUS.FAILURE })
  await machine.posixRename(`${box}/all`, `${box}/other`)
  expect(readFileSync(`${box}/other`, 'utf8')).toBe('0123end')
  const short = await machine.open(`${box}/other`, OPEN.WRITE | OPEN.TRUNC)
  await machine.closeHandle(short)
  expect(statSync(`${box}/other`).size).toBe(0)
  await expect(machine.stat(`${box}/none`)).rejects.toMatchObject({ code: STATUS.NO_SUCH_FILE })
  await expect(machine.opendir(`${box}/other`)).rejects.toBeInstanceOf(SftpStatus)
  machine.close()
})

test('writes that nobody waits for, in any order, arrive before the close that follows them', async () => {
  const content = randomBytes(3_000_000)
  const rude = await rudeClient()
  rude.say(PACKET.OPEN, [1, `${box}/any-order`, OPEN.WRITE | OPEN.CREAT, attributeField({})])
  const [opened] = await rude.answered(1)
  const handle = opened?.fields.bytes() as Buffer
  const starts = Array.from({ length: 100 }, (_, n) => n * 30_000).sort(() => Math.random() - 0.5)
  for (const [n, start] of starts.entries())
    rude.say(PACKET.WRITE, [n + 2, handle, uint64(start), content.subarray(start, start + 30_000)])
  rude.say(PACKET.CLOSE, [200, handle])
  rude.say(PACKET.STAT, [201, `${box}/any-order`])
  const answers = (await rude.answered(103)).sort((a, b) => a.id - b.id)
  expect(answers.slice(1, 102).map(({ fields }) => fields.uint32())).toEqual(Array(101).fill(STATUS.OK))
  expect(answers[102]?.fields.attributes().size).toBe(content.length)
  expect(readFileSync(`${box}/any-order`).equals(content)).toBe(true)
  rude.close()
})

test('writes, times and the close of a file are sent in one go, as lftp does, and each is answered for itself', async () => {
  const rude = await rudeClient()
  const open = async (id: number, path: string, flags: number) => {
    rude.say(PACKET.OPEN, [id, path, flags, attributeField({})])
    const answer = (await rude.answered(1))[0]
    rude.answers.length = 0
    return answer?.fields.bytes() ?? Buffer.alloc(0)
  }
  const codes = async (count: number) => {
    const answers = await rude.answered(count)
    return new Map(answers.splice(0).map(({ id, fields }) => [id, fields.uint32()]))
  }
  const rest = (handle: Buffer) => {
    rude.say(PACKET.WRITE, [1, handle, uint64(0), Buffer.from('content')])
    rude.say(PACKET.FSETSTAT, [2, handle, attributeField({ atime: 1_000_000, mtime: 2_000_000 })])
    rude.say(PACKET.CLOSE, [3, handle])
    rude.say(PACKET.CLOSE, [4, handle])
  }
  rest(await open(9, `${box}/in-one-go`, OPEN.WRITE | OPEN.CREAT))
  const whole = await codes(4)
  expect([1, 2, 3, 4].map((id) => whole.get(id))).toEqual([STATUS.OK, STATUS.OK, STATUS.OK, STATUS.FAILURE])
  expect(readFileSync(join(box, 'in-one-go'), 'utf8')).toBe('content')
  expect(statSync(join(box, 'in-one-go')).mtimeMs).toBe(2_000_000_000)
  // A file on a full disk is closed all the same, and the log has the outcome.
  rest(await open(9, '/dev/full', OPEN.WRITE))
  const full = await codes(4)
  expect([1, 3, 4].map((id) => full.get(id))).toEqual([STATUS.FAILURE, STATUS.OK, STATUS.FAILURE])
  rude.close()
  await rude.closed
  await sftpServer.idle()
  const { body } = await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=2&offset=0')
  expect(body.results.map((row: { filename: string; is_success: boolean }) => [row.filename, row.is_success])).toEqual([
    ['/dev/full', false],
    [`${box}/in-one-go`, true],
  ])
})

test('a file that is closed in the same breath as it is read is read first', async () => {
  const rude = await rudeClient()
  const content = randomBytes(100_000)
  writeFileSync(join(box, 'read-and-left'), content)
  rude.say(PACKET.OPEN, [1, `${box}/read-and-left`, OPEN.READ, attributeField({})])
  const handle = (await rude.answered(1))[0]?.fields.bytes() ?? Buffer.alloc(0)
  rude.answers.length = 0
  for (const at of [0, 40_000, 80_000]) rude.say(PACKET.READ, [at, handle, uint64(at), 40_000])
  rude.say(PACKET.CLOSE, [7, handle])
  const answers = (await rude.answered(4)).sort((a, b) => a.id - b.id)
  expect(answers.map(({ type }) => type)).toEqual([PACKET.DATA, PACKET.STATUS, PACKET.DATA, PACKET.DATA])
  const read = answers.filter(({ type }) => type === PACKET.DATA).map(({ fields }) => fields.bytes())
  expect(Buffer.concat(read)).toEqual(content)
  rude.close()
})

test('a person who changes a file sees that at once in one that they have open to read it', async () => {
  const machine = await client()
  const path = join(box, 'read-and-changed')
  writeFileSync(path, 'as it was')
  const reader = await machine.open(path, OPEN.READ)
  const writer = await machine.open(path, OPEN.WRITE)
  const later = await machine.open(path, OPEN.READ)
  await machine.write(writer, 0, Buffer.from('as it is now'))
  for (const handle of [reader, later]) {
    expect(String(await machine.read(handle, 0, 100))).toBe('as it is now')
    expect((await machine.fstat(handle)).size).toBe('as it is now'.length)
  }
  await machine.closeHandle(writer)
  const last = await machine.open(path, OPEN.READ)
  await machine.setstat(path, { size: 5 })
  expect(String(await machine.read(last, 0, 100))).toBe('as it')
  expect((await machine.fstat(last)).size).toBe(5)
  machine.close()
})

test('requests that change something happen in the order in which they came', async () => {
  const rude = await rudeClient()
  for (let n = 0; n < 20; n++) {
    rude.say(PACKET.MKDIR, [n * 4, `${box}/step`, attributeField({})])
    rude.say(PACKET.RENAME, [n * 4 + 1, `${box}/step`, `${box}/stepped`])
    rude.say(PACKET.STAT, [n * 4 + 2, `${box}/stepped`])
    rude.say(PACKET.RMDIR, [n * 4 + 3, `${box}/stepped`])
  }
  const answers = await rude.answered(80)
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 80 }, (_, n) => n))
  expect(answers.map(({ type, fields }) => (type === PACKET.ATTRS ? 'attributes' : fields.uint32()))).toEqual(
    Array.from({ length: 20 }, () => [STATUS.OK, STATUS.OK, 'attributes', STATUS.OK]).flat(),
  )
  rude.close()
})

test('a client that asks for much and reads nothing gets all of it later, and costs little meanwhile', async () => {
  const size = 64 * 1024 * 1024
  const piece = 128 * 1024
  const seed = randomBytes(1024 * 1024)
  writeFileSync(`${box}/large`, Buffer.concat(Array(size / seed.length).fill(seed)))
  const rude = await rudeClient()
  rude.say(PACKET.OPEN, [1, `${box}/large`, OPEN.READ, attributeField({})])
  const handle = (await rude.answered(1))[0]?.fields.bytes() as Buffer
  rude.answers.length = 0
  rude.channel.pause()
  const before = await heldBytes()
  for (let n = 0; n < size / piece; n++) rude.say(PACKET.READ, [n, handle, uint64(n * piece), piece])
  // Somebody else is served meanwhile: enough time to send far more than fits.
  expect(await sftp(sftpServer, 'machine', [`get ${box}/large ${box}/copy`])).toMatchObject({ code: 0 })
  expect((await heldBytes()) - before).toBeLessThan(24 * 1024 * 1024)
  rude.channel.resume()
  const answers = await rude.answered(size / piece)
  const wrong = answers.filter(({ id, type, fields }) => {
    const start = (id * piece) % seed.length
    return type !== PACKET.DATA || !fields.bytes().equals(seed.subarray(start, start + piece))
  })
  expect(wrong.length).toBe(0)
  rude.close()
})

test('a thousand open files are enough, and a folder of twenty thousand is listed', async () => {
  mkdirSync(`${box}/giant`)
  for (let n = 0; n < 20_000; n++) writeFileSync(`${box}/giant/${n}`, '')
  const rude = await rudeClient()
  for (let n = 0; n < 1200; n++) rude.say(PACKET.OPENDIR, [n, '/'])
  const answers = await rude.answered(1200)
  const opened = answers.filter(({ type }) => type === PACKET.HANDLE)
  expect(opened.length).toBeGreaterThan(100)
  expect(opened.length).toBeLessThanOrEqual(1000)
  const [refused] = answers.filter(({ type }) => type === PACKET.STATUS)
  expect(refused?.fields.uint32()).toBe(STATUS.FAILURE)
  rude.answers.length = 0
  rude.say(PACKET.CLOSE, [1, opened[0]?.fields.bytes() as Buffer])
  expect((await rude.answered(1))[0]?.fields.uint32()).toBe(STATUS.OK)
  rude.close()
  const { stdout } = await sftp(sftpServer, 'machine', [`ls -1f ${box}/giant`])
  expect(stdout.split('\n').filter((line) => /\d+$/.test(line)).length).toBe(20_000)
})

test.for([
  ['something else than a greeting', Buffer.concat(packet(PACKET.STAT, [1, '/']))],
  ['a packet of four gigabytes', Buffer.from([0xff, 0xff, 0xff, 0xff, PACKET.INIT])],
  ['a packet of nothing', Buffer.from([0, 0, 0, 0])],
  [
    'a packet without a number',
    Buffer.concat([...packet(PACKET.INIT, [3]), ...packet(PACKET.STAT, [{ raw: Buffer.from([1]) }])]),
  ],
] as const)('%s ends the channel, and nothing else', async ([, bytes]) => {
  const other = await client()
  const rude = await rudeClient({ greets: false })
  rude.channel.write(bytes)
  await rude.closed
  expect((await other.stat('/')).mode).toBeDefined()
  other.close()
  rude.close()
})

test('a request that cannot be read or is not known is answered as such, and the next request is served', async () => {
  const rude = await rudeClient()
  rude.say(PACKET.OPEN, [1, '/tmp'])
  rude.say(99, [2, 'x'])
  rude.say(PACKET.EXTENDED, [3, 'nobody@example.com', 'x'])
  rude.say(PACKET.READ, [4, Buffer.from('none'), uint64(0), 10])
  rude.say(PACKET.CLOSE, [5, Buffer.alloc(0)])
  rude.say(PACKET.READDIR, [6, Buffer.alloc(300)])
  rude.say(PACKET.STAT, [7, '/'])
  const answers = await rude.answered(7)
  expect(
    answers.sort((a, b) => a.id - b.id).map(({ type, fields }) => (type === PACKET.STATUS ? fields.uint32() : type)),
  ).toEqual([
    STATUS.BAD_MESSAGE,
    STATUS.OP_UNSUPPORTED,
    STATUS.OP_UNSUPPORTED,
    STATUS.FAILURE,
    STATUS.FAILURE,
    STATUS.FAILURE,
    PACKET.ATTRS,
  ])
  rude.close()
})

test('scp -3 copies between two machines behind the gateway, and an unreadable file is told apart', async () => {
  writeFileSync(`${box}/from`, randomBytes(1_000_000))
  const at = (path: string) => `scp://machine@127.0.0.1:${sftpServer.port}/${path}`
  expect(await run('scp', [...sftpServer.options, '-3', at(`${box}/from`), at(`${box}/to`)])).toMatchObject({ code: 0 })
  expect(readFileSync(`${box}/to`).equals(readFileSync(`${box}/from`))).toBe(true)
  const { code, stderr } = await run('scp', [...sftpServer.options, at(`${box}/nothing-here`), box])
  expect(code).toBe(1)
  expect(stderr).toMatch(/no such file/i)
  expect(existsSync(`${box}/nothing-here`)).toBe(false)
})
