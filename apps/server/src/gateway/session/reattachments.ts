import { mayConnect } from '../../domains/perms/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { type EndReason, findSessionOutcome, noteSessionEvent } from '../../domains/terminal/index.ts'
import { inBackground } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LiveSession } from './live-session.ts'
import type { Person } from './person.ts'
import { SessionRefusal } from './refusal.ts'
import type { SessionSummary } from './session-summary.ts'

const MAX_MINUTES = 24 * 60

/** A session that its person can come back to. */
export interface Reattachable {
  session: SessionSummary
  live: LiveSession
  /**
   * View that it is shown in, if not in a terminal: a person who comes back has to show it so, too.
   */
  view?: 'workbench'
  /** The person's sign-in does not count any more: another one took its place. */
  leave(): void
}

/** Minutes that a session is kept for its person; 0 when it is not. */
export function reattachMinutes(kernel: Kernel): number {
  return Math.min(MAX_MINUTES, Math.max(0, Number(settingsOf(kernel).get('TERMINAL_SESSION_REATTACH_TIME')) || 0))
}

/** Sessions of this node whose people may come back to them. */
export class Reattachments {
  readonly #kernel: Kernel
  readonly #all = new Map<string, Reattachable>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  add(one: Reattachable): void {
    this.#all.set(one.session.id, one)
    inBackground(
      one.live.ended.then(() => {
        this.#all.delete(one.session.id)
        one.leave()
      }),
    )
  }

  get minutes(): number {
    return reattachMinutes(this.#kernel)
  }

  /** Those of a person that go on; one whose end is still being stored is nothing to come back to. */
  of(userId: string): Reattachable[] {
    return [...this.#all.values()].filter(({ live }) => live.person.id === userId && !live.isOver)
  }

  /** One's own session, after asking for the permission again. Throws SessionRefusal. */
  async claim(sessionId: string, person: Person): Promise<Reattachable> {
    const one = this.#all.get(sessionId)
    if (one?.live.person.id !== person.id || one.live.isOver) throw await this.#whyGone(sessionId, person)
    const { target_family: family, asset_id: id, system_user_id: systemUserId } = one.session
    const { allowed } = await mayConnect(this.#kernel.db, {
      userId: person.id,
      target: { family, id },
      systemUserId,
    })
    if (!allowed) throw new SessionRefusal('Your permission for this asset has ended')
    // It may have ended meanwhile.
    if (one.live.isOver) throw await this.#whyGone(sessionId, person)
    return one
  }

  /**
   * Adds an event to the session's history; if the database is down, the event is lost, not the
   * session.
   */
  note({ session }: Reattachable, event: 'detached' | 'resumed', { name, username, remoteAddress }: Person): void {
    const { id, org_id } = session
    noteSessionEvent(this.#kernel, {
      session: id,
      org_id,
      event,
      user: `${name}(${username})`,
      remote_addr: remoteAddress,
    }).catch((error) => this.#kernel.app.log.error({ err: error, session: id }, 'session event could not be stored'))
  }

  async #whyGone(sessionId: string, person: Person): Promise<SessionRefusal> {
    const fate = await findSessionOutcome(this.#kernel, sessionId, person.id)
    if (!fate) return notYours()
    if (!fate.isFinished) return new SessionRefusal('The server that carries this session cannot be reached')
    return new SessionRefusal(END_TEXTS[fate.reason ?? 'shutdown'] ?? 'The session has ended while you were away')
  }
}

export const notYours = () => new SessionRefusal('There is no such session of yours')

const END_TEXTS: Partial<Record<EndReason, string>> = {
  // Also for sessions that ended without a reason.
  shutdown:
    'The server was restarted: your session, and what ran in it, is lost. What was shown until then is in its recording.',
  waited: 'The session was ended because nobody came back in time',
}
