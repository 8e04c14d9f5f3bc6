/** `//name:password@` of an address, whatever the scheme. */
const CREDENTIALS = /(\/\/)[^/@\s]*@/g

/**
 * What went wrong, in one line without credentials. Errors that come as several, as for a host with
 * several addresses, name the first.
 */
export function lineOf(error: unknown): string {
  const { message, code, cause, name } = error as NodeJS.ErrnoException
  // The query builder's message is the statement with its values.
  if (name === 'DrizzleQueryError' && cause) return lineOf(cause)
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : []
  const text = message || first?.message || code || String(error)
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(CREDENTIALS, '$1')
    .slice(0, 300)
}
