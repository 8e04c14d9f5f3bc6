import { afterEach, expect, test, vi } from 'vitest'
import type { Recording } from '../recording.ts'
import { GuacamoleDisplay } from './display.ts'
import { guacamoleEvents, guacamoleRecording } from './guacamole-recording.ts'

const say = (...elements: (string | number)[]) =>
  `${elements.map((one) => `${[...String(one)].length}.${one}`).join(',')};`
const START = 1_700_000_000_000
const sync = (seconds: number) => say('sync', START + seconds * 1000)

test('a moment is what came up to a sync, in seconds since the first; one without a change is none', () => {
  const text = `${say('size', 0, 8, 8)}${sync(0)}${say('mouse', 1, 1)}${sync(2)}${say('nop')}${sync(5)}${sync(9)}${say('key', 97, 1)}${sync(10)}${say('name', '世界')}${say('mouse', 2, 2)}${sync(12)}`
  expect(guacamoleEvents(text, START)).toEqual([
    { time: 0, code: 'o', data: say('size', 0, 8, 8) + sync(0) },
    { time: 2, code: 'o', data: say('mouse', 1, 1) + sync(2) },
    { time: 12, code: 'o', data: say('name', '世界') + say('mouse', 2, 2) + sync(12) },
  ])
})

test('a piece goes on from its own second; a clock that goes back, and an end that was cut off, do no harm', () => {
  const text = `${say('mouse', 1, 1)}${sync(3)}${say('mouse', 2, 2)}5.mouse,1`
  expect(guacamoleEvents(text, START, 7)).toEqual([
    { time: 7, code: 'o', data: say('mouse', 1, 1) + sync(3) },
    { time: 7, code: 'o', data: say('mouse', 2, 2) },
  ])
  expect(guacamoleEvents('no recording', START)).toEqual([])
})

test('a piece whose beginning is not known is shown from the last one that is', async () => {
  const recording = { screen: async (n: number) => `screen ${n};` } as unknown as Recording
  const size = { cols: 8, rows: 8 }
  const parts = [
    { time: 0, ...size },
    { time: 1, ...size },
    { time: 2, ...size, follows: true as const },
  ]
  const { screen } = guacamoleRecording(recording, { origin: START, parts }, async (n) => `piece ${n};`)
  expect(await Promise.all([0, 1, 2].map(screen))).toEqual(['screen 0;', 'screen 1;', 'screen 1;piece 1;'])
  // However long nothing is known, a press on the time line does not fetch all of it.
  const endless = Array.from({ length: 200 }, (_, time) => ({ time, ...size, follows: true as const }))
  const fetched = vi.fn(async (n: number) => `piece ${n};`)
  await guacamoleRecording(recording, { origin: START, parts: endless }, fetched).screen(199)
  expect(fetched).toHaveBeenCalledTimes(8)
})

afterEach(() => vi.unstubAllGlobals())

/** A canvas that notes what is drawn, as the browser of these tests has none. */
function noting() {
  const drawn: string[] = []
  class Canvas {
    width: number
    height: number
    constructor(width: number, height: number) {
      this.width = width
      this.height = height
    }
    getContext() {
      const note = (what: string) => drawn.push(what)
      const nothing = () => {}
      return {
        ...{ canvas: this, save: nothing, restore: nothing, beginPath: nothing, rect: nothing, clip: nothing },
        clearRect: () => note('clear'),
        fill: () => note('fill'),
        drawImage: (image: { name?: string }, x: number, y: number) => note(`${image.name ?? 'canvas'} ${x},${y}`),
      }
    }
  }
  vi.stubGlobal('OffscreenCanvas', Canvas)
  vi.stubGlobal(
    'Path2D',
    class {
      rect() {}
    },
  )
  return drawn
}

/** The header of a PNG; what follows does not matter here. */
function png(width: number, height: number, id: number): string {
  const bytes = new Uint8Array(64)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  bytes.set([8, 2, 0, 0, 0, id], 24)
  return btoa(String.fromCharCode(...bytes))
}

const img = (x: number, y: number, width: number, height: number, id: number) =>
  say('img', 1, 14, 0, 'image/png', x, y) + say('blob', 1, png(width, height, id)) + say('end', 1)

test('images are drawn in the order in which they came, however long each takes to unpack', async () => {
  const drawn = noting()
  const unpacking: (() => void)[] = []
  vi.stubGlobal('createImageBitmap', async (blob: Blob) => {
    const id = new Uint8Array(await blob.arrayBuffer())[29]
    await new Promise<void>((resolve) => unpacking.push(resolve))
    return { name: `image ${id}`, width: 4, height: 4, close() {} }
  })
  const display = new GuacamoleDisplay(() => drawn.push('shown'))
  display.write(say('size', 0, 8, 8) + img(0, 0, 4, 4, 1) + img(1, 1, 4, 4, 2))
  display.write(img(2, 2, 4, 4, 3))
  expect(display.backlog).toBeGreaterThan(0)
  await vi.waitFor(() => expect(unpacking).toHaveLength(2))
  unpacking[1]?.()
  unpacking[0]?.()
  await vi.waitFor(() => expect(unpacking).toHaveLength(3))
  unpacking[2]?.()
  await vi.waitFor(() => expect(display.backlog).toBe(0))
  expect(drawn).toEqual(['image 1 0,0', 'image 2 1,1', 'shown', 'image 3 2,2', 'shown'])
})

test('hostile parts are left out: a huge or damaged image, endless layers, an unknown type', async () => {
  const drawn = noting()
  const unpack = vi.fn(async (_blob: Blob): Promise<unknown> => {
    throw new Error('damaged')
  })
  vi.stubGlobal('createImageBitmap', unpack)
  const display = new GuacamoleDisplay(() => {})
  const layers = Array.from({ length: 100 }, (_, n) => say('size', -n, 16_000, 16_000)).join('')
  display.write(
    [
      say('size', 0, 8, 8),
      img(0, 0, 70_000, 70_000, 1),
      say('img', 2, 14, 0, 'image/svg+xml', 0, 0) + say('blob', 2, btoa('<svg/>')) + say('end', 2),
      say('img', 3, 14, 0, 'image/png', 0, 0) + say('blob', 3, '***') + say('end', 3),
      say('end', 77),
      layers,
      say('copy', -5, -9, -9, 1e9, 1e9, 14, 0, 0, 0),
      img(0, 0, 4, 4, 2),
      say('rect', 0, 1, 1, 2, 2) + say('cfill', 14, 0, 1, 2, 3, 255),
    ].join(''),
  )
  await vi.waitFor(() => expect(display.backlog).toBe(0))
  // One image was worth a try, and what comes after it is drawn.
  expect(unpack).toHaveBeenCalledOnce()
  expect(drawn).toEqual(['fill'])
})

test('large images are unpacked one by one; a jump closes those that were', async () => {
  noting()
  const unpacking: (() => void)[] = []
  const close = vi.fn()
  vi.stubGlobal(
    'createImageBitmap',
    () => new Promise((resolve) => unpacking.push(() => resolve({ name: 'image', width: 4, height: 4, close }))),
  )
  const display = new GuacamoleDisplay(() => {})
  const large = Array.from({ length: 5 }, (_, n) => img(0, 0, 8192, 8192, n)).join('')
  display.write(say('size', 0, 8, 8) + large + img(0, 0, 4, 4, 9))
  await vi.waitFor(() => expect(unpacking).toHaveLength(1))
  display.reset()
  unpacking[0]?.()
  await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1))
  expect(unpacking).toHaveLength(1)

  display.write(say('size', 0, 8, 8) + Array.from({ length: 3 }, (_, n) => img(0, 0, 4, 4, n)).join(''))
  await vi.waitFor(() => expect(unpacking).toHaveLength(4))
  display.reset()
  for (const unpacked of unpacking) unpacked()
  await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(4))
})

test('layers without width are counted as well; a disposed one makes room, and so does a stream without end', async () => {
  const drawn = noting()
  vi.stubGlobal('createImageBitmap', async () => ({ name: 'image', width: 4, height: 4, close() {} }))
  const display = new GuacamoleDisplay(() => {})
  const layers = Array.from({ length: 5000 }, (_, n) => say('size', n, 0, 16_384)).join('')
  const streams = Array.from({ length: 100 }, (_, n) => say('img', 10 + n, 14, 0, 'image/png', 0, 0)).join('')
  display.write(layers + streams + img(0, 0, 4, 4, 1))
  await vi.waitFor(() => expect(display.backlog).toBe(0))
  expect([1023, 1024, 4999].map((n) => display.layers.get(n)?.width)).toEqual([0, undefined, undefined])
  expect(drawn).toEqual(['image 0,0'])
  display.write(say('dispose', 7) + say('size', 4999, 0, 9))
  await vi.waitFor(() => expect(display.backlog).toBe(0))
  expect(display.layers.get(4999)?.width).toBe(0)
})

test('a jump forgets what was waiting', async () => {
  const drawn = noting()
  let unpacked = () => {}
  vi.stubGlobal(
    'createImageBitmap',
    () =>
      new Promise((resolve) => {
        unpacked = () => resolve({ name: 'old', width: 4, height: 4, close() {} })
      }),
  )
  const display = new GuacamoleDisplay(() => {})
  display.write(say('size', 0, 8, 8) + img(0, 0, 4, 4, 1))
  display.reset()
  display.write(say('size', 0, 8, 8) + say('rect', 0, 1, 1, 2, 2) + say('cfill', 14, 0, 1, 2, 3, 255))
  unpacked()
  await vi.waitFor(() => expect(display.backlog).toBe(0))
  expect(drawn).toEqual(['fill'])
})
