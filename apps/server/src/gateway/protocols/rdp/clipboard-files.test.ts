import { expect, onTestFinished, test, vi } from 'vitest'
import type { CopiedFile, CopiedFiles } from '../../kinds/desktop/files/copied-files.ts'
import { ProtocolViolation } from '../protocol-violation.ts'
import { Clipboard } from './clipboard.ts'
import { MAX_COPIED, MAX_PIECE } from './clipboard-files.ts'
import { ClipboardPeer } from './clipboard-peer-fixture.ts'
import { u32 } from './cursor.ts'

/** A machine at the other end; what its clipboard has as files, and how often it had what does not go this way. */
function machine({ takesFiles = true, isUnix = false } = {}) {
  const seen = { files: undefined as CopiedFiles | undefined, others: 0, texts: [] as string[] }
  const peer: ClipboardPeer = new ClipboardPeer((piece) => clipboard.receive(piece))
  const clipboard = new Clipboard({
    send: (pieces) => {
      for (const piece of pieces) peer.take(piece)
    },
    copied: (text) => seen.texts.push(text),
    ...(takesFiles ? { copiedFiles: (files: CopiedFiles | undefined) => void (seen.files = files) } : {}),
    copiedOther: () => void seen.others++,
    maxBytes: 2 * 1024 * 1024,
    ...(isUnix ? { lineEnd: '\n' } : {}),
  })
  peer.begin()
  return { peer, clipboard, seen }
}

const plan = { name: 'work\\plan.txt', content: Buffer.from('dig here') }

test('files that a machine copies are named, and read piece by piece when somebody takes one', async () => {
  const { peer, seen } = machine()
  const large = Buffer.alloc(MAX_PIECE + 10, 'x')
  peer.copy({ name: 'work', content: 'folder' }, plan, { name: 'März.bin', content: large, isUnsized: true })
  expect(seen.files?.files).toEqual([
    { index: 0, path: 'work', isFolder: true, size: 0 },
    { index: 1, path: 'work/plan.txt', isFolder: false, size: 8 },
    { index: 2, path: 'März.bin', isFolder: false, size: undefined },
  ])
  expect(peer.asked).toEqual([])
  const { files, read, size } = seen.files as CopiedFiles
  const [, first, second] = files as [CopiedFile, CopiedFile, CopiedFile]
  expect([(await read(first, 4, 100)).toString(), await size(second)]).toEqual(['here', large.length])
  expect((await read(second, 0, 10 * MAX_PIECE)).length).toBe(MAX_PIECE)
  await read(second, 5 * 2 ** 32, 7)
  expect(peer.asked).toEqual([
    [1, 4, 100],
    [2, 0, MAX_PIECE],
    [2, 5 * 2 ** 32, 7],
  ])
})

test('earlier copied files are not available any more, also in the middle of a piece, and that is a refusal', async () => {
  // Nobody has to wait for that as for a machine that does not answer.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { peer, clipboard, seen } = machine()
  const copied = () => {
    peer.copy(plan)
    const { files, read } = seen.files as CopiedFiles
    return () => read(files[0] as CopiedFile, 0, 8)
  }
  const before = copied()
  peer.isSilent = true
  const [begun, next] = [before(), before()]
  await new Promise((asked) => setImmediate(asked))
  peer.isSilent = false
  const after = copied()
  for (const one of [begun, next, before()]) await expect(one).rejects.toThrow('does not give')
  expect((await after()).toString()).toBe('dig here')
  peer.isClosed = true
  await expect(after()).rejects.toThrow('does not give')
  peer.formats([13, ''])
  expect(seen.files).toBeUndefined()
  const last = copied()
  clipboard.close()
  await expect(last()).rejects.toThrow('does not give')
})

test('names that lead elsewhere are passed over, and of very many files the first are offered', () => {
  const { peer, seen } = machine()
  const content = Buffer.from('x')
  peer.copy(...['..\\up', 'a\\..\\..\\b', '', 'line\nfeed', 'C:\\fine'].map((name) => ({ name, content })))
  expect(seen.files?.files.map(({ path, index }) => [path, index])).toEqual([['C:/fine', 4]])
  peer.copy(...Array.from({ length: MAX_COPIED + 5 }, (_, n) => ({ name: `${n}`, content })))
  expect(seen.files?.files).toHaveLength(MAX_COPIED)
  // More are reported than come.
  peer.copy()
  peer.say(5, 1, u32(0xffff_ffff))
  expect(seen.files).toBeUndefined()
})

test('a copy that does not go this way is noticed where nothing else is there: pictures, and files where nobody takes any', () => {
  const { peer, seen } = machine()
  peer.formats([8, ''])
  peer.formats([8, ''], [13, ''])
  peer.formats()
  expect(seen.others).toBe(1)
  const other = machine({ takesFiles: false })
  other.peer.copy(plan)
  expect([other.seen.others, other.peer.ways, peer.ways & 0x4]).toEqual([1, 0x2, 0x4])
})

test('more of a file than was asked for is no answer, and one that nobody waits for is passed over', async () => {
  const { peer, seen } = machine()
  peer.copy(plan)
  const { files, read } = seen.files as CopiedFiles
  peer.isSilent = true
  const begun = read(files[0] as CopiedFile, 0, 4)
  begun.catch(() => {})
  await new Promise((asked) => setImmediate(asked))
  peer.say(9, 1, u32(99), Buffer.alloc(500))
  expect(() => peer.say(9, 1, u32(1), Buffer.alloc(5))).toThrow(ProtocolViolation)
  await expect(begun).rejects.toThrow('does not give')
})

/** Files of a person: two, the second of which is gone by now. */
const given = (content: Buffer): CopiedFiles => ({
  files: [
    { index: 0, path: 'März.txt', isFolder: false, size: content.length },
    { index: 1, path: 'gone', isFolder: false, size: 3 },
  ],
  size: async ({ size = 0 }) => size,
  read: async ({ index }, offset, length) => {
    if (index === 1) throw new Error('it is gone')
    return content.subarray(offset, offset + length)
  },
})

test('files that are given to a machine are on its clipboard: their list, and pieces as it asks for them', async () => {
  const { peer, clipboard } = machine()
  const content = Buffer.alloc(MAX_PIECE + 10, 'dig here')
  clipboard.offer('a word')
  clipboard.offerFiles(given(content))
  expect([...peer.offered.keys()]).toEqual(['FileGroupDescriptorW', 'FileContents'])
  expect(await peer.list()).toEqual([
    ['März.txt', content.length],
    ['gone', 3],
  ])
  expect((await peer.fetch(0, 4, 4))?.toString()).toBe('here')
  // As much as may be asked for at once, however much is.
  expect((await peer.fetch(0, 0, 10 * MAX_PIECE))?.equals(content.subarray(0, MAX_PIECE))).toBe(true)
  expect((await peer.fetch(0, 5 * 2 ** 32, 4))?.length).toBe(0)
  for (const index of [1, 2, 0xffff_ffff]) expect(await peer.fetch(index, 0, 4)).toBeUndefined()
})

test('a text given to a machine after files takes their place, also while one is being read, and a flood of questions is refused', async () => {
  const { peer, clipboard } = machine()
  const reading = Promise.withResolvers<Buffer>()
  const read = () => reading.promise
  clipboard.offerFiles({ ...given(Buffer.from('dig')), read })
  const asked = Array.from({ length: 20 }, () => peer.fetch(0, 0, 3))
  // The last ones at once: those before wait for the first.
  for (const one of asked.slice(16)) expect(await one).toBeUndefined()
  clipboard.offer('a word')
  reading.resolve(Buffer.from('dig'))
  for (const one of asked) expect(await one).toBeUndefined()
  expect([[...peer.offered.keys()], await peer.list()]).toEqual([['13'], []])
  clipboard.offerFiles(given(Buffer.from('dig')))
  expect((await peer.fetch(0, 0, 3))?.toString()).toBe('dig')
  clipboard.close()
  expect(await peer.fetch(0, 0, 3)).toBeUndefined()
})

test('a text that is pasted has the line ends of the machine, whatever those of its person are', async () => {
  const ends = async (isUnix: boolean) => {
    const { peer, clipboard } = machine({ isUnix })
    clipboard.offer('one\ntwo\r\nthree\rfour')
    return peer.text()
  }
  expect([await ends(false), await ends(true)]).toEqual(['one\r\ntwo\r\nthree\r\nfour', 'one\ntwo\nthree\nfour'])
})
