import {
  arriveAccessKeys,
  arrivePrivateTokens,
  MOST_ACCESS_KEYS,
  privateTokenRow,
} from '../../../domains/authentication/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext } from '../context.ts'
import { networksOf } from '../networks-of.ts'
import { bool, date, text, uuid } from '../values.ts'
import { opened } from './person-secrets.ts'

const NO_PERSON = 'Its user has not come'
const NOT_FROM_THERE = 'Its user was here before: what opens the account there does not open it here'

/** `came`: the people who come from there; nobody else gets a way in. */
export async function importApiKeys(context: ImportContext, came: ReadonlySet<string>): Promise<void> {
  await importAccessKeys(context, came)
  await importPrivateTokens(context, came)
}

const refusal = (user: string | undefined, came: ReadonlySet<string>): string | undefined => {
  if (!user) return NO_PERSON
  return came.has(user) ? undefined : NOT_FROM_THERE
}

async function importAccessKeys(context: ImportContext, came: ReadonlySet<string>): Promise<void> {
  const notes = context.report.kind('API keys')
  const byPerson = new Map<string, ArrivingRow[]>()
  const columns = ['secret', 'user_id', 'is_active', 'date_created', 'ip_group', 'date_last_used']
  for await (const batch of context.source.read({ table: 'authentication.accesskey', columns })) {
    notes.read += batch.length
    for (const row of batch) {
      const id = uuid(row.id)
      if (!id) continue
      const user = context.ids.get('person', row.user_id)
      const secret = opened(context, row.secret, { plainOnce: true, closed: () => {} })
      const why = refusal(user, came) ?? (secret ? undefined : 'Its secret does not open with this key')
      if (!user || !secret || why) {
        notes.staysBehind(id, why ?? NO_PERSON)
        continue
      }
      const values = {
        user_id: user,
        is_active: bool(row.is_active),
        date_created: date(row.date_created) ?? new Date(0).toISOString(),
        date_last_used: date(row.date_last_used),
        ip_group: networksOf(row.ip_group, () =>
          notes.changes(id, 'Entries of its addresses that are none are left out; with none left it works nowhere'),
        ),
      }
      // Version 2 stores an id, and signs with its text, which has dashes.
      const plain = { secret_sealed: context.version.model === 2 ? (uuid(secret) ?? secret) : secret }
      byPerson.set(user, [...(byPerson.get(user) ?? []), { key: id, id, name: id, values, plain }])
    }
  }
  for (const keys of byPerson.values()) {
    const newest = keys.sort((one, other) =>
      String(one.values.date_created) < String(other.values.date_created) ? 1 : -1,
    )
    for (const { name } of newest.slice(MOST_ACCESS_KEYS))
      notes.staysBehind(name, 'Its user has ten newer ones, which is the limit')
    await bring(context, notes, arriveAccessKeys, newest.slice(0, MOST_ACCESS_KEYS))
  }
}

async function importPrivateTokens(context: ImportContext, came: ReadonlySet<string>): Promise<void> {
  const notes = context.report.kind('Private tokens')
  const columns = ['created', 'user_id']
  for await (const batch of context.source.read({ table: 'authentication.privatetoken', columns, key: 'key' })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => {
      const user = context.ids.get('person', row.user_id)
      const why = refusal(user, came)
      if (why) notes.staysBehind(text(row.user_id, 36), why)
      const token = row.key ?? ''
      return user && token && !why
        ? [privateTokenRow(token, user, date(row.created) ?? new Date(0).toISOString(), user)]
        : []
    })
    await bring(context, notes, arrivePrivateTokens, rows)
  }
}
