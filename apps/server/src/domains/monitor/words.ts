import type { AlarmKind } from '@sallyport/contract/resources/monitor/system-monitor.ts'
import type { Say } from '../../kernel/i18n/translate.ts'

/** The facts in the message of an alarm. */
export interface AlarmFacts {
  kind: AlarmKind
  /** Name of the node or storage. */
  name: string
  value: number | null
}

/** The fault, in a sentence. */
export function alarmWords(say: Say, { kind, name, value }: AlarmFacts): string {
  const number = Math.round((value ?? 0) * 10) / 10
  const values = { component: name, value: number }
  const minutes = { minutes: Math.round(number / 60) }
  switch (kind) {
    case 'cpu':
      return say('The processors of {{component}} are {{value}}% busy.', values)
    case 'memory':
      return say('The memory of {{component}} is {{value}}% used.', values)
    case 'disk':
      return say('The disk of {{component}} is {{value}}% full.', values)
    case 'loop_delay':
      return say('{{component}} is late at its work by {{value}} ms.', values)
    case 'database_delay':
      return say('The database takes {{value}} ms to answer {{component}}.', values)
    case 'sessions':
      return say('{{component}} carries {{value}} sessions.', values)
    case 'database_bytes':
      return say('The database has {{value}} GB.', { value: Math.round(number / 1e8) / 10 })
    case 'jobs_oldest':
      return say('Background work has been due for {{minutes|minute|minutes}}.', minutes)
    case 'jobs_failed':
      return say('{{value}} background jobs failed within an hour.', values)
    case 'recordings_oldest':
      return say('Recordings have waited for their storage for {{minutes|minute|minutes}}.', minutes)
    case 'commands_oldest':
      return say('Commands have waited for their storage for {{minutes|minute|minutes}}.', minutes)
    case 'events_oldest':
      return say('Audit events have waited for {{minutes|minute|minutes}} for the system that receives them.', minutes)
    case 'events_dropped':
      return say(
        'Audit events were dropped: too many wait for the system that receives them. {{value}} in all are missing there.',
        values,
      )
    case 'storage_away':
      return say('The storage {{component}} cannot be used.', values)
    case 'node_silent':
      return say('{{component}} is offline.', values)
  }
}
