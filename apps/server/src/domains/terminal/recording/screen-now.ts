import { open } from 'node:fs/promises'
import { Emulator } from './emulator.ts'

/** Lines above the screen that people who join a session can see. */
const SCROLLBACK = 1000
/** Older parts of the recording are not read: people must not wait for a session of days. */
const MAX_BYTES = 4 * 1024 * 1024
/** Largest width and height. */
const MAX_CELLS = 1000
/** The emulator is given pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1024

export interface ScreenTask {
  /** Path of a plain recording, which may still grow. */
  path: string
  /** Bytes of it to read. */
  upTo: number
  /** Size of the terminal now, which counts if the recording is not read from its beginning. */
  size: { cols: number; rows: number }
  /** Whether a full-screen program is on, likewise. */
  fullScreen: boolean
}

/**
 * What makes an empty terminal look and behave as this recording's does, with the last lines above
 * its screen.
 */
export async function screenNow({ path, upTo, size, fullScreen }: ScreenTask): Promise<string> {
  const from = Math.max(0, upTo - MAX_BYTES)
  const lines = (await read(path, from, upTo)).split('\n')
  // The first line is the header, or was cut.
  const first = lines.shift() ?? ''
  const emulator = new Emulator({ ...bounded(from ? size : sizeIn(first, size)), scrollback: SCROLLBACK })
  let piece = ''
  const flush = async () => {
    if (piece) await emulator.write(piece)
    piece = ''
  }
  try {
    if (from && fullScreen && !lines.some((line) => line.includes('[?1049'))) piece = '\x1b[?1049h'
    for (const line of lines) {
      const [, code, data] = eventIn(line)
      if (code === 'o') {
        emulator.expect(data)
        piece += data
        if (piece.length >= PIECE_CHARACTERS) await flush()
      } else if (code === 'r') {
        await flush()
        const [cols, rows] = data.split('x').map(Number)
        if (cols && rows) emulator.resize(bounded({ cols, rows }))
      }
    }
    await flush()
    // The rest of the sequence is still to come, and must not be taken for text then.
    return emulator.snapshot() + emulator.begunSequence
  } finally {
    emulator.dispose()
  }
}

function bounded({ cols, rows }: ScreenTask['size']): ScreenTask['size'] {
  return { cols: Math.min(cols, MAX_CELLS), rows: Math.min(rows, MAX_CELLS) }
}

async function read(path: string, from: number, to: number): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Nothing, for a line that was cut or is malformed. */
function eventIn(line: string): [seconds: number, code: string, data: string] {
  try {
    return JSON.parse(line)
  } catch {
    return [0, '', '']
  }
}

function sizeIn(header: string, otherwise: ScreenTask['size']): ScreenTask['size'] {
  try {
    const { width, height } = JSON.parse(header)
    return width > 0 && height > 0 ? { cols: width, rows: height } : otherwise
  } catch {
    return otherwise
  }
}
