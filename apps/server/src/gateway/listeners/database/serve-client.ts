import type { Socket } from 'node:net'
import { inBackground } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import type { ClientPieces, ClientWire, StatementOwner } from '../../kinds/statements/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import { notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { hangUp } from '../connections/hang-up.ts'
import type { HeldByPeople } from '../connections/held-by-people.ts'
import { type DatabaseSignIn, refusalWords, signInClient } from './database-sign-in.ts'

/** When more than this waits for the guard or the server, nothing more is read from the client. */
const MAX_INPUT_BYTES = 512 * 1024
/** Nor with more than this that it has not read: some of what it sends is answered here, and costs nobody else anything. */
const MAX_UNREAD_BYTES = 1024 * 1024

/** What a node's listener brings to each of its clients. */
export interface Serving {
  kernel: Kernel
  gateway: Gateway
  held: HeldByPeople
  /** For the log. */
  protocol: string
  address: string
  /** Signed in: the connection does not count among those of strangers any more. */
  isKnown(): void
}

/** A client that has said who it is, as its protocol has it. */
export interface DatabaseClientEnd {
  socket: Socket
  wire: ListenerWire
  /** The user name that it gave. */
  name: string
  /** Asks for its password. Throws ProtocolViolation. */
  password(): Promise<string>
  /** It is signed in, and is being connected. */
  admitted(): void
  /** It is told why it can't be served; the last that it hears. */
  refused(why: 'violation' | 'refusal', words: string): void
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

/** Signs a client in, and serves it to its end. Never throws. */
export async function serveClient(serving: Serving, end: DatabaseClientEnd): Promise<void> {
  const { kernel, protocol, address } = serving
  let signIn: DatabaseSignIn | undefined
  try {
    const { name, wire } = end
    signIn = await signInClient(kernel, {
      name,
      address,
      program: wire.place.program,
      password: () => end.password(),
    })
    serving.isKnown()
    await runSession(serving, end, signIn)
  } catch (error) {
    const isKnown = error instanceof SessionRefusal || error instanceof ProtocolViolation
    if (!isKnown) kernel.app.log.info({ err: error }, `a client of ${protocol}`)
    const why =
      error instanceof SessionRefusal ? error : new SessionRefusal(isKnown ? error.message : 'The connection failed')
    const words = refusalWords(why, signIn?.person.language)
    end.refused(error instanceof ProtocolViolation ? 'violation' : 'refusal', words)
    hangUp(end.socket)
  } finally {
    await signIn?.close()
  }
}

async function runSession(serving: Serving, end: DatabaseClientEnd, signIn: DatabaseSignIn): Promise<void> {
  const { kernel, gateway, held } = serving
  const { socket, wire } = end
  const { person, target, systemUserId, listed } = signIn
  const leave = held.take(person.id)
  const limit = kernel.config.databaseConnectionsOfPerson
  if (!leave) throw new SessionRefusal('You have {{limit}} connections, which is the limit: close one first', { limit })
  const gone = new AbortController()
  let live: StatementSession | undefined
  let stopLiving = () => {}
  const input = inputOf(socket, wire)
  const onClose = () => {
    gone.abort()
    inBackground(live?.end('left'))
  }
  const stopPresence = gateway.presence.enter({
    userId: person.id,
    signIn: listed.signIn,
    atWork: true,
    allowed: async () => true,
    dismiss(words) {
      inBackground(signIn.revoke())
      if (live) inBackground(live.end('signed_out', words))
      else socket.destroy()
    },
  })
  socket.once('close', onClose)
  // It may have gone away while its password was checked.
  if (socket.destroyed) onClose()
  try {
    end.admitted()
    const owner = { ...streamOwner(socket, () => live?.ownerDrained()), ...end.owner(person) }
    const dialogue = dialogueOver(end)
    live = await gateway.open({ kind: 'statements', person, target, systemUserId, dialogue, owner, wire }, gone.signal)
    stopLiving = end.lives(live)
    input.into(live)
    await live.ended
  } finally {
    stopLiving()
    socket.off('close', onClose)
    stopPresence()
    leave()
  }
}

/** What the client is sent. `onDrained`: see `StatementOwner.write`. */
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
 * What the client sends: nothing, as long as it waits for the server to be ready, but its end must
 * be seen.
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

/** A client of a database can be told of things, not asked. */
function dialogueOver(end: DatabaseClientEnd): Dialogue {
  return {
    tell: (text) => end.say(text),
    ask: () =>
      Promise.reject(new SessionRefusal('This login asks for something that can only be answered in a terminal')),
    wait: (heading, _text, signal) =>
      new Promise((resolve) => {
        end.say(heading)
        end.socket.once('close', () => resolve('left'))
        if (signal.aborted) resolve('over')
        else signal.addEventListener('abort', () => resolve('over'), { once: true })
      }),
  }
}
