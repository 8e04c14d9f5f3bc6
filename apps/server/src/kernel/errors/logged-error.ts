import { DrizzleQueryError } from 'drizzle-orm'
import { translate } from '../i18n/translate.ts'
import { inSources } from './source-places.ts'

/** Limit of the logged statement, in characters; the long ones are lists of parameters. */
const STATEMENT_LENGTH = 2000
/** Limit of the nested causes that are logged. */
const DEPTH = 5

export interface LoggedError {
  [more: string]: unknown
  type: string
  message: string
  stack: string
}

/**
 * An error as logs show it, with its causes. Values of a failed statement are left out, as are
 * PostgreSQL's details, which quote whole rows: they may be secrets, or what people typed.
 */
export function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: '' }
  const chain = chainOf(error)
  const { code, constraint } = chain.at(-1) as { code?: string; constraint?: string }
  return {
    type: error.constructor.name,
    code,
    constraint,
    message: chain.map(textOf).join(': '),
    stack: chain.map(stackOf).join('\ncaused by: '),
  }
}

/** The error, its cause, the cause of that … */
function chainOf(error: Error): Error[] {
  const chain = [error]
  for (let next = error.cause; next instanceof Error && chain.length < DEPTH; next = next.cause) chain.push(next)
  return chain
}

function textOf(error: Error): string {
  if (error instanceof DrizzleQueryError) return `Failed query: ${error.query.slice(0, STATEMENT_LENGTH)}`
  // Trying several addresses, Node says only what became of each.
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join(', ')
  // A refusal keeps the text that is translated, and beside it what fills it in.
  const { values } = error as { values?: unknown }
  return values && typeof values === 'object' ? translate('en', error.message, { ...values }) : error.message
}

const stackOf = (error: Error): string => inSources((error.stack ?? '').replace(error.message, () => textOf(error)))
