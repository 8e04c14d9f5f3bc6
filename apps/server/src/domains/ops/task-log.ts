import { and, asc, eq, gt } from 'drizzle-orm'
import { type Call, isOrgAuditor, isRoot } from '../../kernel/access/call.ts'
import { notFound } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { opsBackgroundTask, opsTaskLog } from './tables.ts'

type Task = typeof opsBackgroundTask.$inferSelect

/** Characters in one answer (docs/rules/ops.md#task_log). */
const PAGE_CHARACTERS = 10_240
/** Pieces read by one query. */
const PIECES = 200

/**
 * The task, if the caller may read its log: they started it, or administer or audit its
 * organization and are working there (notes on A2.06). Throws 404 otherwise, as for a task that
 * does not exist.
 */
export async function getReadableTask({ db }: Kernel, call: Call, id: string): Promise<Task> {
  const [task] = isUuid(id) ? await db.select().from(opsBackgroundTask).where(eq(opsBackgroundTask.id, id)) : []
  if (!task || !mayRead(call, task)) throw notFound()
  return task
}

function mayRead(call: Call, task: Task): boolean {
  if (!call.user) return false
  return task.user_id === call.user.id || (isOrgAuditor(call) && (isRoot(call) || call.org.id === task.org_id))
}

/** How far a reader has come: the last piece taken, and how many characters of the next. */
interface Position {
  piece: number
  offset: number
}

const START: Position = { piece: 0, offset: 0 }

export function parseMark(mark: string | undefined): Position {
  const [, piece, offset] = /^(\d{1,15})-(\d{1,9})$/.exec(mark ?? '') ?? []
  return piece && offset ? { piece: Number(piece), offset: Number(offset) } : START
}

const formatMark = ({ piece, offset }: Position): string => `${piece}-${offset}`

export interface LogPage {
  data: string
  position: Position
  /** Nothing more has been written for now. */
  drained: boolean
}

/** The next part of a log, at most `characters` long, with lines ended by CR LF for terminals. */
export async function readLog(
  { db }: Pick<Kernel, 'db'>,
  task: string,
  from: Position,
  characters = PAGE_CHARACTERS,
): Promise<LogPage> {
  const pieces = await db
    .select({ id: opsTaskLog.id, data: opsTaskLog.data })
    .from(opsTaskLog)
    .where(and(eq(opsTaskLog.task, task), gt(opsTaskLog.id, from.piece)))
    .orderBy(asc(opsTaskLog.id))
    .limit(PIECES)
  let position = from
  let data = ''
  for (const piece of pieces) {
    const rest = piece.data.replaceAll('\n', '\r\n').slice(position.offset)
    const room = characters - data.length
    if (rest.length > room)
      return {
        data: data + rest.slice(0, room),
        position: { piece: position.piece, offset: position.offset + room },
        drained: false,
      }
    data += rest
    position = { piece: piece.id, offset: 0 }
  }
  return { data, position, drained: pieces.length < PIECES }
}

export const isFinished = ({ state }: Pick<Task, 'state'>): boolean => state === 'SUCCESS' || state === 'FAILURE'

export function registerTaskLog(kernel: Kernel): void {
  for (const kind of ['celery', 'ansible']) {
    kernel.app.route({
      method: 'GET',
      url: `/api/v1/ops/${kind}/task/:id/log/`,
      config: { access: ['authenticated'], summary: 'Output of a background task, page by page' },
      handler: async (request) => {
        const { id } = request.params as { id: string }
        const { mark } = request.query as { mark?: string }
        // The state is read first: output written between the two reads then comes with a later
        // page, and is not lost.
        const task = await getReadableTask(kernel, request.call, id)
        if (task.state === 'PENDING')
          return {
            data: mark === 'undefined' ? '.' : translate(request.call.language, 'Waiting for the task to start'),
          }
        const { data, position, drained } = await readLog(kernel, id, parseMark([mark].flat()[0]))
        return { data, end: drained && isFinished(task), mark: formatMark(position) }
      },
    })
  }
  kernel.app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/core/ops/celery/task/:id/log/',
    config: {
      access: ['org_auditor'],
      page: true,
      summary: 'Page of the output of a background task',
      answers: 'moved',
      answerStatus: 302,
    },
    handler: ({ params }, reply) => reply.redirect(`/ui/ops/celery/task/${encodeURIComponent(params.id)}/log/`),
  })
}
