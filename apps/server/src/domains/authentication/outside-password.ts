import type { Kernel } from '../../kernel/kernel.ts'
import { settingsOf } from '../settings/index.ts'
import { findUser } from '../users/index.ts'
import type { AskSource } from './ask-source.ts'
import { countFailure, findLock, forgetFailures } from './failures.ts'
import { proveByLdap } from './ldap/sign-in.ts'
import { type OutsideSource, REFUSED, savePeople } from './outside-people.ts'
import { proveByRadius } from './radius/sign-in.ts'

/** A password that an outside source confirmed; `username` is the person's name there. */
export interface OutsideProof {
  username: string
  /** For the login log. */
  backend: string
}

interface Source {
  source: OutsideSource
  backend: string
  isOn: (settings: ReturnType<typeof settingsOf>) => boolean
  existingOnly: (settings: ReturnType<typeof settingsOf>) => boolean
  ask: AskSource
  /** Whether it knows more of a person than the name. */
  describes: boolean
}

/** In the order in which they are asked about people who have no row here yet. */
const SOURCES: readonly Source[] = [
  {
    source: 'ldap',
    backend: 'LDAP/AD',
    isOn: (settings) => settings.get('AUTH_LDAP'),
    existingOnly: (settings) => settings.get('AUTH_LDAP_USER_LOGIN_ONLY_IN_USERS'),
    ask: proveByLdap,
    describes: true,
  },
  {
    source: 'radius',
    backend: 'Radius',
    isOn: (settings) => settings.get('AUTH_RADIUS'),
    existingOnly: () => false,
    ask: proveByRadius,
    describes: false,
  },
]

/** Requests at a time to all sources together: a slow directory must not pile up sign-ins. */
const MAX_ASKING = 50
let asking = 0

/**
 * Whether an outside source confirms this name and password. People of a source are checked there
 * and nowhere else, so the administrator of a directory can't become a local person of the same
 * name. Makes the person's row at the first sign-in, where that is allowed, and updates it at every
 * one.
 */
export async function proveOutside(
  kernel: Kernel,
  { username, password, address }: { username: string; password?: string | null; address: string },
): Promise<OutsideProof | { error: string; text: string; values: Record<string, unknown> } | undefined> {
  // Many directories take an empty password for an anonymous bind, which succeeds.
  if (!password) return undefined
  const settings = settingsOf(kernel)
  const sources = SOURCES.filter(({ isOn }) => isOn(settings))
  if (!sources.length) return undefined
  const row = await findUser(kernel.db, { username })
  for (const { source, backend, existingOnly, ask, describes } of sources) {
    const create = !settings.get('ONLY_ALLOW_EXIST_USER_AUTH') && !existingOnly(settings)
    if (row ? row.source !== source : !create) continue
    if (asking >= MAX_ASKING) return unreachable()
    let known = username
    let answer: Awaited<ReturnType<AskSource>>
    asking++
    try {
      answer = await ask(kernel, { username, password }, async (name) => {
        known = name
        // Directories ignore case: other spellings of a name must not give more attempts.
        return name === username || !(await findLock(kernel.db, settings, name, address))
      })
    } catch (error) {
      kernel.app.log.warn({ err: error, source }, 'an outside source could not be asked for a sign-in')
      return unreachable()
    } finally {
      asking--
    }
    if (!answer) {
      if (known !== username) await countFailure(kernel.db, settings, known, address)
      continue
    }
    const { saved, refused } = await savePeople(kernel, [answer.person], { source, create, update: describes })
    const reason = refused.values().next().value
    if (reason)
      return {
        error: reason === REFUSED.source ? 'backend_not_match' : 'user_invalid',
        text: reason,
        values: { email: answer.person.email },
      }
    if (saved[0]) await answer.keep?.(saved[0].id)
    if (known !== username) await forgetFailures(kernel.db, known, address)
    return { username: answer.person.username, backend }
  }
  return undefined
}

const unreachable = () => ({
  error: 'source_unavailable',
  text: 'The directory that checks your password cannot be reached. Try again later, or tell an administrator.',
  values: {},
})
