import { HeldByPeople } from '../../connections/held-by-people.ts'

/** Connections of a person on this node, being opened or open. */
const OF_PERSON = 128
/** Refusals of a person at once that are asked for and logged, and the time after which one more is. */
const REFUSALS = 30
const REFUSAL_MS = 2_000
/** Connections of a person at once, and the time after which one more may be opened. */
export const OPENS = 200
export const OPEN_MS = 50

/** So many at once for each person, and one more after each so many milliseconds. */
class Allowance {
  readonly #most: number
  readonly #refillMs: number
  readonly #now: () => number
  /** Those who do not have all: what is left to them, and since when. The oldest come first. */
  readonly #people = new Map<string, { left: number; since: number }>()

  constructor(most: number, refillMs: number, now: () => number) {
    this.#most = most
    this.#refillMs = refillMs
    this.#now = now
  }

  has(userId: string): boolean {
    return this.#leftTo(userId) >= 1
  }

  /** Answers whether there was one. */
  take(userId: string): boolean {
    const left = this.#leftTo(userId)
    if (left < 1) return false
    this.#people.delete(userId)
    for (const id of this.#people.keys()) {
      if (this.#leftTo(id) < this.#most) break
      this.#people.delete(id)
    }
    this.#people.set(userId, { left: left - 1, since: this.#now() })
    return true
  }

  #leftTo(userId: string): number {
    const known = this.#people.get(userId)
    return known ? Math.min(this.#most, known.left + (this.#now() - known.since) / this.#refillMs) : this.#most
  }
}

/** Limits of forwarded connections on this node. */
export class ForwardingLimits {
  readonly #held = new HeldByPeople(OF_PERSON)
  readonly #refusals: Allowance
  readonly #opens: Allowance

  /** `now` in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#refusals = new Allowance(REFUSALS, REFUSAL_MS, now)
    this.#opens = new Allowance(OPENS, OPEN_MS, now)
  }

  /** Answers how to give it back; undefined when the person has reached the limit. */
  take(userId: string): (() => void) | undefined {
    return this.#held.take(userId)
  }

  /** Whether a connection that may be refused is asked about: a program that tries every port costs nobody anything. */
  mayAsk(userId: string): boolean {
    return this.#refusals.has(userId)
  }

  /** Counts a refusal, and answers whether it is logged. */
  noteRefusal(userId: string): boolean {
    return this.#refusals.take(userId)
  }

  /** Counts a connection that may lead somewhere; false where there are too many in too short a time. */
  mayOpen(userId: string): boolean {
    return this.#opens.take(userId)
  }
}
