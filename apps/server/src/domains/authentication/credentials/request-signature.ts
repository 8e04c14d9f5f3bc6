import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { signedTargets } from './signed-target.ts'

/**
 * The signature that a request carries; whether it is valid shows once the key's secret is known.
 */
export interface AccessKeyProof {
  keyId: string
  /** The date that was signed; how far it may be from now, `admitSignedRequest` says. */
  date: Date
  /** Identifies this signature among all others, once it is verified. */
  fingerprint: Buffer
  verify(secret: string): boolean
}

const MANDATORY = ['(request-target)', 'date']
/** Name and value of a parameter; the value in quotes or a plain word. */
const PARAMETER = /(\w+)=(?:"([^"]*)"|([^\s",]+))/g
/** A zone at the end of a date: a word, or digits with a sign. */
const HAS_ZONE = /(?:[A-Za-z]|[+-]\d\d:?\d\d)\s*$/

const invalid = () => new AppError(401, 'not_authenticated', 'Invalid signature.')

/**
 * `Authorization: Signature keyId="…",algorithm="hmac-sha256",headers="(request-target)
 * date",signature="…"` (docs/rules/authentication.md#request_signature;
 * draft-cavage-http-signatures). Throws 401 when it is malformed.
 */
export function readSignature(value: string, request: FastifyRequest): AccessKeyProof {
  const parameters: Record<string, string | undefined> = Object.fromEntries(
    [...value.matchAll(PARAMETER)].map(([, name = '', quoted, word]) => [name.toLowerCase(), quoted ?? word]),
  )
  const { keyid: keyId = '', algorithm, signature = '', headers = 'date' } = parameters
  const names = headers.toLowerCase().split(/\s+/)
  if (!isUuid(keyId) || algorithm !== 'hmac-sha256' || !signature || !MANDATORY.every((name) => names.includes(name)))
    throw invalid()
  const given = Buffer.from(signature, 'base64')
  const signedOver = (target: string) =>
    names.map((name) => `${name}: ${name === '(request-target)' ? target : headerOf(request, name)}`).join('\n')
  const texts = signedTargets(request).map(signedOver)
  return {
    keyId,
    date: dateOf(request),
    fingerprint: fingerprintOf(keyId, given),
    // Header values are bytes, which Node hands over as Latin-1.
    verify: (secret) =>
      texts.some((text) => sameBytes(given, createHmac('sha256', secret).update(text, 'latin1').digest())),
  }
}

/** The request's own Date header. Throws 401 when it is missing or malformed. */
function dateOf({ headers }: FastifyRequest): Date {
  const text = headers.date ?? ''
  // A date without a zone is not that of this server's clock on the wall.
  const readings = HAS_ZONE.test(text) ? [text] : [`${text} GMT`, `${text}Z`]
  const date = readings.map((reading) => new Date(reading)).find((reading) => !Number.isNaN(reading.getTime()))
  if (!date)
    throw new AppError(401, 'not_authenticated', 'A signed request needs a Date header, such as “{{now}}”.', {
      values: { now: new Date().toUTCString() },
    })
  return date
}

/**
 * From the bytes that were proven, not from the signature as it was written: base64 can write the
 * same bytes in several ways.
 */
const fingerprintOf = (keyId: string, proven: Buffer) =>
  createHash('sha256').update(`${keyId.toLowerCase()}\n`).update(proven).digest()

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
  const given = Buffer.from(signature, 'base64')
  return {
    keyId,
    date: dateOf(request),
    fingerprint: fingerprintOf(keyId, given),
    verify: (secret) => sameBytes(given, Buffer.from(createHash('md5').update(`${secret}\n${date}`).digest('hex'))),
  }
}

function sameBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}
