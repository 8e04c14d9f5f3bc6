import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { CAPACITY_PATH } from '@sallyport/contract/resources/monitor/capacity.ts'
import type { FastifyRequest } from 'fastify'
import { callerOf, displayName } from '../../../kernel/access/call.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { askNode, cancelRun, MAX_ROUNDS, ROUNDS } from './ask.ts'
import { compareDays } from './days.ts'
import type { Measure } from './measure.ts'
import { keepMeasuring } from './own-run.ts'
import { readReport } from './report.ts'

/** As the log of operations names it. */
export const CAPACITY_RESOURCE = 'Capacity measurement'
const REPORT = {
  label: 'Capacity',
  fields: plainFields({
    nodes: 'list',
    newest: 'list',
    sentence: 'string',
    full_first: 'string',
    capacity: 'object',
    current: 'object',
    history: 'list',
    days: 'list',
    limit: 'integer',
    titles: 'object',
    part_titles: 'object',
  }),
}

/**
 * What nodes carry, measured on them (docs/capacity.md), for super administrators alone. A node that
 * carries no sessions measures nothing, and answers for the others.
 * @param measure what a node measures, where it carries sessions
 */
export function registerCapacity(kernel: Kernel, measure: Measure): void {
  const { app, db, jobs, audit } = kernel
  const report = ({ call }: FastifyRequest) => readReport(db, call, settingsOf(kernel).get('MONITOR_CAPACITY_PERCENT'))
  const log = (request: FastifyRequest, within: typeof db, action: 'create' | 'update', node: string) =>
    audit.record(within, request.call, [
      { action, resourceType: CAPACITY_RESOURCE, resource: node, orgId: ROOT_ORG_ID },
    ])
  app.route({
    method: 'GET',
    url: CAPACITY_PATH,
    config: {
      access: ['super_admin'],
      summary: 'Capacity: what nodes carry, as it was measured',
      rows: REPORT,
      answers: 'row',
    },
    handler: report,
  })
  app.route({
    method: 'POST',
    url: `${CAPACITY_PATH}run/`,
    config: {
      access: ['super_admin'],
      summary: 'Capacity: measure the node that ?node= names, ?rounds= times',
      rows: REPORT,
    },
    async handler(request) {
      const { node = '', rounds = String(ROUNDS) } = singleValues(request.query)
      if (!isUuid(node)) throw refused('bad_request', 'There is no such node')
      if (!/^\d{1,2}$/.test(rounds) || Number(rounds) < 1 || Number(rounds) > MAX_ROUNDS)
        throw refused('bad_request', 'All is measured once to {{most}} times', { most: MAX_ROUNDS })
      const asked = await db.transaction(async (within) => {
        const run = await askNode(within, {
          ...{ node, askedBy: displayName(callerOf(request.call)), rounds: Number(rounds) },
        })
        if (run) await log(request, within, 'create', run.node_name)
        return run
      })
      if (asked) return report(request)
      const { current } = await report(request)
      throw current
        ? refused('busy', 'A measurement goes on already')
        : refused('bad_request', 'This node does not run, or carries no sessions')
    },
  })
  app.route({
    method: 'POST',
    url: `${CAPACITY_PATH}cancel/`,
    config: { access: ['super_admin'], summary: 'Capacity: stop the measurement that goes on', rows: REPORT },
    async handler(request) {
      await db.transaction(async (within) => {
        const run = await cancelRun(within)
        if (!run) throw refused('bad_request', 'No measurement goes on')
        await log(request, within, 'update', run.node_name)
      })
      return report(request)
    },
  })
  jobs.schedule(
    {
      name: 'monitor.compare_capacity',
      cron: '7 * * * *',
      title: 'Compare the day with the measured capacity',
    },
    (now) => compareDays(kernel, now),
  )
  if (kernel.config.roles.includes('gateway')) keepMeasuring(kernel, measure)
}
