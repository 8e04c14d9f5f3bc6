import { randomUUID } from 'node:crypto'

/** Somebody in a session: its person, or a guest who joined by link (contract/web-terminal.yaml TERMINAL_SHARE_JOIN). */
export interface Participant {
  user_id: string
  /** Name(username). */
  user: string
  remote_addr: string
  /** The person whose session it is. */
  primary: boolean
  writable: boolean
  tell(type: string, data: unknown): void
  /** Sends a guest away; English text is the key. */
  remove?(text: string): void
}

/** Who is in a session. It ends with the session. */
export class Participants {
  readonly #present = new Map<string, Participant & { created: string }>()

  /** Tells all who came; answers how to leave. */
  enter(participant: Participant): () => void {
    const id = randomUUID()
    this.#present.set(id, { ...participant, created: new Date().toISOString() })
    if (!participant.primary) this.tell('TERMINAL_SHARE_JOIN', this.#facts(id))
    this.#tellUsers()
    return () => {
      const facts = this.#facts(id)
      if (!this.#present.delete(id)) return
      if (!participant.primary) this.tell('TERMINAL_SHARE_LEAVE', facts)
      this.#tellUsers()
    }
  }

  tell(type: string, data: unknown): void {
    for (const { tell } of this.#present.values()) tell(type, data)
  }

  /** Sends away a guest with this id, or all. */
  remove(id: string | undefined, text: string): void {
    for (const [key, { primary, remove }] of [...this.#present]) if (!primary && (id === undefined || id === key)) remove?.(text)
  }

  #tellUsers(): void {
    this.tell('TERMINAL_SHARE_USERS', Object.fromEntries([...this.#present.keys()].map((id) => [id, this.#facts(id)])))
  }

  #facts(id: string): Record<string, unknown> {
    const { tell: _, remove: __, ...facts } = this.#present.get(id) ?? {}
    return { id, ...facts }
  }
}
