import { inBackground } from '../../../kernel/background.ts'
import type { OpenFile } from '../../files/open-file.ts'
import { SftpStatus, STATUS } from '../../files/sftp/sftp-wire.ts'

/**
 * A browser sends a large file in parts, each in a request. Between two parts the file stays open
 * for so long; then the upload counts as given up.
 */
const WAIT_MS = 60_000
/** Files of one browser that may wait for their next part. */
const MAX_HELD = 16

interface Held {
  file: OpenFile
  offset: number
  timer: NodeJS.Timeout
}

/**
 * Uploads between two parts: one upload is one open file and one entry in the FTP log, however many
 * requests it takes.
 */
export class PendingUploads {
  readonly #held = new Map<string, Held>()

  /**
   * Takes over the file that waits for a part beginning at `offset`. One that waits for another
   * offset is given up.
   */
  async take(key: string, offset: number): Promise<OpenFile | undefined> {
    const held = this.#held.get(key)
    if (!held) return undefined
    this.#held.delete(key)
    clearTimeout(held.timer)
    if (held.offset === offset) return held.file
    await giveUp(held)
    return undefined
  }

  hold(key: string, file: OpenFile, offset: number): void {
    const [oldest] = this.#held.keys()
    if (this.#held.size >= MAX_HELD && oldest !== undefined) inBackground(this.take(oldest, -1))
    const timer = setTimeout(() => inBackground(this.take(key, -1)), WAIT_MS)
    this.#held.set(key, { file, offset, timer: timer.unref() })
  }
}

const giveUp = ({ file }: Held) => file.stop(new SftpStatus(STATUS.CONNECTION_LOST, 'The transfer was broken off'))
