import { notice } from '../session/notice.ts'
import type { PermittedDatabases } from '../session/permitted-databases.ts'
import type { Guard, Verdict } from './guard.ts'
import { namedDatabases } from './named-databases.ts'

/** Whether a permission can name databases of such a server. */
export const hasDatabases = (protocol: string): boolean => isMysql(protocol) || protocol === 'postgresql'
const isMysql = (protocol: string) => protocol === 'mysql' || protocol === 'mariadb'

/**
 * A guard that denies statements of MySQL and MariaDB about other databases than those that are permitted, before
 * the rules of the guard within are asked. A connection to PostgreSQL never leaves its database. What hides
 * the name of a database (procedures, views, text made at run time) is for the account's rights.
 */
export function withinDatabases(guard: Guard, protocol: string, permitted: PermittedDatabases): Guard {
  if (!isMysql(protocol)) return guard
  return {
    get applies() {
      return permitted.names !== undefined || guard.applies
    },
    joined: (userId) => guard.joined?.(userId) ?? (() => {}),
    judge(unit, dropped) {
      if (!permitted.names) return guard.judge(unit, dropped)
      const named = namedDatabases(unit.text)
      const other = named?.find((name) => !permitted.covers(name))
      if (other !== undefined) return denied(other)
      return named && !unit.isCut ? guard.judge(unit, dropped) : CUT
    },
    refresh: async () => guard.refresh?.(),
    close: () => guard.close?.(),
  }
}

const denied = (database: string): Verdict => ({
  action: 'deny',
  why: notice('denied', 'Your permission does not lead to the database {{database}}', { database }, 'urgent'),
})
const CUT: Verdict = {
  action: 'deny',
  why: notice('denied', 'The statement is too long to see which databases it names', {}, 'urgent'),
}
