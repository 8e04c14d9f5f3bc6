import type { ImportContext } from '../context.ts'
import type { KindNotes } from '../report/report.ts'
import { bool, date, uuid } from '../values.ts'
import { opened } from './person-secrets.ts'

/** SSH keys of people since version 4, which has several a person: the newest one that is switched on. */
export async function readPublicKeys(context: ImportContext, notes: KindNotes): Promise<Map<string, string>> {
  const newest = new Map<string, { text: string; made: string }>()
  let others = 0
  const columns = ['user_id', 'public_key', 'is_active', 'date_created']
  for await (const batch of context.source.read({ table: 'authentication.sshkey', columns }))
    for (const row of batch) {
      const user = uuid(row.user_id)
      const text = opened(context, row.public_key, { closed: () => others++ })
      if (!user || !text || !bool(row.is_active)) continue
      const made = date(row.date_created) ?? ''
      const now = newest.get(user)
      if (now) others++
      if (!now || made > now.made) newest.set(user, { text, made })
    }
  notes.many(others, 'Further SSH keys of a user: here each has one, the newest')
  return new Map([...newest].map(([user, { text }]) => [user, text]))
}
