import type { FastifyBaseLogger } from 'fastify'
import { translate } from '../kernel/i18n/translate.ts'
import { CommandParser, type ParsedCommand } from './command-parser.ts'
import type { Recorder } from './recorder.ts'
import type { Owner, Person, StreamEnd, TargetStream, TerminalSize } from './types.ts'

/** What a late watcher is shown of what was before: enough for a screenful. */
const TAIL_BYTES = 64 * 1024
/** A watcher that is further behind is shown the newest again instead of everything in between. */
const WATCHER_BACKLOG_BYTES = 512 * 1024

/** Why a session ended, for the person and the log. */
export type EndReason = 'closed' | 'left' | 'terminated' | 'idle' | 'too_long' | 'permission' | 'recording' | 'shutdown'

export interface Watcher {
  write(bytes: Buffer): void
  /** Bytes sent and not yet taken. */
  backlog(): number
  resize(size: TerminalSize): void
  close(): void
}

export interface LiveSessionParts {
  id: string
  orgId: string
  person: Person
  owner: Owner
  target: TargetStream
  recorder: Recorder
  size: TerminalSize
  log: FastifyBaseLogger
  onCommand(command: ParsedCommand): void
  /** Runs once, after the last byte; everything that must be stored at the end. */
  onEnd(reason: EndReason, end: StreamEnd): Promise<void>
}

/**
 * One person at one machine. Output goes to the recording, the person and the watchers; input through the command parser to the machine.
 * A slow disk or a slow person pauses the machine; a slow watcher only itself.
 */
export class LiveSession {
  readonly id: string
  readonly orgId: string
  readonly person: Person
  readonly startedAt = Date.now()
  /** Milliseconds; moves with traffic in either direction. */
  lastActive = Date.now()
  /** Set by the gateway from the permission. Milliseconds. */
  permittedUntil = Number.POSITIVE_INFINITY
  readonly #parts: LiveSessionParts
  readonly #parser: CommandParser
  readonly #watchers = new Map<Watcher, { behind: boolean }>()
  #size: TerminalSize
  #tail: Buffer[] = []
  #tailBytes = 0
  /** Who holds the machine back. */
  readonly #holds = new Set<'owner' | 'disk'>()
  #ended: Promise<void> | undefined
  readonly #whenEnded = Promise.withResolvers<void>()
  /** Settles when everything of the end is stored. */
  readonly ended: Promise<void> = this.#whenEnded.promise

  constructor(parts: LiveSessionParts) {
    this.id = parts.id
    this.orgId = parts.orgId
    this.person = parts.person
    this.#parts = parts
    this.#size = parts.size
    this.#parser = new CommandParser(parts.size.cols, parts.onCommand)
    const { target, recorder } = parts
    target.onOutput = (bytes) => this.#output(bytes)
    target.onEnd = (end) => void this.#end('closed', end)
    recorder.onDrain = () => this.#release('disk')
    recorder.onFailure = (error) => {
      parts.log.error({ err: error, session: parts.id }, 'recording failed')
      void this.end('recording', 'The recording cannot be written, the session is ended')
    }
  }

  get size(): TerminalSize {
    return this.#size
  }

  #output(bytes: Buffer): void {
    if (this.#ended) return
    this.lastActive = Date.now()
    const { text, ready } = this.#parts.recorder.output(bytes)
    if (!ready) this.#hold('disk')
    this.#parser.output(text)
    this.#show(bytes)
  }

  #show(bytes: Buffer): void {
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    while (this.#tailBytes > TAIL_BYTES && this.#tail.length > 1) this.#tailBytes -= this.#tail.shift()?.length ?? 0
    if (!this.#parts.owner.write(bytes)) this.#hold('owner')
    for (const [watcher, state] of this.#watchers) {
      if (watcher.backlog() > WATCHER_BACKLOG_BYTES) state.behind = true
      else if (state.behind) {
        state.behind = false
        watcher.write(this.#screenNow())
      } else watcher.write(bytes)
    }
  }

  /** Clears a watcher's screen and shows the newest output. */
  #screenNow(): Buffer {
    return Buffer.concat([Buffer.from('\x1bc'), ...this.#tail])
  }

  #hold(who: 'owner' | 'disk'): void {
    if (!this.#holds.size) this.#parts.target.pause()
    this.#holds.add(who)
  }

  #release(who: 'owner' | 'disk'): void {
    if (this.#holds.delete(who) && !this.#holds.size && !this.#ended) this.#parts.target.resume()
  }

  /** The person's line has room again. */
  ownerDrained(): void {
    this.#release('owner')
  }

  /** What the person typed. The machine's own window holds it back; see `pendingInput`. */
  input(bytes: Buffer): void {
    if (this.#ended) return
    this.lastActive = Date.now()
    this.#parser.input(bytes.toString('utf8'))
    this.#parts.target.write(bytes)
  }

  /** Bytes typed that the machine has not taken yet. */
  get pendingInput(): number {
    return this.#parts.target.pending()
  }

  resize(size: TerminalSize): void {
    if (this.#ended || (size.cols === this.#size.cols && size.rows === this.#size.rows)) return
    this.lastActive = Date.now()
    this.#size = size
    this.#parts.target.resize(size)
    this.#parts.recorder.resize(size)
    this.#parser.resize(size.cols)
    for (const watcher of this.#watchers.keys()) watcher.resize(size)
  }

  /** Shows the session to somebody else, from what stands there now. Answers how to stop. */
  watch(watcher: Watcher): () => void {
    this.#watchers.set(watcher, { behind: false })
    watcher.resize(this.#size)
    watcher.write(this.#screenNow())
    return () => this.#watchers.delete(watcher)
  }

  /** Ends the session with a line for the person, which is recorded too. */
  end(reason: EndReason, text?: string, values?: Record<string, unknown>): Promise<void> {
    if (text && !this.#ended) {
      const line = Buffer.from(`\r\n\x1b[31m${translate(this.person.language, text, values)}\x1b[0m\r\n`)
      this.#parts.recorder.output(line)
      this.#show(line)
    }
    return this.#end(reason, {})
  }

  #end(reason: EndReason, end: StreamEnd): Promise<void> {
    this.#ended ??= this.#close(reason, end)
    return this.#ended
  }

  async #close(reason: EndReason, end: StreamEnd): Promise<void> {
    this.#parser.end()
    this.#parts.target.close()
    this.#parts.owner.close()
    for (const watcher of this.#watchers.keys()) watcher.close()
    this.#watchers.clear()
    try {
      await this.#parts.onEnd(reason, end)
    } finally {
      this.#whenEnded.resolve()
    }
  }
}
