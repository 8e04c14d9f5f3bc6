import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import type { OpenFailure } from '../../../../kernel/ssh/ssh2/forwarded-channels.ts'
import type { Person } from '../../../session/person.ts'
import { askFor } from '../../../session/questions-of-person.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import type { ForwardedLog } from './forwarded-log.ts'
import type { ForwardingSession } from './forwarding-session.ts'
import { type ForwardingTarget, namesakesOf } from './forwarding-target.ts'
import type { ForwardingLimits } from './limits.ts'
import { NotForwardedError } from './not-forwarded.ts'
import { NoMachine } from './right-from-machine.ts'

/** The person of an SSH connection, and the machine that they ask for. */
export interface Forwarder {
  kernel: Kernel
  person: Person
  limits: ForwardingLimits
  /** The machine and the account as the user name of the connection has them. */
  named: { asset: string; systemUser: string }
}

const NOT_GRANTED = 'No permission leads to this machine as this account'

/** Refuses connections of a person in words, and logs it as far as their limits go. */
export class Refusals {
  readonly #parts: Forwarder
  readonly #log: ForwardedLog

  constructor(parts: Forwarder, log: ForwardedLog) {
    this.#parts = parts
    this.#log = log
  }

  /** Logs that nothing is forwarded from there, and throws NotForwardedError. */
  refuse(
    of: readonly ForwardingTarget[],
    destination: string,
    error: unknown,
    session: ForwardingSession | undefined,
  ): Promise<never> {
    const reason =
      error instanceof SessionRefusal ? translate('en', error.message, { ...error.values }) : 'The connection failed'
    return this.#logged(of, { destination, reason, session_id: session?.live.id ?? null }, error)
  }

  /** The same where the machine was not found: one that was not granted is logged in organizations of the person. */
  async refuseUnknown(destination: string, error: unknown): Promise<never> {
    const { kernel, person, named } = this.#parts
    if (!(error instanceof NoMachine && error.isUnknown)) return this.refuse([], destination, error, undefined)
    const of = await askFor(person, () => namesakesOf(kernel, person.id, named)).catch(() => [])
    return this.#logged(of, { destination, reason: NOT_GRANTED, session_id: null }, error)
  }

  async #logged(
    of: readonly ForwardingTarget[],
    row: { destination: string; reason: string; session_id: string | null },
    error: unknown,
  ): Promise<never> {
    const { kernel, person, limits } = this.#parts
    if (limits.noteRefusal(person.id))
      for (const one of of)
        await this.#log
          .store(one, { outcome: 'refused', ...row })
          .catch((failure) => kernel.app.log.error({ err: failure }, 'a refused connection could not be logged'))
    throw this.#worded(error)
  }

  #worded(error: unknown): NotForwardedError {
    if (error instanceof NotForwardedError) return error
    if (error instanceof SessionRefusal) return this.of(error.message, 'prohibited', error.values)
    this.#parts.kernel.app.log.error({ err: error }, 'a connection could not be forwarded')
    return this.of('The connection failed', 'connect_failed')
  }

  of(text: string, failure: OpenFailure = 'prohibited', values: Readonly<Record<string, unknown>> = {}) {
    return new NotForwardedError(failure, translate(this.#parts.person.language, text, { ...values }))
  }
}
