import { SessionRefusal } from '../session/refusal.ts'

/**
 * The database in which a session begins: what was asked for, where that is permitted; the first of those that
 * are, where none was. Throws SessionRefusal.
 */
export function permittedDatabase(asked: string, permitted: readonly string[] | undefined, byDefault: string): string {
  const database = asked || permitted?.[0] || byDefault
  if (permitted && !permitted.includes(database))
    throw new SessionRefusal('Your permission does not lead to the database {{database}}', { database })
  return database
}
