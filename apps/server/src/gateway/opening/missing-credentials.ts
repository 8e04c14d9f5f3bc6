import { translate } from '../../kernel/i18n/translate.ts'
import type { Credentials } from '../../kernel/secrets/login.ts'
import type { Dialogue } from '../session/dialogue.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/**
 * Servers that may have accounts without a name, or none at all, and those where neither name nor
 * password proves anything (docs/rules/assets.md). A desktop asks for what it wants.
 */
export const MAY_HAVE_NONE = new Set(['redis', 'k8s', 'vnc'])

/**
 * Asks for credentials that nobody stored; they are used once and stored nowhere
 * (docs/rules/gateway.md#credential_prompts). Throws SessionRefusal when the person does not give
 * them.
 * @returns the credentials to log in with
 */
export async function askMissingCredentials(
  { credentials, systemUser }: ConnectionTarget,
  person: Person,
  dialogue: Dialogue,
): Promise<Credentials> {
  if (MAY_HAVE_NONE.has(systemUser.protocol)) return credentials
  const gaveUp = () => new SessionRefusal('Cancelled')
  const username =
    credentials.username || (await dialogue.ask(`${translate(person.language, 'Username')}: `, { echo: true }))
  if (!username) throw gaveUp()
  if (credentials.password || credentials.privateKey) return { ...credentials, username }
  const words = translate(person.language, "{{username}}'s password", { username })
  const password = await dialogue.ask(`${words}: `, { echo: false })
  if (password === undefined) throw gaveUp()
  return { ...credentials, username, password }
}
