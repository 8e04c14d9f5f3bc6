import { arrivedIds, sourceWith } from '../../../kernel/arrivals/note-arrivals.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { uuid } from '../values.ts'
import type { Source } from './source.ts'

const FIRST = 'jumpserver'

/**
 * The name under which the rows of an installation are known here. Two installations have nobody in
 * common: one whose users have not come is another one, and ends nothing that came from the first.
 */
export async function nameOfInstallation(db: Database, source: Source): Promise<string> {
  const people: string[] = []
  for await (const batch of source.read({ table: 'users.user', columns: [] }))
    people.push(...batch.flatMap((row) => uuid(row.id) ?? []))
  const known = await sourceWith(db, 'person', people)
  if (known) return known
  const first = await arrivedIds({ db, source: FIRST }, 'person')
  return first.size && people[0] ? `${FIRST} ${people[0]}` : FIRST
}
