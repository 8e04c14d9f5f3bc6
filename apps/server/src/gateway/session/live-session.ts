import { spoken } from '@sallyport/contract/names.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { EndReason } from '../../domains/terminal/index.ts'
import { inBackground } from '../../kernel/background.ts'
import type { CommandLog } from './command-log.ts'
import { type Notice, notice } from './notice.ts'
import { Participants } from './participants.ts'
import type { Person } from './person.ts'

export type { EndReason }

/** How a target ended the session, where it said so. */
export interface StreamEnd {
  exitCode?: number
  /** Which signal ended the program, and what the target says about it (RFC 4254 §6.10). */
  signal?: string
  coreDumped?: boolean
  message?: string
  /** The connection broke: the target has said nothing of an end. */
  isLost?: boolean
}

/** The recording of any kind, as far as the life of a session hangs on it. */
export interface SessionRecording {
  /** See `RecordingWriter`. */
  onFailure: (error: Error) => void
  /** See `RecordingWriter`. */
  onDrain: () => void
}

/** The machine's end of any kind: it is read no faster than everybody behind it can take. */
export interface PausableTarget {
  pause(): void
  resume(): void
}

/** Why the target is not read for the moment; `rights`: a right is being asked for. */
export type Hold = 'owner' | 'disk' | 'rights'

export interface LiveSessionParts {
  id: string
  orgId: string
  person: Person
  log: FastifyBaseLogger
  recording: SessionRecording
  commands: CommandLog
  target: PausableTarget
  /** Milliseconds; the system's clock where nothing else is said. */
  now?: () => number
  /** Milliseconds of a clock that nobody sets. */
  elapsed?: () => number
  /** Asked once, when the recording or a command can't be written down any more. */
  goesOnUnrecorded(): boolean
  /** Runs once, after the last byte; everything that must be stored at the end. */
  onEnd(reason: EndReason, end: StreamEnd): Promise<void>
}

/**
 * One person at one target, whatever is spoken between them: who, since when, until when, locked or
 * not, who else is in it, and its one end. What passes, and how a notice is said, is the affair of
 * its kind.
 */
export abstract class LiveSession {
  readonly id: string
  readonly orgId: string
  readonly person: Person
  /** By `elapsed`. */
  readonly startedAt: number
  /** By `elapsed`; moves with whatever counts as activity (docs/rules/gateway.md#limits). */
  lastActive: number
  /** Set by the gateway from the permission. Milliseconds. */
  permittedUntil = Number.POSITIVE_INFINITY
  /** By `elapsed`: since when nobody is at the person's side, who may come back. */
  waitingSince: number | undefined
  readonly participants = new Participants()
  protected readonly now: () => number
  protected readonly elapsed: () => number
  protected readonly log: FastifyBaseLogger
  readonly #target: PausableTarget
  readonly #holds = new Set<Hold>()
  readonly #goesOnUnrecorded: LiveSessionParts['goesOnUnrecorded']
  readonly #onEnd: LiveSessionParts['onEnd']
  #isLocked = false
  #endedBy: EndReason | undefined
  #isUnrecorded = false
  #over = false
  readonly #whenEnded = Promise.withResolvers<void>()
  /** Settles when everything of the end is stored. */
  readonly ended: Promise<void> = this.#whenEnded.promise

  constructor({ id, orgId, person, log, recording, commands, target, now = Date.now, ...then }: LiveSessionParts) {
    this.id = id
    this.orgId = orgId
    this.person = person
    this.now = now
    this.elapsed = then.elapsed ?? (() => performance.now())
    this.log = log
    this.#target = target
    this.#goesOnUnrecorded = then.goesOnUnrecorded
    this.#onEnd = then.onEnd
    recording.onDrain = () => this.letGoOn('disk')
    recording.onFailure = (error) => this.#recordingFailed(error)
    commands.onFailure = (error) => this.#recordingFailed(error)
    this.startedAt = this.elapsed()
    this.lastActive = this.startedAt
  }

  /**
   * Says it to everybody in the session, in the protocol's own way, and writes it into the
   * recording. Must not throw.
   */
  protected abstract say(notice: Notice): void
  /** Lets go of both sides; what was written before still goes out. */
  protected abstract release(end: StreamEnd): void
  /** Breaks off what is under way: nobody may send anything any more. */
  protected abstract onLocked(): void
  /** Runs every few seconds: stores what has become complete meanwhile. */
  abstract settle(): void

  /** Nobody may send anything to the target. */
  get isLocked(): boolean {
    return this.#isLocked
  }

  /** Why it has ended; undefined while it lasts. */
  get endedBy(): EndReason | undefined {
    return this.#endedBy
  }

  get isOver(): boolean {
    return this.#over
  }

  protected touch(): void {
    this.lastActive = this.elapsed()
  }

  /** The reader of the answers has enough for now: `ownerDrained` resumes. */
  ownerBehind(): void {
    if (!this.#over) this.hold('owner')
  }

  /** The person's line has room again. */
  ownerDrained(): void {
    this.letGoOn('owner')
  }

  /** The target is not read until every hold is gone. */
  protected hold(why: Hold): void {
    if (!this.#holds.size) this.#target.pause()
    this.#holds.add(why)
  }

  protected letGoOn(why: Hold): void {
    if (this.#holds.delete(why) && !this.#holds.size && !this.#over) this.#target.resume()
  }

  #recordingFailed(error: Error): void {
    if (this.#isUnrecorded || this.#over) return
    this.#isUnrecorded = true
    this.log.error({ err: error, session: this.id }, 'recording failed')
    if (this.#goesOnUnrecorded())
      this.tell(
        notice('unrecorded', 'The recording can no longer be written: the session goes on without it', {}, 'urgent'),
      )
    else
      inBackground(this.end('recording', notice('recording', 'The recording cannot be written: the session is closed')))
  }

  tell(what: Notice): void {
    if (!this.#over) this.say(what)
  }

  /** Locks the input, or unlocks it; everybody is notified. */
  setLocked(locked: boolean, by: string): void {
    if (this.#isLocked === locked) return
    this.#isLocked = locked
    if (locked) this.onLocked()
    this.tell(
      locked
        ? notice('locked', '{{by}} has locked the input of this session', { by: spoken(by) }, 'urgent')
        : notice('unlocked', '{{by}} has unlocked the input of this session', { by: spoken(by) }, 'urgent'),
    )
    this.participants.tell({ event: 'lock', locked, by })
  }

  /**
   * Ends the session, with words for the person where something else than they ended it. Never
   * throws; only the first end counts.
   */
  end(reason: EndReason, words?: Notice, how: StreamEnd = {}): Promise<void> {
    if (this.#over) return this.ended
    if (words) this.say({ ...words, urgency: 'last' })
    this.#over = true
    this.#endedBy = reason
    inBackground(this.#close(reason, how))
    return this.ended
  }

  /** The end of a target that only went away is reported: the person would see nothing at all. */
  protected endedByTarget(end: StreamEnd): Promise<void> {
    return this.end('closed', end.isLost ? notice('closed', 'The connection to the machine was lost') : undefined, end)
  }

  async #close(reason: EndReason, end: StreamEnd): Promise<void> {
    this.release(end)
    try {
      await this.#onEnd(reason, end)
    } catch (error) {
      // The row stays open; its lease runs out, and the next sweep closes it.
      this.log.error({ err: error, session: this.id }, 'the end of a session could not be stored')
    } finally {
      this.#whenEnded.resolve()
    }
  }
}
