import {
  type Capacity,
  type CapacityFigures,
  type CapacityPart,
  NODE_SESSIONS,
} from '@sallyport/contract/resources/monitor/capacity.ts'

/**
 * A person at work in a terminal, as docs/sizing.md counts them: a command every 10 seconds, of a
 * dozen keys and with a screen of output, in sessions of half an hour.
 */
export const WORK = {
  seconds_between_commands: 10,
  keys_a_command: 12,
  /** As much as the command that is measured prints. */
  output_bytes: 1_500,
  session_seconds: 1_800,
  /** Size of the packed recording (docs/sizing.md). */
  stored_megabytes_an_hour: 0.15,
} as const

/**
 * The part of a processor or database that is planned with. From there on waiting grows faster than
 * work: at 70 % somebody waits on average a bit more than twice as long as their own work takes
 * (M/M/1: 1 / (1 - 0.7) = 3.3 times in all).
 */
export const USABLE = 0.7

/**
 * Memory of a terminal that somebody works in: 203 to 281 MB for a node with 200 of them, of which
 * some 180 are the node's own (`echo`, docs/benchmarks.md). The measurement is too short to see it.
 */
export const TERMINAL_MEGABYTES = 0.5

/**
 * A person who opens a session signs in as well, at a listener, which is not measured. By
 * `new-sessions` (docs/benchmarks.md) a session with its sign-in by key took all threads of a node
 * 28.3 ms, on the machine and day on which a measured one took 18.
 */
export const WITH_SIGN_IN = 1.6

type Needed = Required<Pick<CapacityFigures, (typeof NEEDED)[number]>>
const NEEDED = [
  ...(['key_cpu', 'command_cpu', 'session_cpu', 'session_threads', 'statement_cpu', 'processors'] as const),
  ...(['session_rows', 'command_rows', 'store_write', 'free_memory', 'free_disk'] as const),
] as const

/**
 * What nodes carry together by their figures: each its own by its processor and memory, and all of
 * them what database and store take. Each node has measured these alone; the least counts. Undefined
 * without nodes, and where a figure is missing.
 */
export function capacityOf(nodes: readonly CapacityFigures[]): Capacity | undefined {
  if (!nodes.length || !nodes.every(isWhole)) return undefined
  const sum = (of: (figures: Needed) => number) => nodes.reduce((all, one) => all + of(one), 0)
  const least = (of: (figures: Needed) => number) => Math.min(...nodes.map(of))
  const perCommand = 1 / WORK.seconds_between_commands
  const perSession = 1 / WORK.session_seconds
  // Seconds of the main thread, the database and the store for a second in which somebody works.
  const thread = ({ key_cpu, command_cpu, session_cpu }: Needed) =>
    ((key_cpu * WORK.keys_a_command + command_cpu) * perCommand + WITH_SIGN_IN * session_cpu * perSession) / 1000
  const database = ({ command_rows, session_rows }: Needed) => perCommand / command_rows + perSession / session_rows
  const store = ({ store_write }: Needed) => WORK.stored_megabytes_an_hour / 3600 / store_write
  const people: Record<CapacityPart, number> = {
    processor: sum((node) => USABLE / thread(node)),
    memory: sum(({ free_memory }) => (USABLE * free_memory) / TERMINAL_MEGABYTES),
    sessions: NODE_SESSIONS * nodes.length,
    database: least((node) => USABLE / database(node)),
    store: least((node) => USABLE / store(node)),
  }
  const parts = (Object.entries(people) as [CapacityPart, number][])
    .map(([part, count]) => ({ part, people: whole(count) }))
    .sort((one, other) => one.people - other.people)
  /** A second, by the main thread and by all others that help it. */
  const opened = ({ session_cpu, session_threads, processors }: Needed) =>
    Math.min(1000 / session_cpu, (1000 * processors) / session_threads) / WITH_SIGN_IN
  const sessionsASecond = Math.min(
    sum(opened),
    least(({ session_rows }) => session_rows),
  )
  const statementsASecond = Math.min(
    sum(({ statement_cpu }) => 1000 / statement_cpu),
    least(({ command_rows }) => command_rows),
  )
  return {
    people: parts[0]?.people ?? 0,
    parts,
    sessions_a_minute: whole(60 * USABLE * sessionsASecond),
    statements_a_second: whole(USABLE * statementsASecond),
    hours_kept: whole(least(({ free_disk }) => free_disk) / WORK.stored_megabytes_an_hour),
  }
}

/** Without the last digits, which are the arithmetic's own. */
const whole = (count: number) => Math.floor(Number(count.toPrecision(12)))

const isWhole = (figures: CapacityFigures): figures is Needed => NEEDED.every((name) => (figures[name] ?? 0) > 0)
