import { plainText } from '../../prompt/plain-text.ts'
import type { Dialect } from '../dialect.ts'
import { completeSql } from '../sql/complete-sql.ts'
import { Statements } from '../sql/statements.ts'
import { NAMES } from './catalog.ts'
import type { PostgresqlAnswers } from './postgresql-answers.ts'
import { postgresqlCommand } from './postgresql-commands.ts'

/** How its SQL is taken apart at the prompt. */
export const POSTGRESQL_SYNTAX = {
  hasEscapes: false,
  hasDollarQuotes: true,
  hasNestedComments: true,
  hasHashComments: false,
  rowCommand: /^\s*(?:quit|exit|help)\s*(?:;\s*)?$/i,
}
const STATES = { I: '=', T: '=*', E: '=!' }
const SECOND = 1000

/** Commands that people know from psql. */
export function postgresqlDialect(): Dialect<PostgresqlAnswers> {
  const statements = new Statements(POSTGRESQL_SYNTAX)
  return {
    style: 'lines',
    layout: 'auto',
    greeting: ({ answers, wire }) => [
      `PostgreSQL ${plainText(answers.state.parameters.get('server_version') ?? '')} - ${plainText(wire.place.database)}. \\? help, \\q quit`,
    ],
    prompts({ answers, wire }) {
      const name = plainText(wire.place.database)
      return { first: `${name}${STATES[answers.state.transaction] ?? '='}> `, more: `${name}-> ` }
    },
    isComplete: (rows, firstChanged) => statements.isComplete(rows, firstChanged),
    pieces: (text) => statements.split(text),
    command: postgresqlCommand,
    complete: (before, ask) => completeSql(before, ask, NAMES),
    summary({ words, rows, hasTable }) {
      if (!hasTable) return words ? [words] : []
      return rows === undefined ? [words] : [`(${rows} ${rows === 1 ? 'row' : 'rows'})`]
    },
    timing: (milliseconds) => [
      milliseconds < SECOND ? `Time: ${milliseconds.toFixed(3)} ms` : `Time: ${(milliseconds / SECOND).toFixed(3)} s`,
    ],
    // Our statements are UTF-8: to a server that reads otherwise, a part of a letter in a name
    // could end the name.
    isAskable: ({ answers: { state } }) =>
      state.transaction !== 'E' && state.parameters.get('client_encoding') === 'UTF8',
  }
}
