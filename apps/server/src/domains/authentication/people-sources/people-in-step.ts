/** People of further directories and sign-in providers, who come in and stay out with these. */
import type { Database } from '../../../kernel/database/database.ts'
import type { ReadContext } from '../../../kernel/resource/mount.ts'
import { closeDirectory, countDirectoryPeople, keepDirectory } from '../../users/directories/index.ts'
import { endSignInsOfDirectory } from '../end-sign-ins.ts'
import type { OutsideSource } from '../outside-source.ts'

interface Stored {
  id: string
  name: string
  is_active: boolean
}

/** How many people each has made. */
export const peopleAmount = {
  fields: ['people_amount'],
  load: async (rows: readonly { id: string }[], { db }: ReadContext) => {
    const counts = await countDirectoryPeople(
      db,
      rows.map(({ id }) => id),
    )
    return rows.map(({ id }) => ({ people_amount: counts.get(id) ?? 0 }))
  },
} as const

/** A rule after a write: while it is off its people cannot come in, and what they have open ends. */
export const keepPeopleInStep =
  (source: OutsideSource) =>
  async ({ db, row, stored }: { db: Database; row: Stored | undefined; stored: Stored }): Promise<void> => {
    const { id, name, is_active } = stored
    await keepDirectory(db, { id, name, is_open: is_active, source })
    if (row?.is_active !== false && !is_active) await endSignInsOfDirectory(db, id)
  }

/** A rule after a deletion: its people stay, as its own, and stay out; nobody else takes their names. */
export async function shutPeopleOut({ db, rows }: { db: Database; rows: readonly { id: string }[] }): Promise<void> {
  for (const { id } of rows) {
    await closeDirectory(db, id)
    await endSignInsOfDirectory(db, id)
  }
}
