import { translate } from '../../kernel/i18n/translate.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { Dialogue } from './dialogue.ts'
import type { Person } from './person.ts'
import { SessionRefusal } from './refusal.ts'

/**
 * Servers that may have accounts without a name, or none at all, and those where neither name nor
 * password proves anything (contract/assets.yaml). A desktop asks for what it wants.
 */
const MAY_HAVE_NONE = new Set(['redis', 'k8s', 'vnc'])

/**
 * Asks for credentials that nobody stored; they are used once and stored nowhere
 * (contract/gateway.yaml credential_prompts). Throws SessionRefusal when the person does not give
 * them.
 */
export async function askMissingCredentials(
  { credentials, systemUser }: ConnectionTarget,
  person: Person,
  dialogue: Dialogue,
): Promise<void> {
  if (MAY_HAVE_NONE.has(systemUser.protocol)) return
  const gaveUp = () => new SessionRefusal('Cancelled')
  if (!credentials.username) {
    const username = await dialogue.ask(`${translate(person.language, 'Username')}: `, { echo: true })
    if (!username) throw gaveUp()
    credentials.username = username
  }
  if (!credentials.password && !credentials.privateKey) {
    const password = await dialogue.ask(
      `${translate(person.language, "{{username}}'s password", { username: credentials.username })}: `,
      {
        echo: false,
      },
    )
    if (password === undefined) throw gaveUp()
    credentials.password = password
  }
}
