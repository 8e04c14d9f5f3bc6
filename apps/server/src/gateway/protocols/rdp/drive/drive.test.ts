import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fitName } from '../../../kinds/desktop/files/names.ts'
import { MAX_BYTES, MAX_ENTRIES, type SharedEntry, SharedFolder } from '../../../kinds/desktop/files/shared-folder.ts'
import { u16, u32, u64 } from '../cursor.ts'
import { Drive } from './drive.ts'
import { DrivePeer, FOLDER, HOW, WRITING } from './drive-peer-fixture.ts'
import { LIST, PACKET, STATUS, WANTS } from './messages.ts'

/** A machine that has the drive, and what it may do there. */
function machine({ begins = true } = {}) {
  const place = mkdtempSync(join(tmpdir(), 'sallyport-drive-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const folder = new SharedFolder(place)
  const may = { take: true, put: true }
  const broken: string[] = []
  const pieces = { sent: 0, room: undefined as Promise<void> | undefined }
  const peer: DrivePeer = new DrivePeer((piece) => drive.receive(piece))
  const drive = new Drive({
    send(piece) {
      pieces.sent++
      peer.take(piece)
    },
    room: () => pieces.room,
    onRoom() {},
    onBroken: (error) => void broken.push(error.message),
  })
  const files = {
    folder,
    mayTake: async ({ isFromPerson }: SharedEntry) => !isFromPerson || may.take,
    mayPut: async () => may.put,
  }
  if (begins) {
    peer.begin()
    drive.serve(files)
  }
  return { place, folder, may, broken, pieces, peer, drive, files }
}

const given = (folder: SharedFolder, name: string, ...content: string[]) =>
  folder.receive(
    name,
    (async function* () {
      for (const text of content) yield Buffer.from(text)
    })(),
  )
const contentOf = async (folder: SharedFolder, path: string) => {
  const file = folder.find(path)
  return file && (await folder.read(file, 0, file.size)).toString()
}

test('a drive is offered once there is something to offer and somebody has signed in there', () => {
  const { peer, drive, files } = machine({ begins: false })
  peer.begin()
  const messages = () => peer.messages.splice(0).map(({ id }) => id)
  expect(messages()).toEqual([PACKET.clientId, PACKET.clientName, PACKET.clientCapabilities])
  drive.serve(files)
  const [offer] = peer.messages
  expect(offer?.id).toBe(PACKET.devices)
  expect(offer?.read.rest()).toEqual(
    Buffer.concat([u32(1, 8, 1), Buffer.from('Files\0\0\0'), u32(6), Buffer.from('Files\0')]),
  )
  drive.serve(files)
  peer.say(PACKET.loggedOn)
  expect(messages()).toEqual([PACKET.devices])
})

test('a machine that begins once more is offered the drive again, with nothing open and nothing asked', async () => {
  const { peer, folder, pieces } = machine()
  await given(folder, 'plan.txt', 'x'.repeat(5000))
  const { file } = await peer.open('\\report.txt', HOW.create)
  expect(folder.find('report.txt')?.writers).toBe(1)
  const room = Promise.withResolvers<void>()
  pieces.room = room.promise
  const answered: number[] = []
  for (const one of [file, file]) void peer.write(one, 0, Buffer.from('x')).then((status) => answered.push(status))
  peer.begin()
  pieces.room = undefined
  room.resolve()
  expect(peer.messages.filter(({ id }) => id === PACKET.devices).length).toBe(2)
  expect(folder.find('report.txt')?.writers).toBe(0)
  expect((await peer.read(file, 0, 1)).status).toBe(STATUS.badHandle)
  const plan = await peer.open('\\plan.txt')
  expect((await peer.read(plan.file, 0, 5000)).bytes.length).toBe(5000)
  expect(answered).toEqual([])
})

test('[A1.06] a machine lists and reads what a person gave, and writes, renames and removes files of its own', async () => {
  const { peer, folder, place } = machine()
  await given(folder, 'plan für März.txt', 'dig ', 'here')
  await given(folder, 'PLAN für März.txt', 'another')
  expect(await peer.list('')).toEqual(['.', '..', 'plan für März.txt', 'PLAN für März (2).txt'])
  expect(await peer.list('', '*.TXT')).toEqual(['plan für März.txt', 'PLAN für März (2).txt'])
  expect(await peer.list('', 'p?an*(2)*')).toEqual(['PLAN für März (2).txt'])
  const plan = await peer.open('\\PLAN FÜR märz.txt')
  expect((await peer.read(plan.file, 4, 100)).bytes.toString()).toBe('here')
  expect(await peer.read(plan.file, 8, 100)).toEqual({ status: STATUS.ok, bytes: Buffer.alloc(0) })
  expect(await peer.close(plan.file)).toBe(STATUS.ok)

  const folderMade = await peer.open('\\reports', HOW.create, FOLDER)
  expect(folderMade.status).toBe(STATUS.ok)
  // As xrdp names it.
  const report = await peer.open('/reports/may.csv', HOW.overwriteIf, 0, WRITING)
  const long = Buffer.alloc(100_000, 'm')
  expect(await peer.write(report.file, 0, long)).toBe(STATUS.ok)
  expect(await peer.write(report.file, long.length, Buffer.from('end'))).toBe(STATUS.ok)
  expect(folder.find('reports/may.csv')).toMatchObject({ size: 100_003, writers: 1, isFromPerson: false })
  expect(await peer.rename(report.file, '\\reports\\june.csv')).toBe(STATUS.ok)
  expect(await peer.set(report.file, 20, u64(100_000))).toBe(STATUS.ok)
  await peer.close(report.file)
  expect(folder.find('reports/june.csv')?.writers).toBe(0)
  expect(await contentOf(folder, 'reports/june.csv')).toBe(long.toString())
  expect(await peer.list('\\reports')).toEqual(['.', '..', 'june.csv'])

  expect(await peer.rename(folderMade.file, '\\old')).toBe(STATUS.ok)
  expect(folder.entries.map(({ path }) => path)).toContain('old/june.csv')
  expect(await peer.set(folderMade.file, 13, Buffer.alloc(0))).toBe(STATUS.notEmpty)
  const june = await peer.open('\\old\\june.csv')
  // xrdp removes by a word without any value.
  expect(await peer.set(june.file, 13, Buffer.alloc(0))).toBe(STATUS.ok)
  await peer.close(june.file)
  expect(folder.entries.map(({ path }) => path)).toEqual(['plan für März.txt', 'PLAN für März (2).txt', 'old'])
  // Names stand nowhere on the disk of the gateway.
  expect(readdirSync(place).toSorted()).toEqual(['1', '2'])
  await folder.close()
  expect(() => readdirSync(place)).toThrow('ENOENT')
})

test('files that a person may not give or take stay where they are', async () => {
  const { peer, folder, may } = machine()
  await given(folder, 'plan.txt', 'dig here')
  may.take = false
  may.put = false
  const plan = await peer.open('\\plan.txt', HOW.open, 0, WRITING)
  expect((await peer.read(plan.file, 0, 100)).status).toBe(STATUS.denied)
  expect(await peer.write(plan.file, 0, Buffer.from('x'))).toBe(STATUS.denied)
  expect(await peer.set(plan.file, 20, u64(0))).toBe(STATUS.denied)
  expect(await peer.rename(plan.file, '\\secret.txt')).toBe(STATUS.denied)
  expect((await peer.open('\\new.txt', HOW.create)).status).toBe(STATUS.denied)
  expect((await peer.open('\\plan.txt', HOW.overwriteIf)).status).toBe(STATUS.denied)
  expect((await peer.open('\\folder', HOW.openIf, FOLDER)).status).toBe(STATUS.denied)
  expect(folder.entries.map(({ path }) => path)).toEqual(['plan.txt'])
  expect(await contentOf(folder, 'plan.txt')).toBe('dig here')
})

test('a file that a machine has open to read alone stays as it is', async () => {
  const { peer, folder } = machine()
  await given(folder, 'plan.txt', 'dig here')
  const plan = await peer.open('\\plan.txt')
  expect(await peer.write(plan.file, 8, Buffer.from(' or there'))).toBe(STATUS.denied)
  expect(await peer.set(plan.file, 20, u64(3))).toBe(STATUS.denied)
  expect(await contentOf(folder, 'plan.txt')).toBe('dig here')
})

test('no path becomes longer or deeper by a new name for a folder above than one may be', async () => {
  const { peer, folder } = machine()
  for (const path of ['a', 'a/b', 'a/b/c']) await folder.make(path, true)
  const deep = Array.from({ length: 14 }, (_, n) => 'd'.repeat(n + 1))
  for (let n = 1; n <= deep.length; n++) await folder.make(deep.slice(0, n).join('/'), true)
  const { file } = await peer.open('\\a')
  const before = folder.entries.map(({ path }) => path)
  expect(await peer.rename(file, `\\${deep.join('\\')}\\a`)).toBe(STATUS.badName)
  expect(folder.entries.map(({ path }) => path)).toEqual(before)
  expect(await peer.rename(file, `\\${deep.slice(1).join('\\')}\\a`)).toBe(STATUS.noSuchFolder)
  expect(await peer.rename(file, `\\${deep.slice(0, 13).join('\\')}\\a`)).toBe(STATUS.ok)
  expect(folder.find(`${deep.slice(0, 13).join('/')}/a/b/c`)).toBeDefined()
})

test('a folder whose place on the disk could not be made is tried again', async () => {
  const { place, folder } = machine()
  rmSync(place, { recursive: true })
  writeFileSync(place, '')
  await expect(given(folder, 'plan.txt', 'dig')).rejects.toThrow('EEXIST')
  rmSync(place)
  await given(folder, 'plan.txt', 'dig')
  expect(await contentOf(folder, 'plan.txt')).toBe('dig')
})

test('no name leads out of the folder, and what can’t be is refused with a word for it', async () => {
  const { peer, folder, broken } = machine()
  for (const path of ['\\..\\x', '\\a\\..\\..\\x', '/../x', '\\.', '\\\u0001', `\\${'x'.repeat(256)}`])
    expect([path, (await peer.open(path, HOW.create)).status]).toEqual([path, STATUS.badName])
  expect((await peer.open('\\no\\x', HOW.create)).status).toBe(STATUS.noSuchFolder)
  expect((await peer.open('\\no')).status).toBe(STATUS.noSuchFile)
  expect((await peer.open('', HOW.open, 0x40)).status).toBe(STATUS.isFolder)
  expect((await peer.read(99, 0, 1)).status).toBe(STATUS.badHandle)
  const one = await peer.open('\\one', HOW.create)
  expect((await peer.open('\\ONE', HOW.create)).status).toBe(STATUS.exists)
  expect((await peer.open('\\one\\two', HOW.create)).status).toBe(STATUS.noSuchFolder)
  expect((await peer.read(one.file, 0, 0xffff_ffff)).status).toBe(STATUS.badParameter)
  expect((await peer.ask(99, one.file)).status).toBe(STATUS.notSupported)
  const root = await peer.open('', HOW.open, FOLDER)
  const longest = Buffer.from(`\\${'<'.repeat(256)}`, 'utf16le')
  const listed = [u32(3), Buffer.of(1), u32(longest.length), Buffer.alloc(23), longest]
  expect((await peer.askIn(WANTS.directory, LIST, root.file, ...listed)).status).toBe(STATUS.badName)
  expect((await peer.ask(WANTS.queryInformation, one.file, u32(99, 0), Buffer.alloc(24))).status).toBe(
    STATUS.notSupported,
  )
  expect([folder.entries.length, broken]).toEqual([1, []])
  expect(['a/b:c?.txt', 'nul.txt', 'x. ', '\u0007', '..', '...'].map(fitName)).toEqual([
    'a_b_c_.txt',
    '_nul.txt',
    'x',
    '_',
    undefined,
    undefined,
  ])
})

test('a session’s folder holds so many bytes and files, and no more is open at once', async () => {
  const { peer, folder } = machine()
  const one = await peer.open('\\one', HOW.create)
  expect(await peer.set(one.file, 20, u64(MAX_BYTES + 1))).toBe(STATUS.full)
  expect(await peer.write(one.file, MAX_BYTES, Buffer.from('x'))).toBe(STATUS.full)
  expect(await peer.set(one.file, 20, u64(MAX_BYTES))).toBe(STATUS.ok)
  await expect(given(folder, 'two', 'x')).rejects.toThrow('full')
  expect(folder.entries.map(({ path }) => path)).toEqual(['one'])
  expect(await peer.set(one.file, 20, u64(0))).toBe(STATUS.ok)
  expect(folder.bytesLeft).toBe(MAX_BYTES)

  for (let n = 1; n < MAX_ENTRIES; n++) await folder.make(`folder ${n}`, true)
  expect((await peer.open('\\more', HOW.create)).status).toBe(STATUS.full)
  await expect(given(folder, 'more', 'x')).rejects.toThrow('full')
  let open = 1
  while ((await peer.open('\\one')).status === STATUS.ok) open++
  expect(open).toBe(256)
})

test('an aborted transfer leaves nothing, and a file that a person removes while the machine writes it counts for nothing', async () => {
  const { peer, folder, place } = machine()
  const breaksOff = (async function* () {
    yield Buffer.from('half')
    throw new Error('the line broke')
  })()
  await expect(folder.receive('half.txt', breaksOff)).rejects.toThrow('the line broke')
  expect([folder.entries, folder.bytesLeft, readdirSync(place)]).toEqual([[], MAX_BYTES, []])
  const one = await peer.open('\\one', HOW.create)
  const written = peer.write(one.file, 0, Buffer.alloc(1000))
  const file = folder.find('one') as SharedEntry
  await folder.remove(file)
  await written
  expect((await peer.write(one.file, 0, Buffer.from('again'))) === STATUS.ok).toBe(false)
  expect([folder.bytesLeft, readdirSync(place)]).toEqual([MAX_BYTES, []])
})

test('a machine that does not keep to the protocol has no drive any more; that is all', async () => {
  const hostile: [string, (peer: DrivePeer, drive: Drive) => void][] = [
    ['cut short', (peer) => void peer.ask(WANTS.create, 0, u32(1))],
    ['a path longer than its message', (peer) => void peer.ask(WANTS.create, 0, u32(1, 0, 0, 0, 0, 1, 0, 9999))],
    ['a write of more than it brings', (peer) => void peer.ask(WANTS.write, 1, u32(9), u64(0), Buffer.alloc(20))],
    ['a message without end', (_, drive) => drive.receive(u32(0x7fff_ffff, 1))],
    ['more than it says', (_, drive) => drive.receive(Buffer.concat([u32(4, 3), Buffer.alloc(99)]))],
    ['a piece without its beginning', (_, drive) => drive.receive(u32(4, 2))],
    ['half a head', (_, drive) => drive.receive(u16(1))],
  ]
  for (const [name, work] of hostile) {
    const { peer, drive, broken, pieces, folder } = machine()
    await peer.open('\\one', HOW.create)
    work(peer, drive)
    await expect.poll(() => [name, broken.length]).toEqual([name, 1])
    const before = pieces.sent
    void peer.ask(WANTS.close, 1, Buffer.alloc(32))
    expect([name, pieces.sent, folder.entries.length]).toEqual([name, before, 1])
  }
})

test('requests beyond those that wait make the server wait, and answers go out as it takes them', async () => {
  const { peer, drive, folder, pieces } = machine()
  await given(folder, 'long', 'x'.repeat(500_000))
  const { file } = await peer.open('\\long')
  const room = Promise.withResolvers<void>()
  pieces.room = room.promise
  const before = pieces.sent
  const reads = Array.from({ length: 300 }, () => peer.read(file, 0, 1600))
  expect([drive.isFull, pieces.sent]).toEqual([true, before])
  pieces.room = undefined
  room.resolve()
  for (const { bytes } of await Promise.all(reads)) expect(bytes.length).toBe(1600)
  expect(drive.isFull).toBe(false)
  // However many there are of a message, they are of one.
  expect((await peer.read(file, 0, 500_000)).bytes.length).toBe(500_000)
})
