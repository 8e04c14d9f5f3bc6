import type { AskedPlace } from '../../../../domains/perms/forwarding/index.ts'
import {
  endForwardedConnection,
  type ForwardedEnd,
  type NewForwardedConnection,
  storeForwardedConnection,
} from '../../../../domains/terminal/forwarding/index.ts'
import { noteSessionEvent } from '../../../../domains/terminal/index.ts'
import { displayName } from '../../../../kernel/access/call.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { withRetries } from '../../../../kernel/with-retries.ts'
import { plainText } from '../../../prompt/plain-text.ts'
import type { Person } from '../../../session/person.ts'
import type { ForwardingTarget } from './forwarding-target.ts'

const TEXT_MAX = 300

/** A place as it was asked for, for people. */
export function textOf(asked: AskedPlace): string {
  if ('path' in asked) return plainText(asked.path).slice(0, TEXT_MAX)
  const host = asked.host.includes(':') ? `[${asked.host}]` : asked.host
  return plainText(`${host}:${asked.port}`).slice(0, TEXT_MAX)
}

/** The rows of what a person forwards, or may not. */
export class ForwardedLog {
  readonly #kernel: Kernel
  readonly #person: Person

  constructor(kernel: Kernel, person: Person) {
    this.#kernel = kernel
    this.#person = person
  }

  /** Notes in a session's history that connections are forwarded in it. Nobody waits for it. */
  noteSession({ id, orgId }: { id: string; orgId: string }): void {
    const { app } = this.#kernel
    const user = displayName(this.#person)
    noteSessionEvent(this.#kernel, { session: id, org_id: orgId, event: 'forwarded', user }).catch((error) =>
      app.log.error({ err: error, session: id }, 'session event could not be stored'),
    )
  }

  /** Answers the row's id. Throws what the database throws. */
  store(
    { orgId, asset, systemUser, target }: ForwardingTarget,
    row: Pick<NewForwardedConnection, 'destination' | 'outcome' | 'reason' | 'session_id'>,
  ): Promise<string> {
    const person = this.#person
    return storeForwardedConnection(this.#kernel.db, {
      org_id: orgId,
      user: displayName(person),
      user_id: person.id,
      asset,
      asset_id: target.id,
      system_user: systemUser,
      remote_addr: person.remoteAddress,
      sign_in_id: person.signInId ?? null,
      ...row,
      ...(row.outcome === 'open' ? {} : { date_end: new Date() }),
    })
  }

  /** Nobody waits for it. */
  storeEnd(id: string, end: ForwardedEnd): void {
    const { db, app } = this.#kernel
    withRetries(() => endForwardedConnection(db, id, end)).catch((error) =>
      app.log.error({ err: error, id }, 'the end of a forwarded connection could not be stored'),
    )
  }
}
