import type { ErrorCode, FieldErrors } from '@sallyport/contract/errors.ts'

/**
 * An expected refusal: something a correct client may meet and a person can act on.
 * Anything else that is thrown is a fault, answered as 500 and logged with its stack.
 */
export class AppError extends Error {
  readonly status: number
  /**
   * A code of `contract/errors.ts`, or a domain's own (`passwd_invalid`, `have_online_session`, …).
   */
  readonly code: ErrorCode | (string & {})
  readonly fields: FieldErrors | undefined
  /**
   * What goes out instead of the usual shape, for the calls whose body is fixed by the contract.
   */
  readonly body: unknown
  /** What its sentence is filled in with (`{{name}}`). */
  readonly values: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: ErrorCode | (string & {}),
    detail: string,
    options: {
      fields?: FieldErrors
      body?: unknown
      values?: Readonly<Record<string, unknown>>
      cause?: unknown
    } = {},
  ) {
    super(detail, { cause: options.cause })
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.fields = options.fields
    this.body = options.body
    this.values = options.values ?? {}
  }
}

/** 400 with messages by field; dotted names are nested on the wire (`protocols.1`). */
export function invalid(fields: Record<string, string | string[]>, cause?: unknown): AppError {
  const lists = Object.fromEntries(
    Object.entries(fields).map(([field, text]) => [field, Array.isArray(text) ? text : [text]]),
  )
  return new AppError(400, 'invalid', 'Invalid input', { fields: lists, cause })
}

/** 400 for a rule that no single field broke. */
export function refused(code: string, detail: string, values: Readonly<Record<string, unknown>> = {}): AppError {
  return new AppError(400, code, detail, { values })
}

/** 404: absent, or in another organization. The two must not be told apart. */
export function notFound(): AppError {
  return new AppError(404, 'object_does_not_exist', 'Not found.')
}

export function forbidden(detail = 'You do not have permission to perform this action.'): AppError {
  return new AppError(403, 'permission_denied', detail)
}

export function licenseRequired(): AppError {
  return new AppError(403, 'license_required', 'This needs a valid license.')
}

export function notAuthenticated(): AppError {
  return new AppError(401, 'not_authenticated', 'Authentication credentials were not provided.')
}

/**
 * Errors of a bulk call, in row order; `undefined` for rows that were fine
 * (docs/rules/api.md#writes).
 */
export class BulkError extends Error {
  readonly rows: readonly (FieldErrors | undefined)[]
  constructor(rows: readonly (FieldErrors | undefined)[]) {
    super('Some rows are invalid')
    this.name = 'BulkError'
    this.rows = rows
  }
}
