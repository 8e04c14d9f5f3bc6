import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'

/**
 * The signature that a request carries; whether it is valid shows once the key's secret is known.
 */
export interface AccessKeyProof {
  keyId: string
  /** The date that was signed; at most `MAX_AGE_MS` away from now. */
  date: Date
  /** Identifies this signature among all others. */
  fingerprint: Buffer
  verify(secret: string): boolean
}

const MANDATORY = ['(request-target)', 'date']
/** How far a signed date may be from now: clocks of machines differ by less. */
export const MAX_AGE_MS = 15 * 60_000

const invalid = () => new AppError(401, 'not_authenticated', 'Invalid signature.')

/**
 * `Authorization: Signature keyId="…",algorithm="hmac-sha256",headers="(request-target)
 * date",signature="…"` (contract/authentication.yaml "request signing with an access key";
 * draft-cavage-http-signatures). Throws 401 when it is malformed.
 */
export function readSignature(value: string, request: FastifyRequest): AccessKeyProof {
  const parameters: Record<string, string | undefined> = Object.fromEntries(
    [...value.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
  )
  const { keyId = '', algorithm, signature = '', headers = 'date' } = parameters
  const names = headers.toLowerCase().split(/\s+/)
  if (!isUuid(keyId) || algorithm !== 'hmac-sha256' || !signature || !MANDATORY.every((name) => names.includes(name)))
    throw invalid()
  const date = dateOf(request)
  const text = names
    .map(
      (name) =>
        `${name}: ${name === '(request-target)' ? `${request.method.toLowerCase()} ${request.raw.url}` : headerOf(request, name)}`,
    )
    .join('\n')
  return {
    keyId,
    date,
    // From the signed text, not from the signature as it was written: base64 can write the same
    // bytes in several ways.
    fingerprint: fingerprintOf(keyId, text),
    verify: (secret) => sameBytes(Buffer.from(signature, 'base64'), createHmac('sha256', secret).update(text).digest()),
  }
}

/** The request's own Date header. Throws 401 when it is missing, malformed, or too far from now. */
function dateOf(request: FastifyRequest): Date {
  const date = new Date(request.headers.date ?? '')
  if (!(Math.abs(Date.now() - date.getTime()) < MAX_AGE_MS)) throw invalid()
  return date
}

const fingerprintOf = (keyId: string, signed: string) =>
  createHash('sha256').update(`${keyId.toLowerCase()}\n${signed}`).digest()

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name]
  if (value === undefined) throw invalid()
  return [value].flat().join(', ')
}

/** `Authorization: Sign <key id>:<base64 of hex MD5(secret + newline + Date)>`, for old scripts. */
export function readLegacySignature(value: string, request: FastifyRequest): AccessKeyProof {
  const [keyId = '', signature = ''] = value.split(':')
  if (!isUuid(keyId)) throw invalid()
  const date = request.headers.date ?? ''
  return {
    keyId,
    date: dateOf(request),
    fingerprint: fingerprintOf(keyId, date),
    verify: (secret) =>
      sameBytes(
        Buffer.from(signature, 'base64'),
        Buffer.from(createHash('md5').update(`${secret}\n${date}`).digest('hex')),
      ),
  }
}

function sameBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}
