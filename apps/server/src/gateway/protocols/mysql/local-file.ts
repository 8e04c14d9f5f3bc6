/** Comments may be between the words; their content makes no other statement of it. */
const LOAD = /\bload\b[\s\S]{0,1000}?\b(?:data|xml)\b[\s\S]{0,1000}?\blocal\b[\s\S]{0,1000}?\binfile\b/i

/**
 * Whether a server may ask the client for the file: the statement is `LOAD DATA LOCAL`, or `XML`,
 * and names it. Otherwise it may want any file that the client's person can read.
 */
export function mayAskFor(name: string, statement: string): boolean {
  if (!name || !LOAD.test(statement)) return false
  return statement.includes(name) || statement.replaceAll(/\\(.)|''/g, '$1').includes(name)
}
