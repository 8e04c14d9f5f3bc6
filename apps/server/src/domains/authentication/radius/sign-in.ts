import { findUsers } from '../../users/index.ts'
import type { AskSource } from '../ask-source.ts'
import { keptGroups } from '../group-mapping/reported-groups.ts'
import { askRadius } from './ask-radius.ts'
import type { RadiusSource } from './sources.ts'

/**
 * Checks a password at a RADIUS server, which tells nothing else about the person
 * (docs/rules/settings.md#setting_radius).
 */
export const proveByRadius =
  (source: RadiusSource): AskSource =>
  async (kernel, { username, password }, mayTry) => {
    // Many servers ignore case in names: a name must be one person here, and not pass for somebody
    // whose name differs in case alone.
    const alike = await findUsers(kernel.db, { similarTo: username })
    const known = alike.find((row) => row.username === username) ?? alike[0]
    if (known && (known.source !== 'radius' || known.directory_id !== source.id)) return undefined
    const name = known?.username ?? username
    if (!(await mayTry(name))) return undefined
    const { answer, classes } = await askRadius(source.server(), name, password)
    if (answer === 'challenge')
      kernel.app.log.warn({ username: name }, 'the RADIUS server asks a question back, which sign-in does not know')
    if (answer !== 'accept') return undefined
    return { person: { username: name, name: '', email: name, groups: keptGroups(kernel, 'radius', name, classes) } }
  }
