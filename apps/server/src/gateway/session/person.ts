import { type Call, callerOf } from '../../kernel/access/call.ts'
import type { Language } from '../../kernel/i18n/translate.ts'

/** The person at a terminal, and how they came. */
export interface Person {
  id: string
  name: string
  username: string
  language: Language
  remoteAddress: string
  /** By a web terminal, by SSH, or by a client of a database or of desktops. */
  loginFrom: 'WT' | 'ST' | 'DT' | 'NT'
  /** Sign-in that they came by. */
  signInId?: string | undefined
  /** For whom a service identity came; its owner where nothing is said. */
  onBehalfOf?: string | undefined
}

/** The caller of a route as sessions have them. */
export function personOf(call: Call): Person {
  const { id, name, username } = callerOf(call)
  const { language, remoteAddress, signInId, onBehalfOf } = call
  return { id, name, username, language, remoteAddress, loginFrom: 'WT', signInId, onBehalfOf }
}
