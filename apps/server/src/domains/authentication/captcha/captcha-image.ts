import { randomBytes, randomInt } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Size on the wire (docs/rules/authentication.md#login_page). */
export const CAPTCHA_WIDTH = 140
export const CAPTCHA_HEIGHT = 34

type Point = readonly [x: number, y: number]
type Stroke = readonly Point[]

/** Strokes of each character in a unit square, y pointing down. */
const GLYPHS: Readonly<Record<string, readonly Stroke[]>> = {
  0: [ring(0.5, 0.5, 0.36, 0.5)],
  // With a foot, and the seven with a bar: rotated, the two would look alike.
  1: [
    [
      [0.25, 0.22],
      [0.55, 0],
      [0.55, 1],
    ],
    [
      [0.2, 1],
      [0.9, 1],
    ],
  ],
  2: [
    [
      [0.15, 0.25],
      [0.3, 0.04],
      [0.65, 0],
      [0.85, 0.22],
      [0.75, 0.5],
      [0.12, 1],
      [0.9, 1],
    ],
  ],
  3: [
    [
      [0.15, 0.08],
      [0.55, 0],
      [0.82, 0.2],
      [0.7, 0.43],
      [0.42, 0.47],
      [0.75, 0.54],
      [0.88, 0.77],
      [0.6, 1],
      [0.12, 0.92],
    ],
  ],
  4: [
    [
      [0.68, 1],
      [0.68, 0],
      [0.1, 0.68],
      [0.92, 0.68],
    ],
  ],
  5: [
    [
      [0.82, 0],
      [0.25, 0],
      [0.2, 0.45],
      [0.6, 0.4],
      [0.88, 0.68],
      [0.62, 0.98],
      [0.14, 0.94],
    ],
  ],
  6: [
    [
      [0.78, 0.03],
      [0.35, 0.3],
      [0.16, 0.7],
    ],
    ring(0.5, 0.72, 0.34, 0.28),
  ],
  7: [
    [
      [0.12, 0],
      [0.9, 0],
      [0.4, 1],
    ],
    [
      [0.3, 0.5],
      [0.82, 0.5],
    ],
  ],
  8: [ring(0.5, 0.25, 0.28, 0.25), ring(0.5, 0.74, 0.35, 0.26)],
  9: [
    ring(0.5, 0.28, 0.34, 0.28),
    [
      [0.84, 0.3],
      [0.66, 0.72],
      [0.24, 0.97],
    ],
  ],
  '+': [
    [
      [0.5, 0.25],
      [0.5, 0.8],
    ],
    [
      [0.2, 0.52],
      [0.8, 0.52],
    ],
  ],
  '-': [
    [
      [0.2, 0.52],
      [0.8, 0.52],
    ],
  ],
  '=': [
    [
      [0.15, 0.4],
      [0.85, 0.4],
    ],
    [
      [0.15, 0.66],
      [0.85, 0.66],
    ],
  ],
}

function ring(x: number, y: number, width: number, height: number): Stroke {
  const corners = 14
  return Array.from({ length: corners + 1 }, (_, n) => {
    const angle = (n / corners) * 2 * Math.PI
    return [x + width * Math.sin(angle), y - height * Math.cos(angle)] as const
  })
}

type Segment = readonly [x1: number, y1: number, x2: number, y2: number, halfWidth: number]

/** A fraction from the system's random source, so that pictures can't be predicted. */
const fraction = () => randomInt(1 << 24) / (1 << 24)
const between = (low: number, high: number) => low + (high - low) * fraction()

/**
 * Draws digits, `+`, `-` and `=` as a grey PNG of 140 by 34, each character rotated, shifted and
 * scaled at random, with lines across. Drawn here because the maintained libraries make SVG, whose
 * paths a program reads without looking at pixels.
 */
export function drawCaptcha(text: string): Buffer {
  const ink = new Float32Array(CAPTCHA_WIDTH * CAPTCHA_HEIGHT)
  for (const segment of [...glyphSegments(text), ...crossLines()]) draw(ink, segment)
  const noise = randomBytes(ink.length)
  const rows = Buffer.alloc(CAPTCHA_HEIGHT * (CAPTCHA_WIDTH + 1))
  // The first byte of a row is its PNG filter: none.
  for (const [at, amount] of ink.entries())
    rows[at + Math.floor(at / CAPTCHA_WIDTH) + 1] = Math.round(248 - 190 * amount - (24 * (noise[at] ?? 0)) / 255)
  return png(rows)
}

/**
 * Visits only the pixels around a stroke: anybody may ask for pictures, so one must cost next to
 * nothing.
 */
function draw(ink: Float32Array, segment: Segment): void {
  const [x1, y1, x2, y2, halfWidth] = segment
  const reach = halfWidth + 1
  const [left, right] = [
    Math.max(0, Math.floor(Math.min(x1, x2) - reach)),
    Math.min(CAPTCHA_WIDTH - 1, Math.ceil(Math.max(x1, x2) + reach)),
  ]
  const [top, bottom] = [
    Math.max(0, Math.floor(Math.min(y1, y2) - reach)),
    Math.min(CAPTCHA_HEIGHT - 1, Math.ceil(Math.max(y1, y2) + reach)),
  ]
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) {
      const at = y * CAPTCHA_WIDTH + x
      ink[at] = Math.max(ink[at] ?? 0, Math.max(0, Math.min(1, halfWidth + 0.5 - distance(x, y, segment))))
    }
}

function glyphSegments(text: string): Segment[] {
  const characters = [...text]
  const step = (CAPTCHA_WIDTH - 16) / characters.length
  return characters.flatMap((character, index) => {
    const angle = between(-0.22, 0.22)
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const [width, height] = [between(11, 14), between(17, 21)]
    const [left, top] = [8 + step * (index + 0.5) + between(-2, 2), CAPTCHA_HEIGHT / 2 + between(-3, 3)]
    const place = ([x, y]: Point): Point => {
      const [dx, dy] = [(x - 0.5) * width, (y - 0.5) * height]
      return [left + dx * cos - dy * sin, top + dx * sin + dy * cos]
    }
    return (GLYPHS[character] ?? []).flatMap((stroke) => joined(stroke.map(place), 1.1))
  })
}

function crossLines(): Segment[] {
  return Array.from({ length: 3 }, () => joined([edge(0), edge(CAPTCHA_WIDTH / 2), edge(CAPTCHA_WIDTH)], 0.4)).flat()
}

const edge = (x: number): Point => [x, between(2, CAPTCHA_HEIGHT - 2)]

function joined(points: readonly Point[], halfWidth: number): Segment[] {
  return points.slice(1).map(([x, y], n) => {
    const [fromX, fromY] = points[n] as Point
    return [fromX, fromY, x, y, halfWidth]
  })
}

function distance(x: number, y: number, [x1, y1, x2, y2]: Segment): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)))
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy)
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const GREY_8_BITS = [8, 0, 0, 0, 0]

/** https://www.w3.org/TR/png-3/ */
function png(rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(CAPTCHA_WIDTH, 0)
  header.writeUInt32BE(CAPTCHA_HEIGHT, 4)
  header.set(GREY_8_BITS, 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
