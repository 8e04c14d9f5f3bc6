import { settingsOf } from '../../settings/index.ts'
import { findUsers } from '../../users/index.ts'
import type { AskSource } from '../ask-source.ts'
import { keptGroups } from '../group-mapping/reported-groups.ts'
import { askRadius } from './ask-radius.ts'

/**
 * Checks a password at the RADIUS server, which tells nothing else about the person
 * (docs/rules/settings.md#setting_radius).
 */
export const proveByRadius: AskSource = async (kernel, { username, password }, mayTry) => {
  const settings = settingsOf(kernel)
  // Many servers ignore case in names: a name must be one person here, and not pass for somebody
  // whose name differs in case alone.
  const alike = await findUsers(kernel.db, { similarTo: username })
  const known = alike.find((row) => row.username === username) ?? alike[0]
  if (known && known.source !== 'radius') return undefined
  const name = known?.username ?? username
  if (!(await mayTry(name))) return undefined
  const server = {
    host: settings.get('RADIUS_SERVER'),
    port: settings.get('RADIUS_PORT'),
    secret: settings.get('RADIUS_SECRET') ?? '',
  }
  const { answer, classes } = await askRadius(server, name, password)
  if (answer === 'challenge')
    kernel.app.log.warn({ username: name }, 'the RADIUS server asks a question back, which sign-in does not know')
  if (answer !== 'accept') return undefined
  return { person: { username: name, name: '', email: name, groups: keptGroups(kernel, 'radius', name, classes) } }
}
