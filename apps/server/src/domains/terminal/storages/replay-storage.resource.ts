import { replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { and, inArray, isNull, or, sql } from 'drizzle-orm'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { endpointOf, type S3Type } from '../recording/storages/s3-place.ts'
import { terminalRecordingMove, terminalReplayStorage, terminalSession, terminalTerminal } from '../tables.ts'
import { askKeysAgain, keepType, oneDefault, readType, refuseBuiltIn } from './storage-rules.ts'

type Writing = WriteContext<typeof replayStorage, typeof terminalReplayStorage>
type Deleting = DeleteContext<typeof terminalReplayStorage>

/** Where finished recordings are stored (docs/rules/terminal.md#replay_storage). */
export default function mountReplayStorage(kernel: Kernel): void {
  mountResource(kernel, replayStorage, {
    table: terminalReplayStorage,
    rules: {
      beforeWrite: [keepType, readType, checkEndpoint, askKeysAgain, oneDefault(terminalReplayStorage)],
      beforeDelete: [refuseBuiltIn, refuseInUse],
    },
  })
}

/** An endpoint with a path is refused on that field (docs/rules/terminal.md#replay_storage). */
function checkEndpoint({ draft, row }: Writing): void {
  const meta = draft.meta
  if (!meta || !('ENDPOINT' in meta)) return
  const type = (draft.type ?? row?.type) as S3Type
  let url: URL
  try {
    url = endpointOf(type, meta)
  } catch {
    throw invalid({ 'meta.ENDPOINT': 'This is no address of a server' })
  }
  if (url.username || url.password || url.search || url.hash || (type !== 'obs' && url.pathname !== '/'))
    throw invalid({ 'meta.ENDPOINT': 'The address ends with the host or the port: no path, no user, no query' })
}

async function refuseInUse({ rows, db }: Deleting): Promise<void> {
  const [names, ids] = [rows.map(({ name }) => name), rows.map(({ id }) => id)]
  const [terminal] = await db
    .select({ one: sql`1` })
    .from(terminalTerminal)
    .where(inArray(terminalTerminal.replay_storage, names))
    .limit(1)
  if (terminal) throw refused('in_use', 'A terminal uses this storage: choose another for it first')
  const { replay_storage, replay_due } = terminalSession
  const [held] = await db
    .select({ recordings: sql<number>`count(*)::int` })
    .from(terminalSession)
    .where(or(inArray(replay_storage, ids), inArray(replay_due, ids)))
  if (held?.recordings)
    throw refused(
      'in_use',
      'Recordings are in this storage ({{count}}): it can be deleted once they are moved, or gone by their age',
      { count: held.recordings },
    )
  const { source, target, date_finished } = terminalRecordingMove
  const [move] = await db
    .select({ one: sql`1` })
    .from(terminalRecordingMove)
    .where(and(isNull(date_finished), or(inArray(source, ids), inArray(target, ids))))
    .limit(1)
  if (move) throw refused('in_use', 'Recordings are being moved from or to this storage')
}
