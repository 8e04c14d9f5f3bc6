import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import {
  type RecordingAmount,
  type RecordingNotMoved,
  recordingMove,
} from '@sallyport/contract/resources/terminal/recording-move.ts'
import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { refused } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { mountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { backgroundWork, type TaskRuns } from '../../ops/index.ts'
import { type MoveFault, terminalRecordingMove, terminalRecordingMoveItem, terminalSession } from '../tables.ts'
import { carryOutMove, MoveStopped } from './carry-out.ts'
import type { Move } from './ledger.ts'
import { MOVE_RECORDINGS, startMove, wantedOf } from './move.resource.ts'
import { bytesOfWanted, countWanted } from './selection.ts'

const MOST_SHOWN = 1_000

/** Recordings moved from one storage to another, behind a question, by a background task. */
export function registerRecordingMoves(kernel: Kernel): void {
  registerAmount(kernel)
  const moves = mountedResource(kernel, recordingMove, terminalRecordingMove)
  backgroundWork<{ move: string }>(kernel, {
    job: MOVE_RECORDINGS,
    run: ({ id, data, log, signal }) =>
      carryOutMove(kernel, { move: data.move, log, signal }).catch(async (error) => {
        if (error instanceof MoveStopped) {
          await log(error.message)
          await moveRuns.close(kernel, [id], error.message)
        }
        throw error
      }),
    runs: moveRuns,
    isAlwaysNotified: true,
    concurrency: 1,
    expireSeconds: 86_400,
  })
  registerCalls(kernel, (request) => {
    const { id } = request.params as { id: string }
    return getStored(moves, id, contextOf(kernel, request))
  })
}

/** The rows that tell of their tasks. */
const moveRuns: TaskRuns = {
  async open(db) {
    const { task, date_created, date_finished } = terminalRecordingMove
    const rows = await db
      .select({ task })
      .from(terminalRecordingMove)
      .where(and(isNull(date_finished), sql`${date_created} < now() - interval '1 minute'`))
    return rows.map((row) => row.task)
  },
  close: ({ db }, tasks, reason) =>
    db
      .update(terminalRecordingMove)
      .set({ date_finished: sql`now()`, reason })
      .where(and(isNull(terminalRecordingMove.date_finished), inArray(terminalRecordingMove.task, [...tasks]))),
}

const AMOUNT = { fields: plainFields({ recordings: 'integer', bytes: 'integer', complete: 'boolean' }) }
const query = z.object({
  source: z.guid(),
  target: z.guid(),
  date_from: z.string().optional(),
  date_to: z.string().optional(),
})

/** GET recording-moves/amount/: what the question before a move says. */
function registerAmount(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: `${recordingMove.path}amount/`,
    config: { access: ['super_admin'], rootOrg: true, summary: 'How many recordings would be moved', rows: AMOUNT },
    handler: async (request): Promise<RecordingAmount> => {
      const asked = query.parse(request.query)
      const wanted = await wantedOf(kernel, asked, request.call)
      const recordings = await countWanted(kernel.db, wanted)
      const { bytes, complete } = await bytesOfWanted(kernel.db, wanted).catch(() => {
        throw refused('storage_invalid', 'One of the storages cannot be used now: test both first')
      })
      return { recordings, bytes, complete }
    },
  })
}

const NOT_MOVED = {
  fields: plainFields({ session: 'uuid', user: 'string', asset: 'string', date_start: 'datetime', reason: 'string' }),
}

function registerCalls(kernel: Kernel, moveOf: (request: FastifyRequest) => Promise<Move>): void {
  const { app, db, audit } = kernel
  const config = { access: ['super_admin'] as const, rootOrg: true }
  app.route({
    method: 'GET',
    url: `${recordingMove.path}:id/failures/`,
    config: { ...config, summary: 'Recordings that were not moved, and why', answers: 'rows', rows: NOT_MOVED },
    handler: async (request) => notMoved(kernel, await moveOf(request), request.call),
  })
  app.route({
    method: 'POST',
    url: `${recordingMove.path}:id/resume/`,
    config: {
      ...config,
      summary: 'Go on with a move of recordings',
      answers: { fields: plainFields({ task: 'uuid' }) },
    },
    handler: async (request) => {
      const { call } = request
      const { id } = await moveOf(request)
      const move = await db.transaction(async (tx) => {
        const [found] = await tx
          .select()
          .from(terminalRecordingMove)
          .where(eq(terminalRecordingMove.id, id))
          .for('update')
        if (!found?.date_finished) throw refused('is_running', 'This is still under way')
        const { rowCount } = await tx.execute(sql`
          UPDATE terminal_recording_move_item SET reason = NULL, state = CASE state WHEN 'failed' THEN 'waiting' ELSE state END
          WHERE move = ${id}`)
        if (!rowCount) throw refused('is_done', 'Nothing is left to be moved')
        const [again] = await tx
          .update(terminalRecordingMove)
          .set({ task: crypto.randomUUID(), date_finished: null, reason: null })
          .where(eq(terminalRecordingMove.id, id))
          .returning()
        await audit.record(tx, call, [
          {
            ...{ action: 'update', resourceType: recordingMove.label, resource: id, orgId: ROOT_ORG_ID },
            object: { type: recordingMove.name, id },
          },
        ])
        return again
      })
      if (move) await startMove(kernel, call, move)
      return { task: move?.task }
    },
  })
}

const WHY: Readonly<Record<MoveFault, string>> = {
  missing: 'Its files are not in the storage',
  altered: 'It is not what was recorded',
  differs: 'The other storage had something else after it was copied',
  other_node: 'It is on the disk of another node',
  refused: 'A storage refused it: the log of the server says why',
  left: 'It was moved, but its files could not be deleted where it was',
}

async function notMoved(
  { db }: Kernel,
  { id }: Pick<Move, 'id'>,
  { language, timeZone }: { language: Language; timeZone: string },
): Promise<RecordingNotMoved[]> {
  const item = terminalRecordingMoveItem
  const rows = await db
    .select({
      session: item.session,
      reason: item.reason,
      user: terminalSession.user,
      asset: terminalSession.asset,
      date_start: terminalSession.date_start,
    })
    .from(item)
    .innerJoin(terminalSession, eq(terminalSession.id, item.session))
    .where(and(eq(item.move, id), or(eq(item.state, 'failed'), sql`${item.reason} IS NOT NULL`)))
    .orderBy(terminalSession.date_start)
    .limit(MOST_SHOWN)
  return rows.map(({ reason, date_start, ...row }) => ({
    ...row,
    date_start: formatDateTime(date_start, timeZone),
    reason: reason ? translate(language, WHY[reason]) : '',
  }))
}
