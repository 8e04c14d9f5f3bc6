import type { Socket } from 'node:net'
import { displayName } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { DesktopEnd, DesktopOwner } from '../../kinds/desktop/streams.ts'
import { ProtocolViolation } from '../../protocols/protocol-violation.ts'
import { notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { type Client, type ListenerContext, serveClient } from '../clients/serve-client.ts'

/**
 * Limit of a client's input before its desktop is there, in bytes; a client that sends more is no
 * client of desktops.
 */
const MAX_EARLY = 64 * 1024

/** A client of desktops that has said who it is, as its protocol has it. */
export interface DesktopClient extends Pick<Client, 'socket' | 'name' | 'program'> {
  /** It came with the user name. */
  password: string
  /** Size of its window, where that is known. */
  size?: DesktopEnd['size']
  /** Sends the reason why it can't be served, as the last message. */
  refused(words: string): void | Promise<void>
  /** Side of the client in a session. Nothing is sent before `shows`. */
  owner(person: Person): DesktopOwner
  /** Its session is live. Answers what takes what it sends, which throws ProtocolViolation. */
  shows(live: DesktopSession): (bytes: Buffer) => void
}

/** Signs a client of desktops in, and serves it to its end. Never throws. */
export function serveDesktop(context: ListenerContext, client: DesktopClient): Promise<void> {
  const { socket, name, program, size } = client
  return serveClient(context, {
    socket,
    name,
    program,
    kind: 'desktop',
    password: async () => client.password,
    refused: (_why, words) => client.refused(words),
    async open({ person, target, systemUserId }, { dialogue, gone }) {
      const input = inputOf(socket)
      const owner = client.owner(person)
      const { language } = person
      const live = await context.gateway.open(
        { kind: 'desktop', person, language, target, systemUserId, dialogue, owner, ...(size ? { size } : {}) },
        gone,
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
      input.into(live, client.shows(live))
      return live
    },
  })
}

/**
 * Input of the client: a little is kept while it waits for the machine. The line is read all the
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
