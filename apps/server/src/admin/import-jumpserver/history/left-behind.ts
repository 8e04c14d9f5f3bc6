import type { ImportContext } from '../context.ts'
import { text } from '../values.ts'

const STORAGES = [
  ['terminal.replaystorage', 'Recordings in it stay there: copy them into the media folder, or make the storage here'],
  ['terminal.commandstorage', 'Commands in it stay there: only the database is read'],
] as const

/** Says what belongs to sessions there and does not come. */
export async function noteLeftBehind({ source, report }: ImportContext): Promise<void> {
  const notes = report.kind('Storages outside')
  for (const [table, why] of STORAGES)
    for await (const batch of source.read({ table, columns: ['name', 'type'] }))
      for (const row of batch) {
        if (/^(?:server|null)$/.test(row.type ?? '')) continue
        notes.read++
        notes.staysBehind(text(row.name, 128), why)
      }
  const sessions = report.kind('Past sessions')
  sessions.many(await source.count('terminal.sessionjoinrecord'), 'Records of people who joined sessions of others')
}
