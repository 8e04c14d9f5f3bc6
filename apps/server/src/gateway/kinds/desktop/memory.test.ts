/**
 * Limit of the gateway's memory for one session of a desktop, whatever comes: 100 MB. Most of it is
 * the picture; the rest is bounded by what is fed here, and must be gone from memory.
 */
import { expect, test } from 'vitest'
import { u16, u32 } from '../../protocols/rdp/cursor.ts'
import { Pieces } from '../../protocols/rdp/pieces.ts'
import { FastPath } from '../../protocols/rdp/updates.ts'
import { StepReader } from '../../protocols/steps.ts'
import { kept } from './kept-memory-fixture.ts'
import { MAX_PIXELS, Picture } from './picture/picture.ts'
import { View } from './picture/view.ts'

const MB = 1024 * 1024

test('the largest screen takes some 38 MB, and those who look at it next to nothing', async () => {
  expect(MAX_PIXELS * 4).toBeLessThan(40 * MB)
  const picture = new Picture(4096, 2304)
  const views = () =>
    Array.from({ length: 34 }, () => {
      const view = new View(picture)
      picture.attach(view)
      return view
    })
  expect(await kept(views)).toBeLessThan(1)
})

test('a server that sends byte by byte, or pieces of nothing, takes no more memory than its bytes', async () => {
  const TIMES = 40_000
  const byByte = () => {
    const reader = new StepReader(
      (function* () {
        yield MB
      })(),
    )
    for (let n = 0; n < TIMES; n++) reader.add(Buffer.alloc(1))
    return reader
  }
  const onChannel = (bytes: number) => () => {
    const pieces = new Pieces(MB)
    pieces.add(u32(MB, 1))
    const piece = Buffer.concat([u32(MB, 0), Buffer.alloc(bytes)])
    for (let n = 0; n < TIMES; n++) pieces.add(piece)
    return pieces
  }
  const onFastPath = (bytes: number) => () => {
    const path = new FastPath({ bitmaps() {}, pointer() {} })
    const message = (piece: number) =>
      Buffer.concat([Buffer.of(0, 5 + bytes, 1 | (piece << 4)), u16(bytes), Buffer.alloc(bytes)])
    path.receive(message(2))
    const next = message(3)
    for (let n = 0; n < TIMES; n++) path.receive(next)
    return path
  }
  const ways = { byByte, nothing: onChannel(0), one: onChannel(1), fastNothing: onFastPath(0), fastOne: onFastPath(1) }
  for (const [name, work] of Object.entries(ways)) expect([name, (await kept(work)) < 1.5]).toEqual([name, true])
})
