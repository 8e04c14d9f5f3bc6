import type ssh2 from 'ssh2'
import {
  type AskedPlace,
  type ForwardingRight,
  judgePlace,
  type Place,
} from '../../../../domains/perms/forwarding/index.ts'
import type { MachineNow } from '../../../../domains/perms/index.ts'
import { inBackground } from '../../../../kernel/background.ts'
import { translate } from '../../../../kernel/i18n/translate.ts'
import type { Gateway } from '../../../gateway.ts'
import { NO_FORWARDING_HERE } from '../../../opening/permission.ts'
import type { Notice } from '../../../session/notice.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import type { DirectAnswer } from '../../menu/choose.ts'
import { ForwardedLog, textOf } from './forwarded-log.ts'
import { type ForwardingSession, NOT_OVER_SSH, openForwardingSession } from './forwarding-session.ts'
import type { ForwardingTarget } from './forwarding-target.ts'
import { NotForwardedError, REFUSED, wordsOfMachine } from './not-forwarded.ts'
import { reachPlace } from './reach-place.ts'
import { type Forwarder, Refusals } from './refusals.ts'
import { RightFromMachine } from './right-from-machine.ts'
import { abandon, type Spliced, splice } from './splice.ts'

/** Connections of one SSH connection, being opened or open. */
const OF_CONNECTION = 64
/** The session goes when nothing has been forwarded for so long; the next connection begins another. */
const REST_MS = 60_000
const NARROWED = 'The permission no longer leads there'
const ENDED = 'The session was ended'
const LOCKED = 'The input of the session is locked'

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

export interface ForwardedParts extends Forwarder {
  gateway: Gateway
  /** The machine and the account that the names mean. */
  resolve(): Promise<DirectAnswer>
}

/** The connections that one SSH connection of a person forwards from one machine. */
export class ForwardedConnections {
  readonly #parts: ForwardedParts
  readonly #log: ForwardedLog
  readonly #running = new Set<Running>()
  readonly #gone = new AbortController()
  readonly #over = Promise.withResolvers<void>()
  #held = 0
  readonly #right: RightFromMachine
  readonly #refusals: Refusals
  #opening: Promise<ForwardingSession> | undefined
  #session: ForwardingSession | undefined
  #rest: NodeJS.Timeout | undefined
  /** The address at which the session has reached its machine. */
  #openedAt: string | undefined
  /** The last session did not come about. */
  #isFailing = false
  /** Others had to confirm the session. */
  #isReviewed = false
  /** Why nothing is forwarded any more until the person connects again. */
  #shut: SessionRefusal | undefined
  #isClosed = false
  /** Settles once it has been ended. */
  readonly over: Promise<void> = this.#over.promise

  constructor(parts: ForwardedParts) {
    this.#parts = parts
    this.#log = new ForwardedLog(parts.kernel, parts.person)
    this.#right = new RightFromMachine(parts.kernel, parts.person, parts.resolve)
    this.#refusals = new Refusals(parts, this.#log)
  }

  /**
   * Connects to a place from the machine and answers how to join the person's channel with it, which
   * has to be done; without a channel where the person has gone. Throws NotForwardedError.
   */
  async connect(asked: AskedPlace): Promise<(channel: ssh2.ServerChannel | undefined) => void> {
    const { person, limits } = this.#parts
    const giveBack = this.#held < OF_CONNECTION ? limits.take(person.id) : undefined
    if (!giveBack)
      throw this.#refusals.of('You have as many forwarded connections as you may: close some first', 'shortage')
    this.#held += 1
    const leave = () => {
      this.#held -= 1
      giveBack()
      this.#mayRest()
    }
    clearTimeout(this.#rest)
    try {
      await this.#admit(asked)
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

  /** Refuses what costs too much to ask about. What was granted is never held back by what was not. */
  async #admit(asked: AskedPlace): Promise<void> {
    const { person, limits } = this.#parts
    if (!limits.mayAsk(person.id)) {
      const isShut = this.#shut || this.#isFailing || this.#session?.live.isLocked
      if (isShut || !(await this.#right.wasGranted(asked)))
        throw this.#refusals.of('Too many connections were refused: wait a minute')
    }
    if (!limits.mayOpen(person.id))
      throw this.#refusals.of('You open too many connections in a short time: wait a moment', 'shortage')
  }

  async #open(asked: AskedPlace) {
    const { kernel } = this.#parts
    const destination = textOf(asked)
    let judged = await this.#judged(asked, destination)
    const isKnown = this.#session !== undefined
    const session = await this.#reach(judged.of).catch((error) =>
      this.#refusals.refuse([judged.of], destination, error, this.#session),
    )
    // Reviewers may have thought about it for long.
    if (!isKnown) judged = await this.#judged(asked, destination)
    const { place, of } = judged
    if (session.live.isLocked) await this.#refusals.refuse([of], destination, new SessionRefusal(LOCKED), session)
    const id = await this.#log
      .store(of, { destination, outcome: 'open', session_id: session.live.id })
      .catch((error) => {
        kernel.app.log.error({ err: error }, 'a forwarded connection could not be logged')
        throw this.#refusals.of('This cannot be logged at the moment and is therefore not done: tell an administrator')
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
    // A lock that came while it was being logged did not know of it.
    if (session.live.isLocked) throw this.#giveUp(running, session, 'refused', LOCKED)
    const signal = AbortSignal.any([running.gone.signal, this.#gone.signal])
    try {
      if (session.live.isOver) throw new Error(ENDED)
      const machine = await reachPlace(session.machine.client, place, signal)
      session.machine.note(this.#say('Forwarded to {{destination}}', { destination }))
      return { running, machine, session }
    } catch (error) {
      throw this.#giveUp(running, session, 'failed', wordsOfMachine(error))
    }
  }

  /** A connection that was logged as open comes to nothing. */
  #giveUp(running: Running, session: ForwardingSession, outcome: 'refused' | 'failed', reason: string) {
    const { id, destination } = running
    this.#running.delete(running)
    this.#log.storeEnd(id, { outcome, reason, bytes_sent: 0, bytes_received: 0 })
    const words = outcome === 'refused' ? this.#say(reason) : reason
    session.machine.note(this.#say('Not forwarded to {{destination}}: {{reason}}', { destination, reason: words }))
    return new NotForwardedError(outcome === 'refused' ? 'prohibited' : 'connect_failed', words)
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

  /** Judges a place by what the permission says now. */
  async #judged(asked: AskedPlace, destination: string): Promise<{ place: Place; of: ForwardingTarget }> {
    const refuseUnknown = (error: unknown) => this.#refusals.refuseUnknown(destination, error)
    if (this.#shut) {
      const of = await this.#right.target().catch(refuseUnknown)
      return this.#refusals.refuse([of], destination, this.#shut, this.#session)
    }
    const { right, of } = await this.#right.ask().catch(refuseUnknown)
    if (of.protocol !== 'ssh')
      return this.#refusals.refuse([of], destination, new SessionRefusal(NOT_OVER_SSH), this.#session)
    const judged = judgePlace(right, asked, this.#ownAddress(of))
    if (judged.place) return { place: judged.place, of }
    const isNowhere = !right.machine && !right.destinations.length
    const why = isNowhere ? NO_FORWARDING_HERE : REFUSED[judged.refusal]
    return this.#refusals.refuse([of], destination, new SessionRefusal(why), this.#session)
  }

  /** The machine's address: none where the session still is at the one that it had before. */
  #ownAddress({ address }: ForwardingTarget): string {
    return this.#openedAt === undefined || this.#openedAt === address ? address : ''
  }

  /** The session that carries the connections, which begins with the first one. */
  #reach(of: ForwardingTarget): Promise<ForwardingSession> {
    this.#opening ??= this.#begin(of).catch((error) => {
      // Nobody is asked again and again about one connection.
      if (this.#isReviewed)
        this.#shut ??= error instanceof SessionRefusal ? error : new SessionRefusal('The connection failed')
      this.#opening = undefined
      this.#isFailing = true
      throw error
    })
    return this.#opening
  }

  async #begin(of: ForwardingTarget): Promise<ForwardingSession> {
    const { gateway, person } = this.#parts
    this.#isReviewed = false
    const session = await openForwardingSession(gateway, { person, ...of }, this.#gone.signal, {
      onRight: (right, machine) => this.#narrow(right, machine),
      onReview: () => {
        this.#isReviewed = true
      },
      onLocked: () => this.#cutAll('The input of the session was locked'),
      onClosed: () => {
        const live = this.#session?.live
        if (live?.endedBy === 'terminated')
          this.#shut ??= new SessionRefusal('The session was terminated: connect again')
        if (live?.isLocked) this.#shut ??= new SessionRefusal(LOCKED)
        this.#session = this.#opening = this.#openedAt = undefined
        this.#cutAll(ENDED)
      },
    })
    if (session.live.isOver) throw new SessionRefusal(ENDED)
    session.machine.note(this.#say('Connections are forwarded in this session: their content is not recorded'))
    this.#session = session
    this.#log.noteSession(session.live)
    this.#openedAt = of.address
    this.#isFailing = false
    return session
  }

  /** Cuts off those that a permission has just lost; the others go on. */
  #narrow(right: ForwardingRight, machine: MachineNow | undefined): void {
    const of = this.#right.note(right, machine)?.of
    for (const running of this.#running)
      if (of && judgePlace(right, running.asked, this.#ownAddress(of)).refusal) cut(running, NARROWED)
  }

  #cutAll(why: string): void {
    for (const running of this.#running) cut(running, this.#isClosed ? undefined : why)
  }

  #mayRest(): void {
    clearTimeout(this.#rest)
    if (this.#held || !this.#session) return
    this.#rest = setTimeout(() => {
      const live = this.#session?.live
      // Its lock would go with it, and its confirmation.
      if (live?.isLocked || this.#isReviewed) this.#mayRest()
      else inBackground(live?.end('left'))
    }, REST_MS)
    this.#rest.unref()
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
