import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { recordingMove } from '@sallyport/contract/resources/terminal/recording-move.ts'
import { eq, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { parseDateTime } from '../../../kernel/resource/datetime.ts'
import type { WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { startTask } from '../../ops/index.ts'
import { terminalRecordingMove } from '../tables.ts'
import { countFailed, type Move } from './ledger.ts'
import { type Place, placeOf, requireTwoPlaces } from './places.ts'
import { isWanted, type Wanted } from './selection.ts'

type Writing = WriteContext<typeof recordingMove, typeof terminalRecordingMove>
type Written = WrittenContext<typeof recordingMove, typeof terminalRecordingMove>

/** The job of a move, with `{ move }`. */
export const MOVE_RECORDINGS = 'terminal.move_recordings'

/** Moves of recordings: made once, and then a record. */
export default function mountMoves(kernel: Kernel): void {
  mountResource(kernel, recordingMove, {
    table: terminalRecordingMove,
    computed: [
      { fields: ['state'], load: async (rows) => rows.map((row) => ({ state: stateOf(row) })) },
      {
        fields: ['failed'],
        load: async (rows, { db }) => {
          const failed = await countFailed(
            db,
            rows.map(({ id }) => id),
          )
          return rows.map(({ id }) => ({ failed: failed.get(id) ?? 0 }))
        },
      },
    ],
    present: (row, { reason }, { call }) => ({ ...row, reason: reason && translate(call.language, reason) }),
    rules: {
      beforeWrite: [checkPlaces],
      afterWrite: [
        listRecordings,
        ({ call, stored, afterCommit }) => afterCommit(() => startMove(kernel, call, stored)),
      ],
    },
  })
}

/** Queues the task of a move, whose id is in its row. */
export async function startMove(kernel: Kernel, call: Call, { id, task }: Pick<Move, 'id' | 'task'>): Promise<void> {
  const about = { name: 'Move recordings', job: MOVE_RECORDINGS, data: { move: id }, orgId: ROOT_ORG_ID }
  await startTask(kernel, call, { ...about, id: task, isLogged: true })
}

const stateOf = ({ date_finished, reason }: Pick<Move, 'date_finished' | 'reason'>) =>
  !date_finished ? 'running' : reason ? 'stopped' : 'done'

async function checkPlaces({ kernel, draft }: Writing): Promise<void> {
  const { date_from = null, date_to = null } = draft
  const [source, target] = await bothPlaces(kernel, String(draft.source), String(draft.target))
  checkTime({ date_from, date_to })
  await requireTwoPlaces(kernel, source, target)
}

/** Lists the recordings to move now: later ones go where their terminal stores them. */
async function listRecordings({ kernel, db, stored }: Written): Promise<void> {
  const source = await placeOf(kernel, stored.source)
  if (!source) return
  const wanted = { source, date_from: stored.date_from, date_to: stored.date_to }
  const { rowCount } = await db.execute(sql`
    INSERT INTO terminal_recording_move_item (move, session)
    SELECT ${stored.id}, s.id FROM terminal_session s WHERE ${isWanted(wanted)}`)
  if (!rowCount) throw refused('nothing_to_move', 'No recording of that time is in this storage')
  await db.update(terminalRecordingMove).set({ amount: rowCount }).where(eq(terminalRecordingMove.id, stored.id))
}

/** Throws 400 for storages between which nothing can be moved. */
async function bothPlaces(kernel: Kernel, from: string, to: string): Promise<[source: Place, target: Place]> {
  if (from === to) throw invalid({ target: 'Choose another storage than the one they are in' })
  const [source, target] = [await placeOf(kernel, from), await placeOf(kernel, to)]
  if (!source) throw invalid({ source: 'This storage keeps no recordings' })
  if (!target) throw invalid({ target: 'This storage keeps no recordings' })
  return [source, target]
}

function checkTime({ date_from, date_to }: Pick<Wanted, 'date_from' | 'date_to'>): void {
  if (date_from && date_to && date_from >= date_to) throw invalid({ date_to: 'This is before the beginning' })
}

/** The selection of a query, in the words of the caller's zone. Throws 400. */
export async function wantedOf(
  kernel: Kernel,
  { source, target, ...times }: { source: string; target: string; date_from?: string; date_to?: string },
  { timeZone }: Call,
): Promise<Wanted> {
  const [place] = await bothPlaces(kernel, source, target)
  const timeOf = (field: 'date_from' | 'date_to'): Date | null => {
    if (!times[field]) return null
    const date = parseDateTime(times[field], timeZone)
    if (!date || Number.isNaN(date.getTime())) throw invalid({ [field]: 'Enter a date and time.' })
    return date
  }
  const wanted = { source: place, date_from: timeOf('date_from'), date_to: timeOf('date_to') }
  checkTime(wanted)
  return wanted
}
