import type { RunningTransfer } from './running-transfer.ts'
import { CANCEL, cancelling, takeTrailing } from './trailing-bytes.ts'

/** Within this time, a client's last packets of a transfer arrive that the machine has ended. */
const SETTLE_MS = 3000

/**
 * Packets that the person's program still sends of a transfer that has ended: they are dropped, and
 * what is typed between them is not.
 */
export class LatePackets {
  #transfer: RunningTransfer | undefined
  #timer: NodeJS.Timeout | undefined

  /** Packets of this transfer are late from now on. */
  expect(transfer: RunningTransfer): void {
    this.end()
    transfer.late = { typed: [], isDone: false }
    this.#transfer = transfer
    this.#timer = setTimeout(() => this.end(), SETTLE_MS).unref()
  }

  /** From now on everything is typed. */
  end(): void {
    clearTimeout(this.#timer)
    delete this.#transfer?.late
    this.#transfer = undefined
  }

  /** Drops packets until the program has given up as well. Answers what was typed. */
  drop(bytes: Buffer): Buffer {
    const { late, person } = this.#transfer ?? {}
    if (!late || !person) return bytes
    if (person.isBetween && !bytes.includes(CANCEL)) return bytes
    const length = person.push(bytes)
    const typed = late.typed.splice(0)
    if (late.isDone) {
      this.end()
      const rest = bytes.subarray(length)
      typed.push(rest.subarray(takeTrailing(cancelling(rest.length), rest)))
    }
    return Buffer.concat(typed)
  }
}
