import type { Socket } from 'node:net'
import { inBackground } from '../../../kernel/background.ts'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import type { LiveSession } from '../../session/live-session.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { hangUp } from '../connections/hang-up.ts'
import type { HeldByPeople } from '../connections/held-by-people.ts'
import { type ClientSignIn, refusalWords, type SigningInClient, signInClient } from './client-sign-in.ts'
import { enterClient } from './enter-client.ts'

/** Parts of a node's listener for each of its clients. */
export interface ListenerContext {
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
export interface Client extends Omit<SigningInClient, 'address'> {
  socket: Socket
  /** The last that it hears: why it can't be served. */
  refused(why: 'violation' | 'refusal', words: string): void | Promise<void>
  /**
   * `say` reaches it in the protocol's own way, where it is signed in and waits for its session.
   */
  say?(words: string): void
  /** Opens its session, into which everything goes that it sends from now on. */
  open(signedIn: Pick<ClientSignIn, 'person' | 'target' | 'systemUserId'>, waiting: Waiting): Promise<LiveSession>
}

/** How a client waits for its session. */
export interface Waiting {
  dialogue: Dialogue
  /** Aborted when it is gone. */
  gone: AbortSignal
}

/** Signs a client in, and serves it to its end. Never throws. */
export async function serveClient(context: ListenerContext, client: Client): Promise<void> {
  const { kernel, protocol, address } = context
  let signIn: ClientSignIn | undefined
  try {
    signIn = await signInClient(kernel, { ...client, address })
    context.isKnown()
    await runSession(context, client, signIn)
  } catch (error) {
    const isKnown = error instanceof SessionRefusal || error instanceof ProtocolViolation
    // Never the name that it gave, which may be a token that still opens a session.
    if (isKnown) kernel.app.log.info({ address }, `a client of ${protocol} was refused: ${error.message}`)
    else kernel.app.log.info({ err: error }, `a client of ${protocol}`)
    const why =
      error instanceof SessionRefusal ? error : new SessionRefusal(isKnown ? error.message : 'The connection failed')
    const words = refusalWords(why, signIn?.person.language ?? standardLanguage(kernel.app))
    if (client.socket.writable)
      await client.refused(error instanceof ProtocolViolation ? 'violation' : 'refusal', words)
    hangUp(client.socket)
  } finally {
    await signIn?.close()
  }
}

async function runSession(context: ListenerContext, client: Client, signIn: ClientSignIn): Promise<void> {
  const { kernel, gateway, held } = context
  const { socket } = client
  const leave = held.take(signIn.person.id)
  const limit = kernel.config.databaseConnectionsOfPerson
  if (!leave) throw new SessionRefusal('You have {{limit}} connections, which is the limit: close one first', { limit })
  const gone = new AbortController()
  let live: LiveSession | undefined
  const onClose = () => {
    gone.abort()
    inBackground(live?.end('left'))
  }
  const stopPresence = enterClient(gateway, signIn, { live: () => live, giveUp: () => socket.destroy() })
  socket.once('close', onClose)
  // It may have gone away while its password was checked.
  if (socket.destroyed) onClose()
  try {
    live = await client.open(signIn, { dialogue: dialogueWith(client), gone: gone.signal })
    await live.ended
  } finally {
    socket.off('close', onClose)
    stopPresence()
    leave()
  }
}

/**
 * Such a client can be notified, but not asked; it waits for a session that others must approve.
 */
function dialogueWith({ socket, say }: Client): Dialogue {
  return {
    ...(say ? { tell: say } : {}),
    ask: () =>
      Promise.reject(new SessionRefusal('This login asks for something that can only be answered in the web terminal')),
    wait: (heading, _text, signal) =>
      new Promise((resolve) => {
        say?.(heading)
        socket.once('close', () => resolve('left'))
        if (signal.aborted) resolve('over')
        else signal.addEventListener('abort', () => resolve('over'), { once: true })
      }),
  }
}
