import { randomUUID } from 'node:crypto'
import { spoken } from '@sallyport/contract/names.ts'
import type { Handlers } from '@sallyport/contract/socket/message.ts'
import type { SHARING } from '@sallyport/contract/socket/room.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { findSession } from '../../../domains/terminal/index.ts'
import { createSharing, finishJoin, joinSharing, mayStay } from '../../../domains/terminal/sharing/index.ts'
import { displayName } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { DesktopSession } from '../../kinds/desktop/desktop-session.ts'
import type { AnySession } from '../../kinds/index.ts'
import type { TerminalSession } from '../../kinds/terminal/terminal-session.ts'
import type { LiveSession } from '../../session/live-session.ts'
import { notice } from '../../session/notice.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { noDoor } from './message-door.ts'
import { notifyParticipants, passOn, type Role, type TerminalRequest } from './role.ts'
import { type DesktopViewer, viewDesktop } from './view-desktop.ts'

/**
 * How a person shares their own session and removes guests; `live` answers nothing while there is no
 * session that is theirs to share.
 */
export function sharing(request: TerminalRequest, live: () => LiveSession | undefined): Handlers<typeof SHARING> {
  return {
    TERMINAL_SHARE(wanted) {
      const session = live()
      if (session) inBackground(share(request, session, wanted))
    },
    TERMINAL_SHARE_USER_REMOVE: ({ id }) => live()?.participants.remove(id, 'You were removed from this session'),
  }
}

/** A person who asks for a link that can't be sees that there is none. */
export const sharingRefused = ({ line }: TerminalRequest) => ({
  TERMINAL_SHARE: () => line.send('TERMINAL_SHARE', { share_id: '', code: '' }),
})

type Wanted = Parameters<Handlers<typeof SHARING>['TERMINAL_SHARE']>[0]

async function share({ kernel, line }: TerminalRequest, live: LiveSession, wanted: Wanted): Promise<void> {
  try {
    const { session_id, expired, action_permission } = wanted
    if (session_id !== live.id || !settingsOf(kernel).get('SECURITY_SESSION_SHARE')) throw new Error('not shared')
    const row = await findSession(kernel.db, live.id)
    if (!row) throw new Error('no such session')
    const { id: share_id, verify_code: code } = await createSharing(kernel.db, row, {
      expired_time: expired,
      action_permission,
    })
    line.send('TERMINAL_SHARE', { share_id, code })
  } catch (error) {
    kernel.app.log.info({ err: error, session: live.id }, 'session was not shared')
    line.send('TERMINAL_SHARE', { share_id: '', code: '' })
  }
}

/** `share`: joins by link and code; may type where the link allows it. */
export function joinByLink(request: TerminalRequest): Role {
  const { kernel, gateway, line, person, signIn, query, say } = request
  const name = displayName(person)
  /** By which the others know who this is. */
  const id = randomUUID()
  let live: TerminalSession | undefined
  let viewer: DesktopViewer | undefined
  let writable = false
  return {
    async open({ code = '' }) {
      const answer = await joinSharing(kernel, {
        sharing: query.target_id,
        code,
        joiner: person,
        remote_addr: person.remoteAddress,
      })
      if (!answer) throw new SessionRefusal('There is no such link, or no such person')
      if (answer.refusal) throw new SessionRefusal(answer.refusal)
      const finish = () =>
        void finishJoin(kernel, answer.record.id).catch((error) => kernel.app.log.error({ err: error }, 'join record'))
      const session = gateway.find(answer.record.session ?? '')
      if (!isShared(session) || line.gone.aborted) {
        finish()
        throw new SessionRefusal(session ? 'Cancelled' : 'The server that carries this session cannot be reached')
      }
      const leavePresence = gateway.presence.enter({
        userId: person.id,
        signIn,
        atWork: false,
        allowed: () => mayStay(kernel, query.target_id, person.id),
        dismiss: ({ text, values }) => line.refuse(say(text, values)),
      })
      line.send('TERMINAL_SESSION', { session: { id: session.id }, writable: answer.writable, participant: id })
      const leaveParticipants = session.participants.enter(
        {
          user_id: person.id,
          user: name,
          remote_addr: person.remoteAddress,
          primary: false,
          writable: answer.writable,
        },
        { tell: (event) => notifyParticipants(line, event), remove: (text) => line.refuse(say(text)) },
        id,
      )
      session.tell(notice('joined', '{{name}} has joined this session', { name: spoken(name) }))
      const stop = session.kind === 'desktop' ? showDesktop(session) : showTerminal(session)
      line.gone.addEventListener('abort', () => {
        live = undefined
        stop?.()
        leavePresence()
        leaveParticipants()
        if (session.kind === 'desktop' && session.driver === id) session.handOver(undefined)
        session.tell(notice('parted', '{{name}} has left this session', { name: spoken(name) }))
        finish()
      })
      if (!stop) throw new SessionRefusal('This session is over, or has as many watchers as it can')
      live = session.kind === 'terminal' ? session : undefined
      writable = answer.writable
    },
    input(bytes) {
      viewer?.receive(bytes)
      if (live && writable && !line.isFinished) passOn(line, live, bytes, { id: person.id, display: name })
    },
    // A guest's window does not change the session's size.
    resize() {},
    message: noDoor,
    leave: () => line.socket.close(),
  }

  function showTerminal(session: TerminalSession) {
    return session.watch({
      write: (bytes) => line.show(bytes),
      backlog: () => line.socket.bufferedAmount,
      resize: ({ cols, rows }) => line.send('TERMINAL_RESIZE', { Width: cols, Height: rows }),
      close: () => line.finish(),
    })
  }

  /** Keys and pointer count as long as they are handed over; the clipboard stays its person's. */
  function showDesktop(session: DesktopSession) {
    const isIn = () => writable && !line.isFinished
    line.showsWords = false
    viewer = viewDesktop(request, session, {
      key: (isDown, keysym) => isIn() && session.key(isDown, keysym, id),
      pointer: (buttons, x, y) => isIn() && session.pointer(buttons, x, y, id),
      resize() {},
    })
    line.send('DESKTOP_CONTROL', { id: session.driver ?? '' })
    return session.watch(viewer.audience)
  }
}

/** Others can be in it. */
function isShared(session: AnySession | undefined): session is TerminalSession | DesktopSession {
  return session?.kind === 'terminal' || session?.kind === 'desktop'
}
