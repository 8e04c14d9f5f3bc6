import type { Target } from '@sallyport/contract/target.ts'
import type ssh2 from 'ssh2'
import {
  type AskedPlace,
  type ForwardingRight,
  judgePlace,
  NO_FORWARDING,
  type Place,
} from '../../../../domains/perms/forwarding/index.ts'
import { inBackground } from '../../../../kernel/background.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import type { OpenFailure } from '../../../../kernel/ssh/ssh2/forwarded-channels.ts'
import type { Gateway } from '../../../gateway.ts'
import { NO_FORWARDING_HERE, permissionOf } from '../../../opening/permission.ts'
import type { Notice } from '../../../session/notice.ts'
import type { Person } from '../../../session/person.ts'
import { askFor } from '../../../session/questions-of-person.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import { ForwardedLog, textOf } from './forwarded-log.ts'
import { type ForwardingSession, NOT_OVER_SSH, openForwardingSession } from './forwarding-session.ts'
import { type ForwardingTarget, loadForwardingTarget } from './forwarding-target.ts'
import type { ForwardingLimits } from './limits.ts'
import { NotForwardedError, REFUSED, wordsOfMachine } from './not-forwarded.ts'
import { reachPlace } from './reach-place.ts'
import { abandon, type Spliced, splice } from './splice.ts'

/** Connections of one SSH connection, being opened or open. */
const OF_CONNECTION = 64
/** The session goes when nothing has been forwarded for so long; the next connection begins another. */
const REST_MS = 60_000
const NARROWED = 'The permission no longer leads there'
const ENDED = 'The session was ended'

interface Running {
  id: string
  asked: AskedPlace
  destination: string
  /** Before the two channels are joined. */
  gone: AbortController
  joined: Spliced | undefined
  /** Why the gateway has cut it off. */
  cutBy: string | undefined
}

export interface ForwardedParts {
  kernel: Kernel
  gateway: Gateway
  person: Person
  limits: ForwardingLimits
  /** Throws SessionRefusal. */
  resolve(): Promise<{ target: Target; systemUserId: string }>
}

/** The connections that one SSH connection of a person forwards from one machine. */
export class ForwardedConnections {
  readonly #parts: ForwardedParts
  readonly #log: ForwardedLog
  readonly #running = new Set<Running>()
  readonly #gone = new AbortController()
  readonly #over = Promise.withResolvers<void>()
  #held = 0
  #target: Promise<ForwardingTarget> | undefined
  #opening: Promise<ForwardingSession> | undefined
  #session: ForwardingSession | undefined
  #rest: NodeJS.Timeout | undefined
  #isTerminated = false
  #isClosed = false
  /** Settles once it has been ended. */
  readonly over: Promise<void> = this.#over.promise

  constructor(parts: ForwardedParts) {
    this.#parts = parts
    this.#log = new ForwardedLog(parts.kernel, parts.person)
  }

  /**
   * Connects to a place from the machine and answers how to join the person's channel with it, which
   * has to be done; without a channel where the person has gone. Throws NotForwardedError.
   */
  async connect(asked: AskedPlace): Promise<(channel: ssh2.ServerChannel | undefined) => void> {
    const { person, limits } = this.#parts
    if (!limits.mayAsk(person.id)) throw this.#refusal('Too many connections were refused: wait a minute')
    const giveBack = this.#held < OF_CONNECTION ? limits.take(person.id) : undefined
    if (!giveBack)
      throw this.#refusal('You have as many forwarded connections as you may: close some first', 'shortage')
    this.#held += 1
    const leave = () => {
      this.#held -= 1
      giveBack()
      this.#mayRest()
    }
    clearTimeout(this.#rest)
    try {
      const { running, machine, session } = await this.#open(asked)
      return (channel) => this.#join(running, machine, channel, session, leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Cuts everything off, with words for the log. */
  async end(words: Notice): Promise<void> {
    this.#gone.abort(new SessionRefusal(words.text, words.values))
    await this.#session?.live.end('signed_out', words)
    this.#over.resolve()
  }

  /** The person's connection is closed. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#rest)
    this.#gone.abort(new SessionRefusal('Cancelled'))
    inBackground(this.#session?.live.end('left'))
    this.#over.resolve()
  }

  async #open(asked: AskedPlace) {
    const { kernel } = this.#parts
    const of = await this.#loadTarget()
    const destination = textOf(asked)
    let place = await this.#judged(of, asked, destination)
    const isKnown = this.#session !== undefined
    const session = await this.#reach().catch((error) => this.#refuse(of, destination, error))
    // Reviewers may have thought about it for long.
    if (!isKnown) place = await this.#judged(of, asked, destination)
    if (session.live.isLocked)
      await this.#refuse(of, destination, new SessionRefusal('The input of the session is locked'))
    const id = await this.#log
      .store(of, { destination, outcome: 'open', session_id: session.live.id })
      .catch((error) => {
        kernel.app.log.error({ err: error }, 'a forwarded connection could not be logged')
        throw this.#refusal('This cannot be logged at the moment and is therefore not done: tell an administrator')
      })
    const running: Running = {
      id,
      asked,
      destination,
      gone: new AbortController(),
      joined: undefined,
      cutBy: undefined,
    }
    this.#running.add(running)
    const signal = AbortSignal.any([running.gone.signal, this.#gone.signal])
    try {
      if (session.live.isOver) throw new Error(ENDED)
      const machine = await reachPlace(session.machine.client, place, signal)
      session.machine.note(this.#say('Forwarded to {{destination}}', { destination }))
      return { running, machine, session }
    } catch (error) {
      this.#running.delete(running)
      const words = wordsOfMachine(error)
      this.#log.storeEnd(running.id, { outcome: 'failed', reason: words, bytes_sent: 0, bytes_received: 0 })
      session.machine.note(this.#say('Not forwarded to {{destination}}: {{reason}}', { destination, reason: words }))
      throw new NotForwardedError('connect_failed', words)
    }
  }

  #join(
    running: Running,
    machine: ssh2.ClientChannel,
    channel: ssh2.ServerChannel | undefined,
    { machine: { note, touch } }: ForwardingSession,
    leave: () => void,
  ): void {
    const joined = channel ? splice(channel, machine, touch) : abandon(machine)
    running.joined = joined
    if (running.cutBy || this.#gone.signal.aborted) joined.cut()
    const { destination } = running
    inBackground(
      joined.over.then(() => {
        this.#running.delete(running)
        const { sent, received } = joined
        note(
          this.#say('Closed: {{destination}}, {{sent}} bytes sent, {{received}} received', {
            destination,
            sent,
            received,
          }),
        )
        this.#log.storeEnd(running.id, {
          outcome: running.cutBy ? 'ended' : 'closed',
          reason: running.cutBy,
          bytes_sent: sent,
          bytes_received: received,
        })
        leave()
      }),
    )
  }

  /** Once for the whole connection: what its user name means. Whether it may be used is asked each time. */
  #loadTarget(): Promise<ForwardingTarget> {
    const { kernel, person, resolve } = this.#parts
    this.#target ??= askFor(person, async () => {
      const found = await loadForwardingTarget(kernel, await resolve())
      if (!found) throw new SessionRefusal('The connection failed')
      return found
    }).catch((error) => {
      this.#target = undefined
      this.#parts.limits.noteRefusal(person.id)
      throw this.#worded(error)
    })
    return this.#target
  }

  async #judged(of: ForwardingTarget, asked: AskedPlace, destination: string): Promise<Place> {
    const { kernel, person } = this.#parts
    if (this.#isTerminated)
      return this.#refuse(of, destination, new SessionRefusal('The session was terminated: connect again'))
    if (of.protocol !== 'ssh') return this.#refuse(of, destination, new SessionRefusal(NOT_OVER_SSH))
    const permission = await askFor(person, () => permissionOf(kernel, { person, ...of }))
    const right = permission.allowed ? permission.forwarding : NO_FORWARDING
    const judged = judgePlace(right, asked, of.address)
    if (judged.place) return judged.place
    const isNowhere = !right.machine && !right.destinations.length
    return this.#refuse(of, destination, new SessionRefusal(isNowhere ? NO_FORWARDING_HERE : REFUSED[judged.refusal]))
  }

  /** The session that carries the connections, which begins with the first one. */
  #reach(): Promise<ForwardingSession> {
    this.#opening ??= this.#begin().catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #begin(): Promise<ForwardingSession> {
    const { gateway, person } = this.#parts
    const of = await this.#loadTarget()
    const session = await openForwardingSession(gateway, { person, ...of }, this.#gone.signal, {
      onRight: (right) => this.#narrow(of, right),
      onLocked: () => this.#cutAll('The input of the session was locked'),
      onClosed: () => {
        this.#isTerminated ||= this.#session?.live.endedBy === 'terminated'
        this.#session = this.#opening = undefined
        this.#cutAll(ENDED)
      },
    })
    if (session.live.isOver) throw new SessionRefusal(ENDED)
    session.machine.note(this.#say('Connections are forwarded in this session: their content is not recorded'))
    this.#session = session
    this.#log.noteSession(session.live)
    return session
  }

  /** Cuts off those that a permission has just lost; the others go on. */
  #narrow(of: ForwardingTarget, right: ForwardingRight): void {
    for (const running of this.#running)
      if (judgePlace(right, running.asked, of.address).refusal) cut(running, NARROWED)
  }

  #cutAll(why: string): void {
    for (const running of this.#running) cut(running, this.#isClosed ? undefined : why)
  }

  #mayRest(): void {
    clearTimeout(this.#rest)
    if (this.#held || !this.#session) return
    this.#rest = setTimeout(() => inBackground(this.#session?.live.end('left')), REST_MS)
    this.#rest.unref()
  }

  /** Logs that nothing is forwarded, and throws it. */
  async #refuse(of: ForwardingTarget, destination: string, error: unknown): Promise<never> {
    const { kernel, person, limits } = this.#parts
    limits.noteRefusal(person.id)
    const reason =
      error instanceof SessionRefusal ? translate('en', error.message, { ...error.values }) : 'The connection failed'
    await this.#log
      .store(of, { destination, outcome: 'refused', reason, session_id: this.#session?.live.id ?? null })
      .catch((failure) => kernel.app.log.error({ err: failure }, 'a refused connection could not be logged'))
    throw this.#worded(error)
  }

  #worded(error: unknown): NotForwardedError {
    const { kernel } = this.#parts
    if (error instanceof NotForwardedError) return error
    if (error instanceof SessionRefusal) return this.#refusal(error.message, 'prohibited', error.values)
    kernel.app.log.error({ err: error }, 'a connection could not be forwarded')
    return this.#refusal('The connection failed', 'connect_failed')
  }

  #refusal(text: string, failure: OpenFailure = 'prohibited', values: Readonly<Record<string, unknown>> = {}) {
    return new NotForwardedError(failure, this.#say(text, values))
  }

  #say(text: string, values: Readonly<Record<string, unknown>> = {}): string {
    return translate(this.#parts.person.language, text, { ...values })
  }
}

/** `why` is missing where the person has gone. */
function cut(running: Running, why: string | undefined): void {
  running.cutBy ??= why
  running.gone.abort(new Error(why ?? 'Cancelled'))
  running.joined?.cut()
}
