import type {
  Capacity,
  CapacityFigure,
  CapacityPart,
  CapacityRun,
} from '@sallyport/contract/resources/monitor/capacity.ts'
import type { Say } from '../../../kernel/i18n/translate.ts'

const numbers = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 })

/** A figure that is as exact as it can be: two digits that count. Both languages write it so. */
export const about = (count: number): string => numbers.format(count)

/** The capacity in a sentence. */
export const sentenceOf = (say: Say, { people }: Capacity, nodes: number): string =>
  say('{{nodes|node carries|nodes carry}} about {{people}} people at work in terminals at the same time.', {
    nodes,
    people: about(people),
  })

/** The part that is full first, in a sentence. */
export function fullFirst(say: Say, part: CapacityPart): string {
  switch (part) {
    case 'processor':
      return say('The processor is full first.')
    case 'database':
      return say('The database is full first.')
    case 'store':
      return say('The store of recordings is full first.')
    case 'memory':
      return say('The memory is full first.')
    case 'sessions':
      return say('The limit of sessions of a node is reached first.')
  }
}

/** Why a measurement came to nothing, where Sallyport itself knows. */
export type FaultCode = 'lost' | 'silent' | 'stopped'

/** The fault in words; what disk, store or database said stays as it is. */
export function faultWords(say: Say, fault: string): string {
  switch (fault as FaultCode) {
    case 'lost':
      return say('The node stopped during the measurement.')
    case 'silent':
      return say('The node did not begin: it does not answer.')
    case 'stopped':
      return say('The node was stopped.')
    default:
      return fault
  }
}

/** Names of the figures. */
export const figureTitles = (say: Say): Readonly<Record<CapacityFigure, string>> => ({
  database: say('Question to the database, half of them'),
  database_p95: say('Question to the database, 95 of 100'),
  database_commit: say('Row on the disk of the database'),
  store: say('Small file: stored, read, removed'),
  store_write: say('Store of recordings, writing'),
  store_read: say('Store of recordings, reading'),
  list_p95: say('Page of a list, 95 of 100'),
  key: say('Added to a key, half of them'),
  key_p99: say('Added to a key, 99 of 100'),
  key_cpu: say('Processor for a key'),
  command_cpu: say('Processor for a command'),
  sessions: say('Sessions opened and closed, one after the other'),
  session_cpu: say('Processor for a session'),
  session_threads: say('Processor for a session, all threads'),
  session_rows: say('Sessions that the database takes'),
  statements: say('Small statements of one client'),
  statement_cpu: say('Processor for a statement'),
  command_rows: say('Rows of statements that the database takes'),
  output: say('Output of one terminal'),
  output_cpu: say('Processor for a megabyte of output'),
  replay_write: say('Recording packed'),
  replay_seek: say('Jump in a recording'),
  free_memory: say('Free memory'),
  free_disk: say('Free disk for recordings'),
  processors: say('Processors'),
})

/** Names of the parts that may be full. */
export const partTitles = (say: Say): Readonly<Record<CapacityPart, string>> => ({
  processor: say('Processor of the nodes'),
  database: say('Database of all nodes'),
  store: say('Store of recordings'),
  memory: say('Memory of the nodes'),
  sessions: say('Limit of sessions'),
})

/** A measurement in sentences: what it says, or why it says nothing. */
export function capacityWords(say: Say, { state, fault, capacity }: CapacityRun): string[] {
  if (state === 'canceled') return [say('The measurement was stopped.')]
  if (state === 'gave_way')
    return [say('The measurement gave way: the node was late at its work, for people or for other programs.')]
  if (!capacity) return [fault || say('Too little was measured to say what the node carries.')]
  const { parts, sessions_a_minute, statements_a_second, hours_kept } = capacity
  const [first] = parts
  return [
    sentenceOf(say, capacity, 1),
    ...(first ? [fullFirst(say, first.part)] : []),
    say('It opens {{sessions}} sessions a minute, and takes {{statements}} statements a second.', {
      sessions: about(sessions_a_minute),
      statements: about(statements_a_second),
    }),
    say('The free disk keeps recordings of {{hours}} hours at a terminal.', { hours: about(hours_kept) }),
  ]
}
