import type { Socket } from 'node:net'
import { displayName } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { DesktopEnd, DesktopOwner } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import { notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { hangUp } from '../connections/hang-up.ts'
import { type DatabaseSignIn, refusalWords, signInClient } from '../database/database-sign-in.ts'
import type { Serving } from '../database/serve-client.ts'

/** What a client sends before its desktop is there; who sends more is no client of desktops. */
const MAX_EARLY = 64 * 1024

/** A client of desktops that has said who it is, as its protocol has it. */
export interface DesktopClientEnd {
  socket: Socket
  /** The user name that it gave, and the password. */
  name: string
  password: string
  /** What it calls itself. */
  program: string
  /** Of its window, where it has told that. */
  size?: DesktopEnd['size']
  /** It is told why it can't be served; the last that it hears. */
  refused(words: string): void | Promise<void>
  /** What the session tells it. Nothing is told before `shows`. */
  owner(person: Person): DesktopOwner
  /** Its session is live. Answers what takes what it sends, which throws ProtocolViolation. */
  shows(live: DesktopSession): (bytes: Buffer) => void
}

/** Signs a client in, and serves it to its end. Never throws. */
export async function serveDesktop(serving: Serving, end: DesktopClientEnd): Promise<void> {
  const { kernel, protocol, address } = serving
  let signIn: DatabaseSignIn | undefined
  try {
    const { name, password, program } = end
    signIn = await signInClient(kernel, { name, address, program, password: async () => password, kind: 'desktop' })
    serving.isKnown()
    await runSession(serving, end, signIn)
  } catch (error) {
    const isKnown = error instanceof SessionRefusal || error instanceof ProtocolViolation
    // Never the name that it gave, which may be a token that still opens a session.
    if (isKnown) kernel.app.log.info({ address }, `a client of ${protocol} was refused: ${error.message}`)
    else kernel.app.log.info({ err: error }, `a client of ${protocol}`)
    const why =
      error instanceof SessionRefusal ? error : new SessionRefusal(isKnown ? error.message : 'The connection failed')
    if (end.socket.writable) await end.refused(refusalWords(why, signIn?.person.language))
    hangUp(end.socket)
  } finally {
    await signIn?.close()
  }
}

async function runSession(serving: Serving, end: DesktopClientEnd, signIn: DatabaseSignIn): Promise<void> {
  const { kernel, gateway, held } = serving
  const { socket, size } = end
  const { person, target, systemUserId, listed } = signIn
  const leave = held.take(person.id)
  const limit = kernel.config.databaseConnectionsOfPerson
  if (!leave) throw new SessionRefusal('You have {{limit}} connections, which is the limit: close one first', { limit })
  const gone = new AbortController()
  let live: DesktopSession | undefined
  const input = inputOf(socket)
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
  if (socket.destroyed) onClose()
  try {
    const owner = end.owner(person)
    const { language } = person
    const dialogue = dialogueOver(socket)
    live = await gateway.open(
      { kind: 'desktop', person, language, target, systemUserId, dialogue, owner, ...(size ? { size } : {}) },
      gone.signal,
    )
    live.participants.enter(
      {
        user_id: person.id,
        user: displayName(person),
        remote_addr: person.remoteAddress,
        primary: true,
        writable: true,
      },
      { tell: () => {} },
    )
    input.into(live, end.shows(live))
    await live.ended
  } finally {
    socket.off('close', onClose)
    stopPresence()
    leave()
  }
}

/**
 * What the client sends: a little is kept while it waits for the machine. The line is read all the
 * time, or its end would not be seen.
 */
function inputOf(socket: Socket): { into(live: DesktopSession, take: (bytes: Buffer) => void): void } {
  const early: Buffer[] = []
  let kept = 0
  const keep = (bytes: Buffer) => {
    early.push(bytes)
    kept += bytes.length
    if (kept > MAX_EARLY) socket.destroy()
  }
  socket.on('data', keep).resume()
  return {
    into(live, takeAll) {
      const take = (bytes: Buffer) => {
        if (live.isOver) return
        try {
          takeAll(bytes)
        } catch (error) {
          const text = error instanceof ProtocolViolation ? error.message : 'The connection failed'
          inBackground(live.end('closed', notice('closed', text)))
        }
      }
      socket.off('data', keep).on('data', take)
      socket.once('end', () => inBackground(live.end('left')))
      for (const bytes of early) take(bytes)
      if (socket.readableEnded) inBackground(live.end('left'))
    },
  }
}

/** A client of desktops can't be asked for anything; who must confirm the session is waited for. */
function dialogueOver(socket: Socket): Dialogue {
  return {
    ask: () =>
      Promise.reject(new SessionRefusal('This login asks for something that can only be answered in the web terminal')),
    wait: (_heading, _text, signal) =>
      new Promise((resolve) => {
        socket.once('close', () => resolve('left'))
        if (signal.aborted) resolve('over')
        else signal.addEventListener('abort', () => resolve('over'), { once: true })
      }),
  }
}
