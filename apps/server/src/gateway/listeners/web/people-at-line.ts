import { displayName } from '../../../kernel/access/call.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { LiveSession } from '../../session/live-session.ts'
import { notifyParticipants, type TerminalRequest } from './role.ts'

/**
 * Somebody who signs out, or is disabled, leaves; so does what they left waiting. Answers how to
 * leave.
 */
export function enter(
  { gateway, line, person, signIn, say }: TerminalRequest,
  live: () => LiveSession | undefined,
  atWork: () => boolean,
): () => void {
  const leave = gateway.presence.enter({
    userId: person.id,
    signIn,
    get atWork() {
      return atWork()
    },
    allowed: async () => true,
    dismiss(words) {
      const session = live()
      if (session) inBackground(session.end('signed_out', words))
      else line.refuse(say(words.text, words.values))
    },
  })
  return leave
}

/** Takes part in the session until the line ends. */
export function joinParticipants({ line, person }: TerminalRequest, live: LiveSession): void {
  const leave = live.participants.enter(
    {
      user_id: person.id,
      user: displayName(person),
      remote_addr: person.remoteAddress,
      primary: true,
      writable: true,
    },
    { tell: (event) => notifyParticipants(line, event) },
  )
  if (live.isLocked) line.send('TERMINAL_LOCK', { locked: true, by: '' })
  if (line.gone.aborted) leave()
  else line.gone.addEventListener('abort', leave)
}
