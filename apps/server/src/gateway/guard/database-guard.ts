import { notice } from '../session/notice.ts'
import type { Guard, Verdict } from './guard.ts'
import { namedDatabases } from './named-databases.ts'

/** Everybody may read what their account may see of the server there; tools can't do without it. */
const ALWAYS = 'information_schema'

/** Whether a permission can name databases of such a server. */
export const hasDatabases = (protocol: string): boolean => isMysql(protocol) || protocol === 'postgresql'
const isMysql = (protocol: string) => protocol === 'mysql' || protocol === 'mariadb'

/**
 * A guard that denies statements of MySQL and MariaDB about other databases than those that are permitted, before
 * the rules of the guard within are asked. A connection to PostgreSQL never leaves its database. What hides
 * the name of a database (procedures, views, text made at run time) is for the account's rights.
 */
export function withinDatabases(guard: Guard, protocol: string, permitted: () => readonly string[] | undefined): Guard {
  if (!isMysql(protocol)) return guard
  return {
    get applies() {
      return permitted() !== undefined || guard.applies
    },
    joined: (userId) => guard.joined?.(userId) ?? (() => {}),
    judge(unit, dropped) {
      const databases = permitted()
      if (!databases) return guard.judge(unit, dropped)
      const named = namedDatabases(unit.text)
      const other = named?.find((name) => !isAmong(name, databases))
      if (other !== undefined) return denied(other)
      return named && !unit.isCut ? guard.judge(unit, dropped) : CUT
    },
    refresh: async () => guard.refresh?.(),
    close: () => guard.close?.(),
  }
}

/** Whether a session may be in a database. */
export const isAmong = (name: string, databases: readonly string[]): boolean =>
  databases.includes(name) || name.toLowerCase() === ALWAYS

const denied = (database: string): Verdict => ({
  action: 'deny',
  why: notice('denied', 'Your permission does not lead to the database {{database}}', { database }, 'urgent'),
})
const CUT: Verdict = {
  action: 'deny',
  why: notice('denied', 'The statement is too long to see which databases it names', {}, 'urgent'),
}
