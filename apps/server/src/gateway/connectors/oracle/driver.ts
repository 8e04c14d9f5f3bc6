import { Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import { inBackground } from '../../../kernel/background.ts'
import { SshError } from '../../../kernel/ssh/connect.ts'
import type { DriverAnswer, DriverStart, FromDriver, ToDriver } from '../../protocols/oracle/driver-messages.ts'
import { ListenerAnswer } from '../../protocols/oracle/listener-answer.ts'
import { OracleFailure } from '../../protocols/oracle/oracle-wire.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { ServerConnection } from '../server-connection.ts'

/** Memory limit of a thread; the driver's objects are a few times as large as an answer. */
const MEMORY_MB = 256
/**
 * Limit of a server's answers until the next request, in bytes: a few rows, however large they are.
 */
const ANSWER_BYTES = 64 * 1024 * 1024
/** Limit of bytes that the thread has not taken yet. */
const AHEAD_BYTES = 1024 * 1024
/** A thread that does not end by itself within this time after being asked is ended. */
const LEAVE_MS = 2_000
/** A wrong name or password, */
const WRONG_LOGIN = 'ORA-01017'
/** and a connection that ended, as the driver says it. */
const CLOSED = /^NJS-50\d$/

const LOST = () => new OracleFailure({ code: '', message: 'The connection was lost' })

/** The server did not answer as a listener that speaks no TLS does. */
export class NotInClear extends Error {}

export interface SignedIn {
  version: string
  service: string
}

interface Parts {
  server: ServerConnection
  start: DriverStart
  /** Place of the server on the way, for errors. */
  hop: number
  log: Pick<FastifyBaseLogger, 'info'>
}

/** A connection to an Oracle database that somebody has made, in the hands of the driver, in its thread. */
export class OracleDriver {
  /** Throws NotInClear, SshError, SessionRefusal, ProtocolViolation. */
  readonly signedIn: Promise<SignedIn>
  /** Settles when the driver is there, and has said its first word to the server. */
  readonly begun: Promise<void>
  readonly #parts: Parts
  readonly #thread: Worker
  readonly #listener = new ListenerAnswer()
  readonly #signIn = Promise.withResolvers<SignedIn>()
  readonly #begin = Promise.withResolvers<void>()
  #hear: (answer: DriverAnswer) => void = () => {}
  #onEnd: () => void = () => {}
  #passwordChanged: PromiseWithResolvers<void> | undefined
  /** Answers that came while nobody listened. */
  #held: DriverAnswer[] | undefined
  #received = 0
  #ahead = 0
  #answered = 0
  #isOver = false

  constructor(parts: Parts) {
    const { stream } = parts.server
    this.#parts = parts
    this.signedIn = this.#signIn.promise
    this.begun = this.#begin.promise
    // A caller that gives up does not hear of it.
    this.signedIn.catch(() => {})
    this.#thread = new Worker(new URL('./thread/driver-thread.ts', import.meta.url), {
      workerData: parts.start,
      // The driver takes much from there: addresses, time zones, what it prints.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    this.#thread.on('message', (message: FromDriver) => this.#onMessage(message))
    this.#thread.once('error', (error) => {
      parts.log.info({ err: error }, 'the driver of a database failed')
      this.#end(error)
    })
    this.#thread.once('exit', () => this.#end(new SshError('unreachable', parts.hop, 'The connection was closed')))
    stream.on('data', (bytes: Buffer) => this.#arrived(bytes))
    stream.once('end', () => stream.end())
    const onClose = () => {
      if (!this.#received) this.#signIn.reject(new NotInClear())
      this.#say({ say: 'hung up' })
      setTimeout(() => this.#end(), LEAVE_MS).unref()
    }
    if (stream.destroyed) onClose()
    else stream.once('close', onClose)
    stream.resume()
  }

  /** `onEnd` is called once, as the last. */
  hear(hear: (answer: DriverAnswer) => void, onEnd: () => void): void {
    this.#hear = hear
    this.#onEnd = onEnd
    if (this.#isOver) onEnd()
  }

  run(text: string): void {
    this.#say({ say: 'run', text })
  }

  cancel(): void {
    this.#say({ say: 'cancel' })
  }

  /** Throws OracleFailure. */
  changePassword(old: string, changed: string): Promise<void> {
    this.#passwordChanged = Promise.withResolvers()
    if (this.#isOver) this.#passwordChanged.reject(LOST())
    this.#say({ say: 'change password', old, changed })
    return this.#passwordChanged.promise
  }

  pause(): void {
    this.#held ??= []
  }

  resume(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const [at, answer] of held.entries()) {
      // A caller that hears of one may want to wait with the next.
      if (this.#held) (this.#held as DriverAnswer[]).push(...held.slice(at))
      if (this.#held) return
      this.#answer(answer)
    }
  }

  /** Takes its leave of the server. */
  close(): void {
    this.#say({ say: 'leave' })
    setTimeout(() => this.#end(), LEAVE_MS).unref()
  }

  /** Leaves the server without a word. */
  end(): void {
    this.#end()
  }

  #say(message: ToDriver): void {
    if (!this.#isOver) this.#thread.postMessage(message)
  }

  #arrived(bytes: Buffer): void {
    this.#received += bytes.length
    this.#answered += bytes.length
    this.#ahead += bytes.length
    try {
      this.#listener.read(bytes)
      if (this.#listener.isTls) throw new NotInClear()
      if (this.#listener.isRedirected)
        throw new SessionRefusal('The server sends its clients to another address: enter that one instead')
      if (this.#answered > ANSWER_BYTES) throw new ProtocolViolation('an answer is too long')
    } catch (error) {
      if (error instanceof ProtocolViolation)
        this.#parts.log.info({ err: error }, 'a server does not speak its protocol')
      this.#end(error)
      return
    }
    if (this.#ahead > AHEAD_BYTES) this.#parts.server.stream.pause()
    const own = new Uint8Array(bytes)
    if (!this.#isOver) this.#thread.postMessage({ say: 'bytes', bytes: own } satisfies ToDriver, [own.buffer])
  }

  #onMessage(message: FromDriver): void {
    const { stream } = this.#parts.server
    switch (message.event) {
      case 'bytes':
        this.#begin.resolve()
        this.#answered = 0
        stream.write(message.bytes, () => this.#say({ say: 'sent' }))
        return
      case 'read':
        this.#ahead -= message.bytes
        if (this.#ahead <= AHEAD_BYTES) stream.resume()
        return
      case 'signed in':
        this.#signIn.resolve(message)
        return
      case 'refused': {
        const { code, message: words } = message.error
        const { hop } = this.#parts
        if (code === WRONG_LOGIN) this.#signIn.reject(new SshError('authentication', hop, words))
        else if (CLOSED.test(code)) this.#signIn.reject(new SshError('unreachable', hop, 'The connection was closed'))
        else
          this.#signIn.reject(
            new SessionRefusal('The server refused the connection: {{words}}', { words: words.slice(0, 1000) }),
          )
        return
      }
      case 'over':
        this.#end()
        return
      default:
        if (this.#held) this.#held.push(message)
        else this.#answer(message)
    }
  }

  #answer(answer: DriverAnswer): void {
    const change = this.#passwordChanged
    if (change && answer.event === 'failed') change.reject(new OracleFailure(answer.error))
    if (change && answer.event === 'ready') {
      change.resolve()
      this.#passwordChanged = undefined
    }
    this.#hear(answer)
    if (answer.event === 'rows') this.#say({ say: 'more' })
  }

  #end(why: unknown = LOST()): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#signIn.reject(why)
    this.#passwordChanged?.reject(why)
    inBackground(this.#thread.terminate())
    this.#parts.server.close()
    this.#onEnd()
  }
}
