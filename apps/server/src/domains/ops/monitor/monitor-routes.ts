import { MONITOR_PATH, type WorkerNode } from '@sallyport/contract/resources/ops/task-monitor.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Call, isSuperAdmin } from '../../../kernel/access/call.ts'
import { notFound, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isPassedOn } from '../../../kernel/nodes/link-listener.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { pageOf, singleValues } from '../../../kernel/resource/query.ts'
import { cancelJob } from '../cancel-task.ts'
import { findJob, isJobState, listJobs, queueFigures } from './jobs-now.ts'

const QUEUE = {
  label: 'Queue',
  fields: plainFields({
    queue: 'string',
    title: 'string',
    waiting: 'integer',
    later: 'integer',
    running: 'integer',
    failed: 'integer',
    done_hour: 'integer',
    failed_hour: 'integer',
    seconds: 'float',
    oldest_waiting: 'datetime',
  }),
}
const WORKER = {
  label: 'Worker',
  fields: plainFields({ id: 'uuid', name: 'string', roles: 'strings', is_reached: 'boolean', work: 'list' }),
}
const JOB = {
  label: 'Job',
  fields: plainFields({
    id: 'uuid',
    queue: 'string',
    title: 'string',
    state: 'string',
    date_created: 'datetime',
    date_due: 'datetime',
    date_start: 'datetime',
    date_finished: 'datetime',
    tries: 'integer',
    error: 'string',
    has_log: 'boolean',
    can_cancel: 'boolean',
    can_retry: 'boolean',
  }),
}

const LARGEST_PAGE = 100
const parameters = z.object({ id: z.guid() })

/** The routes of the task monitor, for super administrators alone (A2.46). */
export function registerTaskMonitor(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: '/core/flower/',
    config: { access: ['authenticated'], page: true, summary: 'Task monitor', answers: 'html' },
    handler: ({ call }, reply) => {
      reply.header('cache-control', 'no-store')
      // As existing links have it (docs/rules/ops.md#task_monitor).
      return isSuperAdmin(call)
        ? reply.redirect('/ui/ops/monitor')
        : reply.type('text/plain; charset=utf-8').send('Forbidden')
    },
  })
  app.route({
    method: 'GET',
    url: `${MONITOR_PATH}queues/`,
    config: { access: ['super_admin'], summary: 'Task monitor: queues', rows: QUEUE, answers: 'rows' },
    handler: ({ call }) => queueFigures(kernel, call),
  })
  app.route({
    method: 'GET',
    url: `${MONITOR_PATH}workers/`,
    config: {
      access: ['super_admin'],
      summary: 'Task monitor: nodes that work, and at what',
      rows: WORKER,
      answers: 'rows',
    },
    handler: async (request) => {
      const { id, name } = kernel.nodes
      const here: WorkerNode = { id, name, roles: kernel.config.roles, is_reached: true, work: kernel.jobs.working() }
      return isPassedOn(request.raw) ? here : [here, ...(await elsewhere(kernel, request))]
    },
  })
  app.route({
    method: 'GET',
    url: `${MONITOR_PATH}jobs/`,
    config: { access: ['super_admin'], summary: 'Task monitor: jobs of one state', rows: JOB, answers: 'page' },
    handler: async ({ call, query }) => {
      const asked = singleValues(query)
      const { state = 'running', queue } = asked
      if (!isJobState(state)) throw refused('bad_request', 'There is no such state of jobs')
      const { limit, offset } = pageOf(asked) ?? { limit: LARGEST_PAGE, offset: 0 }
      const page = { limit: Math.min(limit, LARGEST_PAGE), offset }
      return { ...(await listJobs(kernel, call, { state, queue, page })), next: null, previous: null }
    },
  })
  for (const action of ['retry', 'cancel'] as const)
    app.route({
      method: 'POST',
      url: `${MONITOR_PATH}jobs/:id/${action}/`,
      config: {
        access: ['super_admin'],
        summary: action === 'retry' ? 'Task monitor: do a failed job again' : 'Task monitor: end a job',
      },
      handler: async (request) => {
        const { id } = parameters.safeParse(request.params).data ?? {}
        const job = id && (await findJob(kernel, request.call, id))
        if (!id || !job) throw notFound()
        if (!(await change(kernel, request.call, job, action)))
          throw refused('bad_request', 'The job is not in a state for that any more')
        return findJob(kernel, request.call, id)
      },
    })
}

type Chosen = NonNullable<Awaited<ReturnType<typeof findJob>>>

/** Carries out what is allowed in the job's state; false where the state has changed meanwhile. */
function change(kernel: Kernel, call: Call, job: Chosen, action: 'retry' | 'cancel'): Promise<boolean> {
  const isRetry = action === 'retry'
  if (!(isRetry ? job.can_retry : job.can_cancel)) return Promise.resolve(false)
  return kernel.db
    .transaction(async (tx) => {
      // First its row in the log: what can't be written there does not happen.
      await kernel.audit.record(tx, call, [
        {
          action: 'update',
          resourceType: 'Background job',
          resource: `${job.queue} ${job.id}`,
          orgId: call.org.id,
          object: { type: 'job', id: job.id },
          changes: [{ field: 'state', label: 'State', before: job.state, after: isRetry ? 'waiting' : 'cancelled' }],
        },
      ])
      if (
        !(await (isRetry
          ? kernel.jobs.retry(job.queue, job.id)
          : cancelJob(kernel, { ...job, isRunning: job.state === 'running', isWaiting: job.state === 'waiting' })))
      )
        throw new Unchanged()
      return true
    })
    .catch((error) => {
      if (error instanceof Unchanged) return false
      throw error
    })
}

class Unchanged extends Error {}

/** The reports of the other nodes; of a node that does not answer, that it does not. */
async function elsewhere(kernel: Kernel, request: FastifyRequest): Promise<WorkerNode[]> {
  const others = (await kernel.nodes.running()).filter(({ id }) => id !== kernel.nodes.id)
  return Promise.all(
    others.map((node) =>
      kernel.link.ask(node, request).then(
        (answer) => answer as WorkerNode,
        (error): WorkerNode => {
          request.log.warn({ err: error, node: node.name }, 'node could not be asked for its work')
          return { id: node.id, name: node.name, roles: node.roles, is_reached: false, work: [] }
        },
      ),
    ),
  )
}
