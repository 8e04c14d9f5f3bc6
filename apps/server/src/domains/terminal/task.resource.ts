import { terminalTask as definition } from '@sallyport/contract/resources/terminal/terminal-task.ts'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, callerOf, isComponent, isRoot } from '../../kernel/access/call.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { inOrganization } from '../../kernel/resource/in-organization.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { presentAll } from '../../kernel/resource/read.ts'
import type { MountedResource } from '../../kernel/resource/registry.ts'
import { contextOf, mountResource } from '../../kernel/resource/routes.ts'
import { terminalSession, terminalTask, terminalTerminal } from './tables.ts'

type Writing = WriteContext<typeof definition, typeof terminalTask>

export default function mountTask(kernel: Kernel): void {
  const tasks = mountResource(kernel, definition, {
    table: terminalTask,
    scope: ({ call }) => visibleTasks(call),
    unaudited: isComponent,
    rules: { beforeWrite: [nameSession, noteEnd] },
  })
  registerHeartbeat(kernel, tasks)
}

/** A component sees its own orders, an administrator those for sessions of the organization. */
function visibleTasks(call: Call): SQL | undefined {
  if (isComponent(call))
    return sql`${terminalTask.terminal} IN (SELECT id FROM terminal_terminal WHERE user_id = ${callerOf(call).id})`
  if (isRoot(call)) return undefined
  return sql`${terminalTask.args} IN (SELECT id::text FROM terminal_session WHERE org_id = ${call.org.id})`
}

/** An order must name a session that the caller may see. */
async function nameSession({ draft, db, call }: Writing): Promise<void> {
  if (draft.args === undefined) return
  const id = draft.args
  const inOrg = isComponent(call) ? undefined : inOrganization(call, terminalSession.org_id)
  const [session] = isUuid(id)
    ? await db
        .select({ terminal: terminalSession.terminal })
        .from(terminalSession)
        .where(and(eq(terminalSession.id, id), inOrg))
    : []
  if (!session) throw invalid({ args: 'No such session.' })
  draft.terminal = session.terminal
}

function noteEnd({ draft, row }: Writing): void {
  if (draft.is_finished === true && !row?.is_finished) draft.date_finished = new Date()
}

const beatSchema = z.object({
  sessions: z.array(z.string().max(36)).max(10_000),
  cpu_load: z.coerce.number().min(0).default(0),
  memory_used: z.coerce.number().min(0).default(0),
  disk_used: z.coerce.number().min(0).default(0),
})

/**
 * POST terminals/status/: a component reports that it and its sessions are alive, and gets the
 * orders that wait for it.
 */
function registerHeartbeat(kernel: Kernel, tasks: MountedResource): void {
  for (const url of [
    '/api/v1/terminal/terminals/status/',
    '/api/v1/terminal/status/',
    '/api/v1/terminal/terminals/:terminal_id/status/',
  ]) {
    kernel.app.route({
      method: 'GET',
      url,
      config: {
        access: ['org_admin', 'component'],
        summary: 'Terminal status: kept in the terminal',
        rows: { fields: {} },
        answers: 'rows',
      },
      handler: async () => [],
    })
    kernel.app.route({
      method: 'POST',
      url,
      config: { access: ['component'], rootOrg: true, summary: 'Terminal status: heartbeat', answerStatus: 201 },
      handler: async (request, reply) => {
        const { sessions, ...figures } = beatSchema.parse(request.body ?? {})
        const context = contextOf(kernel, request)
        const [own] = await kernel.db
          .update(terminalTerminal)
          .set({ ...figures, date_last_seen: sql`now()` })
          .where(eq(terminalTerminal.user_id, callerOf(request.call).id))
          .returning({ id: terminalTerminal.id })
        if (!own) return reply.status(201).send([])
        const ids = sessions.filter(isUuid)
        if (ids.length) {
          // Only its own: a component can't keep another's sessions alive.
          await kernel.db
            .update(terminalSession)
            .set({ date_last_active: sql`now()` })
            .where(
              and(
                inArray(terminalSession.id, ids),
                eq(terminalSession.terminal, own.id),
                eq(terminalSession.is_finished, false),
              ),
            )
        }
        const open = await kernel.db
          .select()
          .from(terminalTask)
          .where(and(eq(terminalTask.is_finished, false), or(eq(terminalTask.terminal, own.id))))
          .orderBy(terminalTask.date_created)
          .limit(1000)
        return reply.status(201).send(await presentAll(tasks, open, { ...context, query: {} }))
      },
    })
  }
}
