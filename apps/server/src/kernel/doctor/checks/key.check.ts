import { checkKeys, type RegisteredKey, registeredKeys } from '../../secrets/installation-key.ts'
import type { ConfiguredKeys } from '../../secrets/key-source.ts'
import { type Check, notChecked, type Outcome, ok, type Place, type Words, warning, wrong } from '../check.ts'
import { lineOf } from '../line-of.ts'

const bringBack: Words = (say) =>
  say(
    'Bring back what belongs to this database: secret.key from its backup or another node, or the value of SALLYPORT_SECRET_KEY that was used so far (docs/operate-keys.md).',
  )

/** The key is here, and opens what the database has sealed under it. */
const check: Check = {
  name: 'key',
  title: 'Key of the secrets',
  async run(place) {
    let configured: ConfiguredKeys
    try {
      configured = await place.keys()
    } catch (error) {
      const reason = lineOf(error)
      return wrong((say) => say('The key cannot be read: {{reason}}', { reason }), bringBack)
    }
    return (await place.databaseFault()) ? withoutDatabase(configured) : withDatabase(place, configured)
  },
}
export default check

function withoutDatabase({ keys, source }: ConfiguredKeys): Outcome {
  const values = { source, ids: keys.map(({ id }) => id).join(', ') }
  if (!keys.length) return notChecked((say) => say('There is no key at {{source}}.', values), bringBack)
  return notChecked((say) =>
    say('{{source}} holds the key {{ids}}. Whether it fits the database is not known.', values),
  )
}

async function withDatabase(place: Place, configured: ConfiguredKeys): Promise<Outcome> {
  const { pool } = await place.database()
  const registered = await registeredKeys(pool)
  const inState = (wanted: RegisteredKey['state']) => registered.filter(({ state }) => state === wanted)
  const [current] = inState('current')
  const values = {
    source: configured.source,
    ids: configured.keys.map(({ id }) => id).join(', '),
    current: current?.id,
    previous: inState('previous')
      .map(({ id }) => id)
      .join(', '),
  }
  if (!current) return ok((say) => say('No secret has been sealed in this database yet.'))
  if (!configured.keys.length)
    return wrong(
      (say) => say('The secrets are sealed under the key {{current}}, and {{source}} holds none.', values),
      bringBack,
    )
  const fits = await checkKeys(pool, configured).then(
    () => true,
    () => false,
  )
  if (!fits)
    return wrong(
      (say) =>
        say(
          'The secrets are sealed under the key {{current}}, and {{source}} holds {{ids}}, which does not open them.',
          values,
        ),
      bringBack,
    )
  if (values.previous)
    return warning(
      (say) => say('A rotation of the key is not finished: secrets are still sealed under {{previous}}.', values),
      (say) => say('Run it again, it goes on where it stopped: sallyport-admin rotate-key'),
    )
  return ok((say) => say('The key {{current}} of {{source}} opens the secrets of this database.', values))
}
