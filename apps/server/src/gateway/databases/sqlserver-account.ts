import { literal, quotedName } from '../repl/sqlserver/sqlserver-dialect.ts'
import type { StatementRunner } from './statement-runner.ts'
import { withoutWords } from './without-words.ts'

/** Errors of a server that stops, has killed the connection, or can't write its log of changes. */
const DOUBTFUL = new Set(['596', '3617', '6005', '9001', '9002', '17142'])

export const isSqlServerDoubtful = (code: string): boolean => DOUBTFUL.has(code)

/**
 * Changes the login's own password, for which a login without any rights needs the old one. The server
 * keeps statements of this kind out of its traces; there is no form of it for such a login that is not
 * in clear, so it goes over TLS alone, as everything does. Throws DatabaseError.
 */
export async function setSqlServerPassword(runner: StatementRunner, password: string, old: string): Promise<void> {
  // The name that was typed to sign in may be an alias.
  const [[name = ''] = []] = await runner.run('SELECT ORIGINAL_LOGIN()')
  const statement = `ALTER LOGIN ${quotedName(name)} WITH PASSWORD = ${literal(password)} OLD_PASSWORD = ${literal(old)}`
  await withoutWords(runner, statement)
}
