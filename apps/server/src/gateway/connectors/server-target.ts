import type { FastifyBaseLogger } from 'fastify'
import type { Outcome, Statement, StatementTarget, TargetListener } from '../kinds/statements/streams.ts'
import { Contiguous } from '../protocols/contiguous.ts'
import { ClientViolation } from '../protocols/protocol-violation.ts'
import type { ServerConnection } from './server-connection.ts'

/** A server that does not hang up within this time after being asked is disconnected. */
const CLOSE_MS = 2_000

/** Reader of a server's answers, by the protocol. */
export interface AnswerReader {
  /** Answers what goes to the client. Throws ProtocolViolation. */
  read(bytes: Buffer): Buffer
  /** Called by `read` for each statement that is over. */
  onOutcome(then: (statement: Statement, outcome: Outcome) => void): void
}

interface Parts {
  answers: AnswerReader
  server: ServerConnection
  /** The server's messages since it let the client in. */
  greeting: Buffer
  /** Has the running statement cancelled; undefined where the server does not say how. */
  cancel(): Promise<void> | undefined
  /** Last message to the server before it is left. */
  farewell: Buffer
  log: Pick<FastifyBaseLogger, 'info'>
}

/** A database's server as a session takes it. */
export function serverTarget({ answers, server, greeting, cancel, farewell, log }: Parts): StatementTarget {
  const { stream } = server
  const forServer = new Contiguous()
  let isCorked = false
  const flush = () => {
    const bytes = forServer.take()
    if (bytes.length) stream.write(bytes)
  }
  const send = (bytes: Buffer) => {
    forServer.add(bytes)
    if (!isCorked) flush()
  }
  let listener: TargetListener | undefined
  /**
   * Answered statements with their outcomes, until the client has its answers: it waits for nothing
   * else.
   */
  let over: [Statement, Outcome][] = []
  const answer = (bytes: Buffer) => {
    try {
      const forClient = answers.read(bytes)
      if (forClient.length) listener?.answer(forClient)
    } catch (error) {
      const isClient = error instanceof ClientViolation
      if (isClient) listener?.answer(error.last)
      log.info({ err: error }, `a ${isClient ? 'client' : 'server'} does not speak its protocol`)
      server.close()
    }
    if (!over.length) return
    const finished = over
    over = []
    for (const [statement, outcome] of finished) listener?.outcome(statement, outcome)
  }
  return {
    start(given) {
      listener = given
      answers.onOutcome((statement, outcome) => void over.push([statement, outcome]))
      answer(greeting)
      stream.on('data', answer)
      // The client hears of it as it would from the server itself: in its last words, or not at all.
      const onEnd = () => given.end({})
      if (stream.destroyed) onEnd()
      else stream.once('close', onEnd)
      // A server that has only ended its own side sends nothing more.
      stream.once('end', () => stream.end())
      stream.resume()
    },
    cork() {
      isCorked = true
    },
    uncork() {
      isCorked = false
      flush()
    },
    send: ({ bytes }) => send(bytes),
    pass: send,
    cancel: () => void cancel()?.catch((error: unknown) => log.info({ err: error }, 'a cancel did not arrive')),
    pending: () => stream.writableLength,
    onceTaken(then) {
      stream.write(Buffer.alloc(0), () => then())
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close() {
      stream.end(farewell)
      setTimeout(() => server.close(), CLOSE_MS).unref()
    },
  }
}
