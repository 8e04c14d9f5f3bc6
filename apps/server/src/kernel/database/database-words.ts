/** What to look at, by the code of PostgreSQL, of the system, or of TLS. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'check the name and the password in it',
  '28000': 'check the name in it, and what pg_hba.conf of the server allows from here',
  '3D000': 'make the database first, or check its name',
  '42501': 'give the account of it the right, best as the owner of its database',
  '53300': 'allow more connections (max_connections), or stop what holds them',
  ECONNREFUSED: 'check host and port, and whether PostgreSQL runs there',
  ENOTFOUND: 'check its host',
  EAI_AGAIN: 'check its host, and the name server of this machine',
  ENOENT: 'check the folder of its socket, and whether PostgreSQL runs there',
}

/**
 * Why a database cannot be used, with what to look at, in one line: the driver's own words may come
 * as several errors, as for a host with several addresses.
 */
export function wordsOf(error: unknown): string {
  const { cause, code = '' } = error as NodeJS.ErrnoException
  // The query builder's message is the statement with its values.
  if (cause instanceof Error && (error as Error).name === 'DrizzleQueryError') return wordsOf(cause)
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const message = (error as Error).message || first?.message || code
  const advice = ADVICE[code]
  return message.replace(/\s*\n\s*/g, ' ') + (advice ? `: ${advice}` : '')
}
