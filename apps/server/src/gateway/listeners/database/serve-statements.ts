import type { Socket } from 'node:net'
import { inBackground } from '../../../kernel/background.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import type { ClientPieces, ClientWire, StatementOwner } from '../../kinds/statements/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { type Client, type ListenerContext, serveClient } from '../clients/serve-client.ts'
import { hangUp } from '../connections/hang-up.ts'

/** When more than this waits for the guard or the server, nothing more is read from the client. */
const MAX_INPUT_BYTES = 512 * 1024
/** Nor with more than this that it has not read: some of what it sends is answered here, and costs nobody else anything. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** A client of a database that has said who it is, as its protocol has it. */
export interface StatementClient extends Pick<Client, 'socket' | 'name' | 'password' | 'refused'> {
  wire: ListenerWire
  /** It is signed in, and is being connected. */
  admitted(): void
  /** Tells it something in the protocol's own way before its session is live, where it has one. */
  say(words: string): void
  owner(person: Person): Pick<StatementOwner, 'refuse' | 'tell'>
  /** Its session is live: where it can be cancelled. Answers how that ends. */
  lives(live: StatementSession): () => void
}

/** A client's end that a listener reads. */
export interface ListenerWire extends ClientWire {
  /** Reads what the client sends from now on; `read` throws ProtocolViolation. */
  readInto(pieces: ClientPieces): { read(bytes: Buffer): void }
}

/** Signs a client of a database in, and serves it to its end. Never throws. */
export function serveStatements(context: ListenerContext, client: StatementClient): Promise<void> {
  const { socket, wire } = client
  return serveClient(context, {
    ...client,
    program: wire.place.program,
    async open({ person, target, systemUserId }, { dialogue, gone }) {
      const input = inputOf(socket, wire)
      let live: StatementSession | undefined
      client.admitted()
      const owner = { ...streamOwner(socket, () => live?.ownerDrained()), ...client.owner(person) }
      live = await context.gateway.open(
        { kind: 'statements', person, target, systemUserId, dialogue, owner, wire },
        gone,
      )
      const stopLiving = client.lives(live)
      inBackground(live.ended.then(stopLiving))
      input.into(live)
      return live
    },
  })
}

/** Output to the client. `onDrained`: see `StatementOwner.write`. */
function streamOwner(socket: Socket, onDrained: () => void): Pick<StatementOwner, 'write' | 'close'> {
  let isWaiting = false
  const drained = () => {
    isWaiting = false
    onDrained()
  }
  return {
    write(bytes) {
      if (socket.write(bytes)) return true
      if (!isWaiting) socket.once('drain', drained)
      isWaiting = true
      return false
    },
    close: () => hangUp(socket),
  }
}

/**
 * Input of the client: none as long as it waits for the server to be ready, but its end must be
 * seen.
 */
function inputOf(socket: Socket, wire: ListenerWire): { into(live: StatementSession): void } {
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
        leave: () => inBackground(live.end('left')),
      })
      const take = (bytes: Buffer) => {
        if (live.isOver) return
        try {
          live.together(() => client.read(bytes))
        } catch (error) {
          const text = error instanceof ProtocolViolation ? error.message : 'The connection failed'
          inBackground(live.end('closed', notice('closed', text)))
          return
        }
        if (isRoom() || socket.isPaused()) return
        socket.pause()
        live.onceInputTaken(goOn)
      }
      const isRead = () => socket.writableLength <= MAX_UNREAD_BYTES
      const isRoom = () => isRead() && !live.isFull(MAX_INPUT_BYTES)
      const goOn = () => {
        if (isRead()) socket.resume()
        else socket.once('drain', goOn)
      }
      socket.off('data', keep).on('data', take)
      socket.once('end', () => inBackground(live.end('left')))
      for (const bytes of early) take(bytes)
      if (socket.readableEnded) inBackground(live.end('left'))
      else if (isRoom()) socket.resume()
    },
  }
}
