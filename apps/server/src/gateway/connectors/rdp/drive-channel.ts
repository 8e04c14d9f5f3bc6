import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { Drive } from '../../protocols/rdp/drive/drive.ts'

/** Limit of bytes of files that wait to be sent: keys are not to wait behind more. */
const FILES_AHEAD = 128 * 1024

interface DriveChannelParts {
  stream: Duplex
  /** Sends a piece on the channel. */
  send(piece: Buffer): void
  /** See `DriveParts`. */
  onRoom(): unknown
  log: Pick<FastifyBaseLogger, 'info'>
}

/** Settles when a stream has taken so much that files may follow; undefined where they may at once. */
export function roomForFiles(stream: Duplex): Promise<void> | undefined {
  if (stream.writableLength < FILES_AHEAD || stream.destroyed) return undefined
  return new Promise((resolve) => {
    const goOn = () => {
      stream.off('drain', goOn).off('close', goOn)
      resolve()
    }
    stream.on('drain', goOn).on('close', goOn)
  })
}

/** The drive of a session, whose answers go out as fast as the server takes them. */
export function openDrive({ stream, send, onRoom, log }: DriveChannelParts): Drive {
  return new Drive({
    send,
    onRoom: () => void onRoom(),
    room: () => roomForFiles(stream),
    onBroken: (error) => log.info({ err: error }, 'a server of RDP does not speak the protocol of drives'),
  })
}
