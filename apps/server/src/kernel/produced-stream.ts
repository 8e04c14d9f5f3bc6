import { PassThrough, type Readable } from 'node:stream'
import { AppError } from './errors/app-error.ts'
import { Slots } from './slots.ts'

/** Answers of any length that are made at a time on this node: each holds a connection to the database. */
const MAX_RUNNING = 6
/** Those that wait for their turn, of everybody and of one person. */
const MAX_WAITING = 200
const MAX_WAITING_OF_OWNER = 20
/** A client that takes nothing for so long is given up. */
const STALLED_MS = 30_000
/** Bytes that are made ahead of the client. */
const AHEAD = 256 * 1024

const slots = new Slots(MAX_RUNNING)

/** Sends a piece; settles when there is room for the next. Rejects once the client is gone. */
export type Write = (piece: string | Buffer) => Promise<void>

/**
 * An answer of any length that is made while it is sent, in bounded memory. Settles with its first
 * piece, so that what fails before it is a refusal or a fault like any other; what fails later ends
 * the connection, which tells the client that the answer is not whole. Owners take turns. Throws 429
 * when too many wait.
 */
export async function producedStream(owner: string, produce: (write: Write) => Promise<void>): Promise<Readable> {
  if (slots.waiting >= MAX_WAITING || slots.waitingOf(owner) >= MAX_WAITING_OF_OWNER)
    throw new AppError(429, 'too_many_requests', 'Many long lists are being read at the moment: try again in a minute.')
  const out = new PassThrough({ highWaterMark: AHEAD })
  // What fails before the first piece has no reader yet: unheard, it would end the process.
  out.on('error', () => {})
  const begun = Promise.withResolvers<Readable>()
  const write: Write = async (piece) => {
    if (out.destroyed) throw new Error('the client is gone')
    const hasRoom = out.write(piece)
    begun.resolve(out)
    if (!hasRoom) await drained(out)
  }
  void slots
    .use(() => produce(write), owner)
    .then(() => {
      out.end()
      begun.resolve(out)
    })
    .catch((error: Error) => {
      begun.reject(error)
      out.destroy(error)
    })
  return begun.promise
}

function drained(out: PassThrough): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer)
      out.off('drain', hasRoom).off('close', isGone)
      if (error) reject(error)
      else resolve()
    }
    const hasRoom = () => settle()
    const isGone = () => settle(new Error('the client is gone'))
    const timer = setTimeout(() => settle(new Error('the client does not take its answer')), STALLED_MS)
    timer.unref()
    out.on('drain', hasRoom).on('close', isGone)
  })
}
