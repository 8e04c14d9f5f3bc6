import { translate } from '../../kernel/i18n/translate.ts'
import { type Credentials, hasSecret } from '../../kernel/secrets/login.ts'
import type { Dialogue } from '../session/dialogue.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/**
 * Servers that may have accounts without a name, or none at all, and those where neither name nor
 * password proves anything (docs/rules/assets.md). A desktop asks for what it wants.
 */
const MAY_HAVE_NONE = new Set(['redis', 'k8s', 'vnc'])

/** Which credentials the person has to give, because nobody stored them. */
export function missingCredentials({ credentials, systemUser }: ConnectionTarget): {
  username: boolean
  secret: boolean
} {
  const isNeeded = !MAY_HAVE_NONE.has(systemUser.protocol)
  const { username } = credentials
  return { username: isNeeded && !username, secret: isNeeded && !hasSecret(credentials) }
}

/**
 * Asks for credentials that nobody stored; they are used once and stored nowhere
 * (docs/rules/gateway.md#credential_prompts). Throws SessionRefusal when the person does not give
 * them.
 * @returns the credentials to log in with
 */
export async function askMissingCredentials(
  target: ConnectionTarget,
  person: Person,
  dialogue: Dialogue,
): Promise<Credentials> {
  const { credentials } = target
  const missing = missingCredentials(target)
  const gaveUp = () => new SessionRefusal('Cancelled')
  const username = missing.username
    ? await dialogue.ask(`${translate(person.language, 'Username')}: `, { echo: true })
    : credentials.username
  if (missing.username && !username) throw gaveUp()
  const named = { ...credentials, username: username ?? '' }
  if (!missing.secret) return named
  const words = translate(person.language, "{{username}}'s password", { username: named.username })
  const password = await dialogue.ask(`${words}: `, { echo: false })
  if (password === undefined) throw gaveUp()
  return { ...named, password }
}
