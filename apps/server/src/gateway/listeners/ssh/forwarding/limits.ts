import { HeldByPeople } from '../../connections/held-by-people.ts'

/** Connections of a person on this node, being opened or open. */
const OF_PERSON = 128
/** Refusals of a person at once, and the time after which one more is answered, in milliseconds. */
const REFUSALS = 30
const REFILL_MS = 2_000

/** Limits of forwarded connections on this node. */
export class ForwardingLimits {
  readonly #held = new HeldByPeople(OF_PERSON)
  /** People with refusals: how many are left to them, and since when. */
  readonly #refusals = new Map<string, { left: number; since: number }>()

  /** Answers how to give it back; undefined when the person has reached the limit. */
  take(userId: string): (() => void) | undefined {
    return this.#held.take(userId)
  }

  /** Whether a question of this person is answered: a program that tries every port costs nobody anything. */
  mayAsk(userId: string): boolean {
    const known = this.#refusals.get(userId)
    return !known || leftOf(known) >= 1
  }

  noteRefusal(userId: string): void {
    const now = performance.now()
    for (const [id, known] of this.#refusals) if (leftOf(known) >= REFUSALS) this.#refusals.delete(id)
    const known = this.#refusals.get(userId)
    this.#refusals.set(userId, { left: (known ? leftOf(known) : REFUSALS) - 1, since: now })
  }
}

const leftOf = ({ left, since }: { left: number; since: number }): number =>
  Math.min(REFUSALS, left + (performance.now() - since) / REFILL_MS)
