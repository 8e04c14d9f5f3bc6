import {
  MONITOR_RANGES,
  type MonitorRange,
  SYSTEM_MONITOR_PATH,
} from '@sallyport/contract/resources/monitor/system-monitor.ts'
import { refused } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { pageOf, singleValues } from '../../kernel/resource/query.ts'
import { readHistory } from './history.ts'
import { monitorNow, pastAlarms } from './now.ts'

const NOW = {
  label: 'System monitor',
  fields: plainFields({
    state: 'string',
    date: 'datetime',
    alarms: 'list',
    nodes: 'list',
    figures: 'object',
    storages: 'list',
    limits: 'object',
    alarm_minutes: 'integer',
  }),
}
const HISTORY = {
  label: 'Figures',
  fields: plainFields({ from: 'integer', step: 'integer', points: 'integer', series: 'object' }),
}
const ALARM = {
  label: 'Alarm',
  fields: plainFields({
    id: 'uuid',
    kind: 'string',
    subject: 'string',
    name: 'string',
    text: 'string',
    value: 'float',
    limit: 'float',
    date_opened: 'datetime',
    date_closed: 'datetime',
  }),
}
const LARGEST_PAGE = 100

const isRange = (text: string): text is MonitorRange => Object.hasOwn(MONITOR_RANGES, text)

/** The routes of the system monitor, for super administrators alone (A2.61). */
export function registerMonitorRoutes(kernel: Kernel): void {
  const { app } = kernel
  app.route({
    method: 'GET',
    url: `${SYSTEM_MONITOR_PATH}now/`,
    config: {
      access: ['super_admin'],
      needsLicense: true,
      summary: 'System monitor: how everything is',
      rows: NOW,
      answers: 'row',
    },
    handler: ({ call }) => monitorNow(kernel, call),
  })
  app.route({
    method: 'GET',
    url: `${SYSTEM_MONITOR_PATH}history/`,
    config: {
      access: ['super_admin'],
      needsLicense: true,
      summary: 'System monitor: figures over time',
      rows: HISTORY,
      answers: 'row',
    },
    handler: ({ query }) => {
      const { range = 'hour', node } = singleValues(query)
      if (!isRange(range)) throw refused('bad_request', 'There is no such range')
      if (node && !isUuid(node)) throw refused('bad_request', 'There is no such node')
      return readHistory(kernel.db, range, node || undefined, new Date())
    },
  })
  app.route({
    method: 'GET',
    url: `${SYSTEM_MONITOR_PATH}alarms/`,
    config: {
      access: ['super_admin'],
      needsLicense: true,
      summary: 'System monitor: alarms that are over',
      rows: ALARM,
      answers: 'page',
    },
    handler: async ({ call, query }) => {
      const { limit, offset } = pageOf(singleValues(query)) ?? { limit: LARGEST_PAGE, offset: 0 }
      const page = { limit: Math.min(limit, LARGEST_PAGE), offset }
      return { ...(await pastAlarms(kernel, call, page)), next: null, previous: null }
    },
  })
}
