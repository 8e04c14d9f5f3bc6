import { findSession } from '../../../domains/terminal/index.ts'
import { canJoin } from '../../../domains/terminal/sharing/index.ts'
import { displayName } from '../../../kernel/access/call.ts'
import type { AnySession } from '../../kinds/index.ts'
import type { StatementWatcher } from '../../kinds/statements/statement-session.ts'
import { plainText } from '../../prompt/plain-text.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { noDoor } from './message-door.ts'
import type { Role, TerminalRequest } from './role.ts'
import type { TerminalSocket } from './terminal-socket.ts'
import { type DesktopViewer, viewDesktop } from './view-desktop.ts'

/** `shareroom`: watches, and can't type. */
export function watchSession(request: TerminalRequest): Role {
  const { kernel, gateway, line, call, signIn, person, query, say } = request
  let viewer: DesktopViewer | undefined
  return {
    async open() {
      const { session, mayStay } = await findWatched(request, query.target_id)
      if (line.gone.aborted) return
      const leave = gateway.presence.enter({
        userId: person.id,
        signIn,
        atWork: false,
        allowed: mayStay,
        dismiss: ({ text, values }) => line.refuse(say(text, values)),
      })
      line.gone.addEventListener('abort', leave)
      const stop = show(session)
      if (!stop) throw new SessionRefusal('This session is over, or has as many watchers as it can')
      line.gone.addEventListener('abort', stop)
      line.gone.addEventListener('abort', session.participants.watchedBy(displayName(person)))
    },
    // A viewer of a desktop asks for its picture; what else it sends goes nowhere.
    input: (bytes) => viewer?.receive(bytes),
    resize() {},
    message: noDoor,
    leave: () => line.socket.close(),
  }

  /** Answers how to stop; undefined when there is no room. */
  function show(session: AnySession): (() => void) | undefined {
    if (session.kind === 'desktop') {
      viewer = viewDesktop(request, session)
      return session.watch(viewer.audience)
    }
    if (session.kind === 'statements') return session.watch(lines(line))
    if (session.kind !== 'terminal') throw new SessionRefusal('This kind of session cannot be shown in a terminal')
    return session.watch({
      write: (bytes) => line.show(bytes),
      backlog: () => line.socket.bufferedAmount,
      resize: ({ cols, rows }) => line.send('TERMINAL_RESIZE', { Width: cols, Height: rows }),
      close: () => line.finish(),
    })
  }

  /** Throws SessionRefusal. */
  async function findWatched(
    { kernel: { db } }: TerminalRequest,
    sessionId: string,
  ): Promise<{ session: AnySession; mayStay(): Promise<boolean> }> {
    const row = await findSession(db, sessionId)
    if (!row || !(await canJoin(kernel.db, call, row)))
      throw new SessionRefusal('This session cannot be watched: it is over, or you may not')
    const session = gateway.find(sessionId)
    if (!session) throw new SessionRefusal('The server that carries this session cannot be reached')
    return { session, mayStay: () => canJoin(db, call, row) }
  }
}

/** Statements and what came of them, as lines of a terminal. */
function lines(line: TerminalSocket): StatementWatcher {
  return {
    line: (text) =>
      line.show(
        Buffer.from(
          text
            .split('\n')
            .map((row) => `${plainText(row)}\r\n`)
            .join(''),
        ),
      ),
    backlog: () => line.socket.bufferedAmount,
    close: () => line.finish(),
  }
}
