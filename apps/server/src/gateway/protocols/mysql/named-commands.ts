import type { AnswerShape } from './exchange.ts'
import { COMMAND, HEADER_BYTES } from './packets.ts'

/** Requests of each bit of COM_REFRESH. */
const REFRESHED = [
  ...['FLUSH PRIVILEGES', 'FLUSH LOGS', 'FLUSH TABLES', 'FLUSH HOSTS'],
  ...['FLUSH STATUS', 'FLUSH THREADS', 'RESET REPLICA', 'RESET MASTER'],
]

/** Those that are here. */
export const NAMED: ReadonlySet<number> = new Set([COMMAND.refresh, COMMAND.shutdown, COMMAND.processInfo])

/**
 * Commands of the protocol that do what a statement does, as that statement: rules and rows are about it.
 * https://mariadb.com/kb/en/com_refresh/
 */
export function namedCommand(command: number, bytes: Buffer): { text: string; shape: AnswerShape } | undefined {
  if (command === COMMAND.shutdown) return { text: 'SHUTDOWN', shape: 'one' }
  if (command === COMMAND.processInfo) return { text: 'SHOW PROCESSLIST', shape: 'results' }
  if (command !== COMMAND.refresh) return undefined
  const bits = bytes[HEADER_BYTES + 1] ?? 0
  const texts = REFRESHED.filter((_, bit) => bits & (1 << bit))
  return { text: texts.join('; ') || 'FLUSH', shape: 'one' }
}
