import type { Writable } from 'node:stream'
import type ssh2 from 'ssh2'
import { inBackground } from '../../../../kernel/background.ts'
import { keepHalfOpen } from '../../../../kernel/ssh/ssh2/forwarded-channels.ts'
import { onceLeft } from '../../../../kernel/ssh/ssh2/left-channels.ts'

/** Bytes that wait for a reader before its source is not read any more, and fewer than which go on. */
const FULL_BYTES = 128 * 1024
const ROOM_BYTES = FULL_BYTES / 2
/** Bytes that wait to be sent over an SSH connection, for all of its channels together, before its sources wait. */
const UNSENT_BYTES = 1024 * 1024
/** A far end that takes nothing any more is left after so long, once the other one has gone. */
const LEFT_MS = 10_000
/** A channel that was closed counts so long, unless the other side confirms it before. */
const CONFIRM_MS = 2_000

/** Two channels that were joined. */
export interface Spliced {
  /** Bytes from the person, and from the machine. */
  readonly sent: number
  readonly received: number
  /** Settles when both are closed. */
  readonly over: Promise<void>
  /** Closes both at once. */
  cut(): void
}

/**
 * Joins the channel of a person with one of a machine, byte for byte: each direction ends by itself,
 * and a reader that is slow holds back its own source alone.
 */
export function splice(person: ssh2.ServerChannel, machine: ssh2.ClientChannel, onBytes: () => void): Spliced {
  keepHalfOpen(person)
  const counts = { sent: 0, received: 0 }
  const pass = (from: ssh2.Channel, to: ssh2.Channel, way: keyof typeof counts) => {
    let waiting = 0
    let isUnsent = false
    const goOn = () => {
      if (!isUnsent && waiting < ROOM_BYTES && from.isPaused()) from.resume()
    }
    from.on('data', (bytes: Buffer) => {
      counts[way] += bytes.length
      onBytes()
      waiting += bytes.length
      if (waiting > FULL_BYTES) from.pause()
      to.write(bytes, () => {
        waiting -= bytes.length
        goOn()
      })
      const socket = socketOf(to)
      if (isUnsent || socket.writableLength < UNSENT_BYTES) return
      isUnsent = true
      from.pause()
      socket.setMaxListeners(0).once('drain', () => {
        isUnsent = false
        goOn()
      })
    })
    from.once('end', () => to.end())
    from.on('error', () => {})
  }
  pass(person, machine, 'sent')
  pass(machine, person, 'received')
  const close = (one: ssh2.Channel) => {
    // Also what nobody takes any more is read to its end, before which the library reports no close.
    one.removeAllListeners('data').resume()
    one.end(() => one.close())
  }
  const cut = () => {
    for (const one of [person, machine]) {
      one.removeAllListeners('data').resume()
      one.destroy()
    }
    // The other side may never confirm it.
    setTimeout(isOver, CONFIRM_MS).unref()
  }
  const closed = (one: ssh2.Channel) => new Promise<void>((resolve) => one.once('close', () => resolve()))
  let timer: NodeJS.Timeout | undefined
  const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
  inBackground(
    Promise.all([closed(person), closed(machine)]).then(() => {
      clearTimeout(timer)
      isOver()
    }),
  )
  onceLeft(person, () => {
    timer = setTimeout(cut, LEFT_MS)
  })
  person.once('close', () => close(machine))
  machine.once('close', () => close(person))
  return {
    get sent() {
      return counts.sent
    },
    get received() {
      return counts.received
    },
    over,
    cut,
  }
}

/** A channel writes to its connection as far as the other side's window goes, be it sent or not. */
const socketOf = (channel: ssh2.Channel): Writable =>
  (channel as unknown as { _client: { _sock: Writable } })._client._sock

/** Closes the channel of a machine whose person has gone before the two were joined. */
export function abandon(machine: ssh2.ClientChannel): Spliced {
  machine.on('error', () => {}).resume()
  machine.destroy()
  return { sent: 0, received: 0, over: Promise.resolve(), cut: () => {} }
}
