import { randomUUID } from 'node:crypto'

/** Somebody in a session: its person, or a guest who joined by a link. */
export interface Participant {
  user_id: string
  /** Name(username). */
  user: string
  remote_addr: string
  /** Whether the session is theirs. */
  primary: boolean
  writable: boolean
}

export interface PresentParticipant extends Participant {
  id: string
  /** ISO 8601. */
  created: string
}

/** Events that people in a session see about each other. */
export type SessionEvent =
  | { event: 'joined' | 'parted'; who: PresentParticipant }
  | { event: 'present'; all: PresentParticipant[] }
  /** `Name(username)` of each who only looks on. */
  | { event: 'watched'; by: string[] }
  | { event: 'lock'; locked: boolean; by: string }
  /** The person with the keyboard and the pointer of a desktop; empty: the owner of the session. */
  | { event: 'control'; id: string }

interface Contact {
  tell(event: SessionEvent): void
  /** Removes a guest; the English text is its translation key. */
  remove?(text: string): void
}

/** The people in a session. */
export class Participants {
  /** Those who only look on; the same person may do so in two windows. */
  readonly #watchers = new Set<{ user: string }>()
  readonly #present = new Map<string, { who: PresentParticipant; contact: Contact }>()
  /** Called for everybody who enters; the returned function is called when they leave. */
  onEntered: ((who: PresentParticipant) => () => void) | undefined

  /** Tells everybody who came; answers how to leave. `id`: by which they are known, if that matters. */
  enter(participant: Participant, contact: Contact, id: string = randomUUID()): () => void {
    const who = { ...participant, id, created: new Date().toISOString() }
    this.#present.set(who.id, { who, contact })
    const left = this.onEntered?.(who)
    if (!who.primary) this.tell({ event: 'joined', who })
    this.#notifyPresent()
    if (this.#watchers.size) contact.tell(this.#watched())
    return () => {
      if (!this.#present.delete(who.id)) return
      left?.()
      if (!who.primary) this.tell({ event: 'parted', who })
      this.#notifyPresent()
    }
  }

  /** Reports a watcher, `Name(username)`, to everybody in the session. Answers how to stop. */
  watchedBy(user: string): () => void {
    const watcher = { user }
    this.#watchers.add(watcher)
    this.tell(this.#watched())
    return () => {
      if (this.#watchers.delete(watcher)) this.tell(this.#watched())
    }
  }

  #watched(): SessionEvent {
    return { event: 'watched', by: [...new Set([...this.#watchers].map(({ user }) => user))] }
  }

  tell(event: SessionEvent): void {
    for (const { contact } of this.#present.values()) contact.tell(event)
  }

  /** Somebody who is here. */
  find(id: string): PresentParticipant | undefined {
    return this.#present.get(id)?.who
  }

  /** Removes the guest with this id, or all guests. */
  remove(id: string | undefined, text: string): void {
    for (const { who, contact } of [...this.#present.values()])
      if (!who.primary && (id === undefined || id === who.id)) contact.remove?.(text)
  }

  #notifyPresent(): void {
    this.tell({ event: 'present', all: [...this.#present.values()].map(({ who }) => who) })
  }
}
