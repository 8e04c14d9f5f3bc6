import type { FieldErrors } from '@sallyport/contract/errors.ts'
import { DrizzleQueryError } from 'drizzle-orm'
import { z } from 'zod'
import { isLostConnection } from '../database/lost-connection.ts'
import { DISK_FULL } from '../database/room.ts'
import { type Language, translate } from '../i18n/translate.ts'
import { AppError, invalid } from './app-error.ts'
import './zod-messages.ts'

const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'
const NOT_NULL_VIOLATION = '23502'
/**
 * PostgreSQL's codes for input that a column can't hold: a NUL character, a number out of range, a
 * malformed date.
 */
const DATA_EXCEPTIONS = new Set(['22021', '22003', '22P02', '22P05', '22007', '22008', '22001'])
const SERIALIZATION_FAILURES = new Set(['40001', '40P01', '55P03'])
/** PostgreSQL stops, starts, or lacks memory or connections (its classes 08, 53 and 57). */
const DATABASE_AWAY = /^(?:08\w{3}|53[23]00|57P0[123])$/
/** A standby, or a server that its operator (or its own full disk) has closed for writing. */
const READ_ONLY = '25006'
/** The server's disk, or the part of it that its account may fill. */
const NO_SPACE = new Set([DISK_FULL, 'ENOSPC', 'EDQUOT'])
/** Errors of a query when there is no server at the other end, or it has gone. */
const LINE_BROKEN = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])
/** The driver's own words, which have no code. */
const DRIVER_WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * Messages of the upload parser for a form that was cut or names no boundary; they have no code.
 */
const BROKEN_FORM = /^(?:Multipart: Boundary not found|Unexpected end of multipart data|Part terminated early)/

/**
 * Turns what libraries throw into refusals; returns anything else as it came. Messages with numbers
 * in them are put into `language` here, since the numbers are lost afterwards.
 */
export function translateError(thrown: unknown, language: Language = 'en'): unknown {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof z.ZodError) return invalid(fieldErrorsOf(thrown, language), thrown)
  // drizzle wraps the driver's error; the code and the constraint are on the cause. Its own message
  // carries SQL and parameters: never pass it on.
  const error = thrown instanceof DrizzleQueryError ? thrown.cause : thrown
  if (!(error instanceof Error)) return thrown
  const code = 'code' in error ? String(error.code) : ''
  if (
    DATABASE_AWAY.test(code) ||
    DRIVER_WORDS.test(error.message) ||
    ((thrown !== error || isLostConnection(error)) && LINE_BROKEN.has(code))
  )
    return new AppError(503, 'unavailable', 'The database does not answer: try again in a moment', { cause: thrown })
  if (code === READ_ONLY)
    return new AppError(503, 'unavailable', 'The database takes no changes at the moment: try again later', {
      cause: thrown,
    })
  if (NO_SPACE.has(code))
    return new AppError(
      507,
      'no_space',
      'The disk of the server is full, so nothing was stored: tell its administrator',
      {
        cause: thrown,
      },
    )
  if (BROKEN_FORM.test(error.message))
    return new AppError(400, 'bad_request', 'The form is incomplete: send it again', { cause: thrown })
  if (!code) return thrown
  if (code === UNIQUE_VIOLATION && 'constraint' in error) return invalid(uniqueErrors(String(error.constraint)), thrown)
  if (code === FOREIGN_KEY_VIOLATION) {
    return new AppError(400, 'referenced_by_others', 'This object is referenced by other objects', { cause: thrown })
  }
  if (code === NOT_NULL_VIOLATION && 'column' in error)
    return invalid({ [String(error.column)]: 'This field may not be null.' }, thrown)
  if (DATA_EXCEPTIONS.has(code))
    return new AppError(400, 'bad_request', 'A value has a form that cannot be stored', { cause: thrown })
  if (SERIALIZATION_FAILURES.has(code))
    return new AppError(409, 'conflict', 'Changed by somebody else at the same time, please try again', {
      cause: thrown,
    })
  // Fastify's own refusals (malformed JSON, body too large, unknown media type) already carry the
  // right 4xx.
  if ('statusCode' in error && Number(error.statusCode) < 500) {
    const status = Number(error.statusCode)
    return new AppError(status, status === 413 ? 'too_large' : 'bad_request', error.message, { cause: thrown })
  }
  return thrown
}

/** Messages of a zod error by dotted path. */
function fieldErrorsOf(error: z.ZodError, language: Language): FieldErrors {
  const fields: FieldErrors = {}
  for (const issue of error.issues)
    (fields[issue.path.join('.') || 'non_field_errors'] ??= []).push(issueText(issue, language))
  return fields
}

/** The message of one zod issue, in `language`. */
export function issueText(issue: z.core.$ZodIssue, language: Language): string {
  const { minimum: min, maximum: max } = issue as { minimum?: unknown; maximum?: unknown }
  return translate(language, issue.message, { min, max })
}

/**
 * Messages by field for a broken unique index, whose name is `<table>__<field>[__<field>]__unique`.
 * The organization is one of the fields, and never named to people.
 */
function uniqueErrors(constraint: string): Record<string, string> {
  const fields = constraint
    .split('__')
    .slice(1, -1)
    .filter((field) => field !== 'org_id')
  return Object.fromEntries(
    (fields.length ? fields : ['non_field_errors']).map((field) => [field, 'This field must be unique.']),
  )
}
