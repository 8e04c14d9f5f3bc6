import type { ErrorCode, FieldErrors } from '@sallyport/contract/errors.ts'

/** A refusal or a fault that the server answered. */
export class ApiError extends Error {
  readonly status: number
  /** A code of the contract, or one of the call's own; empty where fields say what was wrong. */
  readonly code: ErrorCode | (string & {})
  /** Messages by field, nested ones with dots: `protocols.1`. Empty for everything but bad input. */
  readonly fields: FieldErrors
  /** Messages of each row of a call with many, in their order; empty ones were fine. */
  readonly rows: readonly FieldErrors[]
  /** A fault's id, to be quoted to those who run the server. */
  readonly requestId: string | undefined
  /** Seconds after which it may be tried again, where the server says so. */
  readonly retryAfter: number | undefined
  /** The answer as it came. */
  readonly body: unknown

  constructor(call: string, status: number, body: unknown, retryAfter?: number) {
    const known = isRecord(body) ? body : {}
    const isOfFields = status === 400 && isRecord(body) && !('code' in body || 'detail' in body || 'error' in body)
    const fields = isOfFields ? flat(body) : {}
    super(messageOf(known) ?? firstOf(fields) ?? `${call}: ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = typeof known.code === 'string' ? known.code : codeIn(known.error)
    this.fields = fields
    this.rows = status === 400 && Array.isArray(body) ? body.map((row) => (isRecord(row) ? flat(row) : {})) : []
    this.requestId = typeof known.request_id === 'string' ? known.request_id : undefined
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** Nobody answered: the address is wrong, the server is away, or the line broke. */
export class ConnectionError extends Error {
  constructor(call: string, cause: unknown) {
    super(`${call}: ${reasonOf(cause)}`, { cause })
    this.name = 'ConnectionError'
  }
}

/** The server did not answer in time. */
export class TimeoutError extends Error {
  constructor(call: string, milliseconds: number) {
    super(`${call}: no answer for ${milliseconds / 1000} s`)
    this.name = 'TimeoutError'
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `fetch` says only that it failed; why is in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string }
  return inner || code || message
}

/** Some calls name a code as their error and say it in words beside. */
const CODE = /^[a-z0-9]+(_[a-z0-9]+)+$/
const codeIn = (error: unknown) => (typeof error === 'string' && CODE.test(error) ? error : '')

function messageOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const texts = [body.error, body.msg, body.detail].filter((text) => typeof text === 'string' && text !== '')
  return (texts.find((text) => !CODE.test(text as string)) ?? texts[0]) as string | undefined
}

const firstOf = (fields: FieldErrors): string | undefined =>
  Object.entries(fields).map(([name, [text = '']]) => (name === 'non_field_errors' ? text : `${name}: ${text}`))[0]

/** Nested messages by their dotted names. */
function flat(value: unknown, at = ''): FieldErrors {
  if (typeof value === 'string') return { [at]: [value] }
  if (Array.isArray(value)) {
    const texts = value.filter((one) => typeof one === 'string')
    if (texts.length) return { [at]: texts }
  }
  if (typeof value !== 'object' || value === null) return {}
  return Object.assign({}, ...Object.entries(value).map(([name, inner]) => flat(inner, at ? `${at}.${name}` : name)))
}
