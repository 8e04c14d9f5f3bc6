import { inBackground } from '../../../kernel/background.ts'
import type { Gateway } from '../../gateway.ts'
import type { LiveSession } from '../../session/live-session.ts'
import type { ClientSignIn } from './client-sign-in.ts'

/**
 * Counts a client among those who are connected: once its sign-in is over its session ends, or what it
 * waits for is given up, and nobody comes back by that sign-in. Answers how to leave.
 */
export function enterClient(
  { presence }: Pick<Gateway, 'presence'>,
  { person, listed, revoke }: ClientSignIn,
  { live, giveUp }: { live: () => LiveSession | undefined; giveUp: () => void },
): () => void {
  return presence.enter({
    userId: person.id,
    signIn: listed.signIn,
    atWork: true,
    allowed: async () => true,
    dismiss(words) {
      inBackground(revoke())
      const session = live()
      if (session) inBackground(session.end('signed_out', words))
      else giveUp()
    },
  })
}
