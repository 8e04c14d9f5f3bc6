import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import { int32, message, report, SERVER } from '../../protocols/postgresql/messages.ts'
import { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { ProtocolViolation } from '../../protocols/postgresql/protocol-violation.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import { notice } from '../../session/notice.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import type { HeldByPeople } from '../connections/held-by-people.ts'
import { type DatabaseSignIn, refusalWords, signInClient } from './database-sign-in.ts'
import { postgresqlOwner } from './postgresql-owner.ts'
import { askPassword, type StartedClient } from './postgresql-start.ts'

/** When more than this waits for the guard or the server, nothing more is read from the client. */
const MAX_INPUT_BYTES = 512 * 1024
/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const INVALID_AUTHORIZATION = '28000'
const PROTOCOL_VIOLATION = '08P01'
const SUCCESSFUL = '00000'
const AUTHENTICATED = message(SERVER.authentication, int32(0))

/** Sessions by the number with which their clients cancel statements. */
export type Cancellable = Map<number, { key: Buffer; live: StatementSession }>

export interface Serving {
  kernel: Kernel
  gateway: Gateway
  held: HeldByPeople
  cancellable: Cancellable
  address: string
  /** Signed in: the connection does not count among those of strangers any more. */
  isKnown(): void
}

/** Serves a client of PostgreSQL that has said what it wants, to its end. Never throws. */
export async function servePostgresql(serving: Serving, { socket, isEncrypted, packet }: StartedClient): Promise<void> {
  const { kernel } = serving
  if (packet.kind === 'cancel') {
    cancel(serving.cancellable, packet.process, packet.key)
    socket.destroy()
    return
  }
  if (packet.negotiation) socket.write(packet.negotiation)
  const wire = new PostgresqlWire(packet.parameters)
  let signIn: DatabaseSignIn | undefined
  try {
    if (!isEncrypted) throw new SessionRefusal('This server speaks TLS alone: connect with sslmode=require')
    if (isOn(packet.parameters.get('replication'))) throw new SessionRefusal('Replication is not possible here')
    signIn = await signInClient(kernel, {
      name: packet.parameters.get('user') ?? '',
      address: serving.address,
      program: wire.place.program,
      password: () => askPassword(socket),
    })
    serving.isKnown()
    await runSession(serving, socket, wire, signIn)
  } catch (error) {
    const refusal = refusalOf(kernel, error)
    if (refusal)
      socket.write(report('FATAL', { code: refusal.code, message: refusalWords(refusal.why, signIn?.person.language) }))
    socket.end()
  } finally {
    await signIn?.close()
  }
}

/** What the client is told; undefined when it has left. */
function refusalOf({ app }: Kernel, error: unknown): { why: SessionRefusal; code: string } | undefined {
  if (error instanceof SessionRefusal) return { why: error, code: INVALID_AUTHORIZATION }
  if (error instanceof ProtocolViolation) return { why: new SessionRefusal(error.message), code: PROTOCOL_VIOLATION }
  app.log.info({ err: error }, 'a client of PostgreSQL')
  return { why: new SessionRefusal('The connection failed'), code: INVALID_AUTHORIZATION }
}

async function runSession(
  serving: Serving,
  socket: Socket,
  wire: PostgresqlWire,
  signIn: DatabaseSignIn,
): Promise<void> {
  const { kernel, gateway, held, cancellable } = serving
  const { person, target, systemUserId, listed } = signIn
  const leave = held.take(person.id)
  const limit = kernel.config.databaseConnectionsOfPerson
  if (!leave) throw new SessionRefusal('You have {{limit}} connections, which is the limit: close one first', { limit })
  const gone = new AbortController()
  let live: StatementSession | undefined
  const input = inputOf(socket, wire)
  const onClose = () => {
    gone.abort()
    void live?.end('left')
  }
  const stopPresence = gateway.presence.enter({
    userId: person.id,
    signIn: listed.signIn,
    atWork: true,
    allowed: async () => true,
    dismiss(words) {
      void signIn.revoke()
      if (live) void live.end('signed_out', words)
      else socket.destroy()
    },
  })
  socket.once('close', onClose)
  try {
    socket.write(AUTHENTICATED)
    const owner = postgresqlOwner(socket, wire, person, () => live?.ownerDrained())
    const dialogue = dialogueOver(socket)
    live = await gateway.open({ kind: 'statements', person, target, systemUserId, dialogue, owner, wire }, gone.signal)
    cancellable.set(wire.cancelKey.process, { key: wire.cancelKey.key, live })
    input.into(live)
    await live.ended
  } finally {
    cancellable.delete(wire.cancelKey.process)
    socket.off('close', onClose)
    stopPresence()
    leave()
  }
}

/**
 * What the client sends: nothing, as long as it waits for the server to be ready, but its end must
 * be seen.
 */
function inputOf(socket: Socket, wire: PostgresqlWire): { into(live: StatementSession): void } {
  const early: Buffer[] = []
  const keep = (bytes: Buffer) => {
    early.push(bytes)
    socket.pause()
  }
  socket.on('data', keep).resume()
  return {
    into(live) {
      const client = wire.readInto({
        statement: (statement) => live.submit(statement),
        rest: (statement, bytes) => live.goOn(statement, bytes),
        pass: (bytes) => live.pass(bytes),
        leave: () => void live.end('left'),
      })
      const take = (bytes: Buffer) => {
        if (live.isOver) return
        try {
          client.read(bytes)
        } catch (error) {
          const text = error instanceof ProtocolViolation ? error.message : 'The connection failed'
          void live.end('closed', notice('closed', text))
          return
        }
        if (live.pendingInput < MAX_INPUT_BYTES || socket.isPaused()) return
        socket.pause()
        live.onceInputTaken(() => socket.resume())
      }
      socket.off('data', keep).on('data', take)
      socket.once('end', () => void live.end('left'))
      for (const bytes of early) take(bytes)
      if (socket.readableEnded) void live.end('left')
      else if (live.pendingInput < MAX_INPUT_BYTES) socket.resume()
    },
  }
}

/** A client of a database can be told of things, not asked. */
function dialogueOver(socket: Socket): Dialogue {
  const tell = (text: string) => void socket.write(report('NOTICE', { code: SUCCESSFUL, message: text }))
  return {
    tell,
    ask: () =>
      Promise.reject(new SessionRefusal('This login asks for something that can only be answered in a terminal')),
    wait: (heading, _text, signal) =>
      new Promise((resolve) => {
        tell(heading)
        socket.once('close', () => resolve('left'))
        if (signal.aborted) resolve('over')
        else signal.addEventListener('abort', () => resolve('over'), { once: true })
      }),
  }
}

/** Whoever does not have the key cancels nothing, and hears nothing. */
function cancel(cancellable: Cancellable, process: number, key: Buffer): void {
  const found = cancellable.get(process)
  if (found && found.key.length === key.length && timingSafeEqual(found.key, key)) found.live.cancel()
}

const isOn = (value: string | undefined) => value !== undefined && !/^(?:|f|false|off|no|n|0)$/i.test(value)
