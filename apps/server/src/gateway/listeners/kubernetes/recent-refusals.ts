import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Failure } from './answer.ts'

/** `kubectl` tries the older protocol at once. */
const KEPT_MS = 10_000
const MAX_KEPT = 1000

/**
 * Why programs were refused a moment ago: `kubectl` tries again by SPDY whatever the reason, and
 * shows what it hears then.
 */
export class RecentRefusals {
  readonly #kept = new Map<string, { failure: Failure; until: number }>()

  note(request: IncomingMessage, failure: Failure): void {
    if (request.method !== 'GET') return
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    this.#kept.set(keyOf(request), { failure, until: performance.now() + KEPT_MS })
  }

  /** Refusal of the same request, sent by POST. */
  of(request: IncomingMessage): Failure | undefined {
    if (request.method !== 'POST') return undefined
    const key = keyOf(request)
    const found = this.#kept.get(key)
    this.#kept.delete(key)
    return found && found.until > performance.now() ? found.failure : undefined
  }
}

const keyOf = ({ url, headers }: IncomingMessage) =>
  createHash('sha256')
    .update(JSON.stringify([url, headers.authorization]))
    .digest('base64')
