import { arrivePasswordHistory, rememberArrivedPasswords } from '../../../domains/users/arriving/index.ts'
import type { ImportContext } from '../context.ts'
import { date, uuid } from '../values.ts'
import { knownHash } from './person-secrets.ts'

/**
 * Passwords that people had, which they may not choose again; `came`: those who come from there. What
 * they sign in with now is remembered last.
 */
export async function importPasswordHistory(context: ImportContext, came: ReadonlySet<string>): Promise<void> {
  const { source, report, ids, run } = context
  const notes = report.kind('Earlier passwords')
  let [others, unknown] = [0, 0]
  const reading = { table: 'users.userpasswordhistory', columns: ['password', 'user_id'], time: 'date_created' }
  for await (const batch of source.readHistory({ ...reading, from: '1970-01-01 00:00:00' })) {
    notes.read += batch.length
    const passwords = batch.flatMap((row) => {
      const key = uuid(row.id)
      const user_id = ids.get('person', row.user_id)
      const password_hash = knownHash(row.password)
      if (!user_id || !came.has(user_id)) others++
      else if (!password_hash) unknown++
      if (!key || !user_id || !came.has(user_id) || !password_hash) return []
      return [{ key, user_id, password_hash, date_created: date(row.date_created) ?? new Date(0).toISOString() }]
    })
    const added = await arrivePasswordHistory(run, passwords)
    notes.added += added
    notes.same += passwords.length - added
  }
  notes.behind += others + unknown
  notes.many(others, 'Of users who have not come, or were here before')
  notes.many(unknown, 'Have an unknown form')
  notes.many(await rememberArrivedPasswords(run, [...came]), 'Passwords of today are remembered as well', false)
}
