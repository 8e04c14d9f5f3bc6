import { expect, test } from 'vitest'
import { Clipboard } from '../protocols/rdp/clipboard.ts'
import { ClipboardPeer } from '../protocols/rdp/clipboard-peer-fixture.ts'
import { CopiedOnMachine } from './copied-on-machine.ts'

const AT_ONCE = 8

/** A machine on which that many files were copied, and what is offered of it. */
function machineWith(count: number, content: Buffer) {
  const copied = new CopiedOnMachine()
  const peer: ClipboardPeer = new ClipboardPeer((piece) => clipboard.receive(piece))
  const clipboard = new Clipboard({
    send: (pieces) => {
      for (const piece of pieces) peer.take(piece)
    },
    copied: () => {},
    copiedFiles: (files) => void copied.offer(files),
    maxBytes: 1024 * 1024,
  })
  peer.begin()
  peer.copy(...Array.from({ length: count }, (_, n) => ({ name: `${n}.txt`, content })))
  const ended: boolean[] = []
  const open = (id: number, eachPiece = async () => {}) => copied.open(id, eachPiece, (isWhole) => ended.push(isWhole))
  return { peer, ids: [...copied.files.keys()], open, ended }
}

const readAll = async (content: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(content))

test('eight copied files go at a time: one more has to wait, until one of them is over, however it ends', async () => {
  const content = Buffer.from('dig here')
  const { ids, open, ended } = machineWith(AT_ONCE + 1, content)
  const last = ids.pop() as number
  const [first, second] = await Promise.all(ids.map((id) => open(id)))
  await expect(open(last)).rejects.toMatchObject({ code: 'busy' })
  expect(await readAll(first?.content as AsyncIterable<Buffer>)).toEqual(content)
  const next = await open(last)
  await expect(open(last)).rejects.toMatchObject({ code: 'busy' })
  // Nobody has read anything of it.
  second?.content.destroy()
  await expect.poll(() => ended).toEqual([true, false])
  expect(await readAll((await open(last)).content)).toEqual(content)
  expect(await readAll(next.content)).toEqual(content)
})

test('one that the machine does not give takes no place of the others', async () => {
  const { peer, ids, open } = machineWith(AT_ONCE + 1, Buffer.from('x'))
  peer.copy({ name: 'gone.txt', content: Buffer.from('x'), isUnsized: true })
  expect(ids).toHaveLength(AT_ONCE + 1)
  const gone = (ids.at(-1) as number) + 1
  peer.isClosed = true
  for (let n = 0; n <= AT_ONCE; n++) await expect(open(gone)).rejects.toMatchObject({ fault: 'missing' })
})

test('each piece of a copied file is asked for leave, and none goes on without', async () => {
  const { peer, ids, open, ended } = machineWith(1, Buffer.alloc(600_000, 'x'))
  let asked = 0
  const mayHave = async () => {
    if (++asked > 1) throw new Error('not any more')
  }
  const { content, size } = await open(ids[0] as number, mayHave)
  expect(size).toBe(600_000)
  const got: Buffer[] = []
  const reading = (async () => {
    for await (const bytes of content) got.push(bytes)
  })()
  await expect(reading).rejects.toThrow('not any more')
  expect([got.reduce((sum, { length }) => sum + length, 0), peer.asked.length]).toEqual([256 * 1024, 2])
  await expect.poll(() => ended).toEqual([false])
})
