import { DatabaseError } from '../../domains/accounts/index.ts'
import { ed25519Stored, nativeStored } from '../protocols/mysql/password-proof.ts'
import type { StatementRunner } from './statement-runner.ts'
import { withoutWords } from './without-words.ts'

/** Errors of a server that stops, that is asked to kill the connection, or that gives up. */
const DOUBTFUL = new Set(['1053', '1317', '1927', '1928', '3024', '3169', '4031'])

export const isMysqlDoubtful = (code: string): boolean => DOUBTFUL.has(code)

export interface MysqlServer {
  /** As the server says it. */
  version: string
  isEncrypted: boolean
}

const isMariaDb = ({ version }: MysqlServer) => /mariadb/i.test(version)

/** Throws DatabaseError. */
export function checkMysql(server: MysqlServer): void {
  if (isMariaDb(server)) return
  const [major = 0, minor = 0] = server.version.split('.').map(Number)
  if (major < 5 || (major === 5 && minor < 7)) throw new DatabaseError('unsupported', 'MySQL 5.7 or newer is needed')
  if (!server.isEncrypted)
    throw new DatabaseError('unsupported', 'MySQL takes new passwords in clear alone: set up TLS on the server first')
}

/** Changes the account's own password. Throws DatabaseError. */
export async function setMysqlPassword(runner: StatementRunner, server: MysqlServer, password: string): Promise<void> {
  checkMysql(server)
  if (isMariaDb(server)) return setMariaDbPassword(runner, password)
  // With this no backslash means anything. Whatever MySQL logs of the statement, its binary log
  // included, has a hash in the password's place (§8.1.2.3 of its manual).
  await runner.run("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'")
  await withoutWords(runner, `ALTER USER USER() IDENTIFIED BY '${password.replaceAll("'", "''")}'`)
}

/**
 * MariaDB gets what it would store, so that no log of it ever has the password. Servers that check
 * passwords themselves refuse that (`strict_password_validation`), in their own words.
 */
async function setMariaDbPassword(runner: StatementRunner, password: string): Promise<void> {
  const [[stored = ''] = []] = await runner.run('SHOW CREATE USER')
  const isEd25519 = /\bVIA ed25519\b/i.test(stored)
  await runner.run(`SET PASSWORD = '${isEd25519 ? ed25519Stored(password) : nativeStored(password)}'`)
}
