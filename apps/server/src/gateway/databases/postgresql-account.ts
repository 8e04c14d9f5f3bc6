import { DatabaseError } from '../../domains/accounts/index.ts'
import { md5Verifier, scramVerifier } from '../protocols/postgresql/password-proof.ts'
import type { StatementRunner } from './statement-runner.ts'

/** The first that takes a verifier of SCRAM for what it is; an older one takes it for the password. */
const OLDEST = 100_000
/** A connection that fails, a server that stops, and its own faults (appendix A of its manual). */
const DOUBTFUL = /^(08|57|58|F0|XX)/

export const isPostgresqlDoubtful = (code: string): boolean => DOUBTFUL.test(code)

/** Facts that differ from server to server. */
const FACTS =
  "SELECT current_setting('server_version_num'), current_setting('password_encryption'), pg_is_in_recovery(), session_user"

async function factsOf({ run }: StatementRunner) {
  const [[version = '', encryption = '', isCopy = '', username = ''] = []] = await run(FACTS)
  return { version: Number(version), encryption, isCopy: isCopy === 't', username }
}

/** Throws DatabaseError. */
export async function checkPostgresql(runner: StatementRunner): Promise<void> {
  const { version, isCopy } = await factsOf(runner)
  if (!(version >= OLDEST)) throw new DatabaseError('unsupported', 'PostgreSQL 10 or newer is needed')
  if (isCopy) throw new DatabaseError('unsupported', 'The server is a read-only copy of another')
}

/**
 * Changes the role's own password. The server gets what it would store: neither its log nor its
 * statistics of statements ever have the password. Throws DatabaseError.
 */
export async function setPostgresqlPassword(runner: StatementRunner, password: string): Promise<void> {
  await checkPostgresql(runner)
  const { encryption, username } = await factsOf(runner)
  // A server that keeps MD5 has clients that know nothing else.
  const verifier = encryption === 'md5' ? md5Verifier(username, password) : await scramVerifier(password)
  // The change that it has confirmed must be on its disk: otherwise a crash might bring the old one
  // back.
  await runner.run(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
  )
  await runner.run(`ALTER ROLE SESSION_USER PASSWORD '${verifier}'`)
}
