/** Bitmaps with 32 bits a pixel: a plane for each color, in runs (MS-RDPEGDI 2.2.2.5.1, 3.1.9). */

const RUN_LENGTHS = 0x10
const NO_ALPHA = 0x20
/** Shorter runs have no code. */
const SHORTEST = 3
/** Limits of one byte: values as they are, a run behind them, a run by itself. */
const [MOST_RAW, MOST_BEHIND, MOST_ALONE] = [15, 15, 47]

/** `pixels`: the lowest row first, red in the lowest byte. */
export function encodePlanes(pixels: Uint32Array, width: number, height: number, skipsAlpha: boolean): Buffer {
  const alpha = skipsAlpha ? [] : [new Uint8Array(width * height).fill(0xff)]
  const planes = [...alpha, ...[0, 8, 16].map((shift) => planeOf(pixels, shift))]
  const head = skipsAlpha ? NO_ALPHA : 0
  const most = planes.length * width * height
  const runs = Buffer.alloc(most + 2)
  let at = 0
  runs[at++] = head | RUN_LENGTHS
  for (const plane of planes) {
    at = encodePlane(plane, width, runs, at)
    // Noise is longer in runs than as it is.
    if (at > most) return Buffer.concat([Buffer.of(head), ...planes, Buffer.of(0)])
  }
  return runs.subarray(0, at)
}

function planeOf(pixels: Uint32Array, shift: number): Uint8Array {
  const plane = new Uint8Array(pixels.length)
  for (let n = 0; n < plane.length; n++) plane[n] = (pixels[n] as number) >> shift
  return plane
}

/** Each row after the first says how it differs from the one before. Answers where it ends; what does not fit is lost. */
function encodePlane(plane: Uint8Array, width: number, into: Buffer, from: number): number {
  const row = new Uint8Array(width)
  let at = from
  for (let start = 0; start < plane.length && at < into.length; start += width) {
    for (let n = 0; n < width; n++) {
      const value = plane[start + n] as number
      row[n] = start ? differenceOf(value, plane[start + n - width] as number) : value
    }
    at = encodeRow(row, into, at)
  }
  return at
}

/** The lowest bit is the sign. */
function differenceOf(value: number, before: number): number {
  const difference = ((value - before) << 24) >> 24
  return difference < 0 ? ((-difference << 1) - 1) & 0xff : difference << 1
}

function encodeRow(row: Uint8Array, into: Buffer, from: number): number {
  let at = from
  let raw = 0
  /** Value that a run repeats. */
  let last = 0
  for (let n = 0; n < row.length; ) {
    const repeated = raw ? (row[n - 1] as number) : last
    let run = 0
    while (n + run < row.length && row[n + run] === repeated) run++
    if (run < SHORTEST) {
      run = 0
      raw++
      n++
    }
    if (!run && raw < MOST_RAW && n < row.length) continue
    const behind = raw ? lengthOf(run, MOST_BEHIND) : 0
    if (raw) {
      into[at++] = (raw << 4) | behind
      for (let one = n - raw; one < n; one++) into[at++] = row[one] as number
    }
    at = encodeRun(run - behind, into, at)
    n += run
    last = row[n - 1] as number
    raw = 0
  }
  return at
}

function encodeRun(run: number, into: Buffer, from: number): number {
  let at = from
  for (let left = run; left > 0; ) {
    const length = lengthOf(left, MOST_ALONE)
    into[at++] = length >= 32 ? ((length - 32) << 4) | 2 : length >= 16 ? ((length - 16) << 4) | 1 : length
    left -= length
  }
  return at
}

/** As much of a run as goes, so that what is left is none or has a code. */
function lengthOf(run: number, most: number): number {
  const left = run - most
  return left > 0 && left < SHORTEST ? most - SHORTEST : Math.min(run, most)
}
