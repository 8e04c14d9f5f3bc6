import { withoutComments } from '../../protocols/oracle/without-comments.ts'

/** Limit of a statement that is looked at, in characters. */
const LOOKED_AT = 4096
const CHANGES: ReadonlyMap<string, string> = new Map([
  ['INSERT', 'created'],
  ['UPDATE', 'updated'],
  ['DELETE', 'deleted'],
  ['MERGE', 'merged'],
])
const DONE: ReadonlyMap<string, string> = new Map([
  ['COMMIT', 'Commit complete.'],
  ['ROLLBACK', 'Rollback complete.'],
  ['SAVEPOINT', 'Savepoint created.'],
  ['GRANT', 'Grant succeeded.'],
  ['REVOKE', 'Revoke succeeded.'],
  ['BEGIN', 'PL/SQL procedure successfully completed.'],
  ['DECLARE', 'PL/SQL procedure successfully completed.'],
  ['CALL', 'Call completed.'],
])
const MADE: ReadonlyMap<string, string> = new Map([
  ['CREATE', 'created'],
  ['ALTER', 'altered'],
  ['DROP', 'dropped'],
  ['TRUNCATE', 'truncated'],
])
/** Words between the verb and its object. */
const BETWEEN =
  /^(?:OR REPLACE|(?:NON)?EDITIONABLE|(?:NO )?FORCE|GLOBAL TEMPORARY|PRIVATE TEMPORARY|PUBLIC|UNIQUE|BITMAP|SHARED|MULTIVALUE) /
const KIND = /^(?:MATERIALIZED VIEW|PACKAGE BODY|TYPE BODY|DATABASE LINK|\p{L}+)/u

/**
 * Outcome of a statement that brought no table, as SQL*Plus words it; empty where it says nothing.
 */
export function doneWords(statement: string, rows: number | undefined): string {
  const beginning = statement.slice(0, LOOKED_AT)
  const read = (withoutComments(beginning) ?? beginning).replaceAll(/\s+/g, ' ').toUpperCase()
  const [verb = ''] = /^\p{L}+/u.exec(read) ?? []
  const change = CHANGES.get(verb)
  if (change) return `${rows ?? 0} ${rows === 1 ? 'row' : 'rows'} ${change}.`
  const made = MADE.get(verb)
  if (!made) return DONE.get(verb) ?? ''
  let about = read.slice(verb.length + 1)
  while (BETWEEN.test(about)) about = about.replace(BETWEEN, '')
  const [kind = ''] = KIND.exec(about) ?? []
  return `${kind.slice(0, 1)}${kind.slice(1).toLowerCase()} ${made}.`
}
