import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors/app-error.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'

/** A request that claims to be signed with an access key; whether it is shows once the key's secret is known. */
export interface AccessKeyProof {
  keyId: string
  verify(secret: string): boolean
}

const MANDATORY = ['(request-target)', 'date']
/** The legacy scheme signs nothing but the date: an old one is refused. */
const LEGACY_AGE_MS = 15 * 60_000

const invalid = () => new AppError(401, 'not_authenticated', 'Invalid signature.')

/**
 * `Authorization: Signature keyId="…",algorithm="hmac-sha256",headers="(request-target) date",signature="…"`
 * (contract/authentication.yaml "request signing with an access key"; draft-cavage-http-signatures). Throws 401 when it is malformed.
 */
export function readSignature(value: string, request: FastifyRequest): AccessKeyProof {
  const parameters: Record<string, string | undefined> = Object.fromEntries(
    [...value.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
  )
  const { keyId = '', algorithm, signature = '', headers = 'date' } = parameters
  const names = headers.toLowerCase().split(/\s+/)
  if (
    !isUuid(keyId) ||
    algorithm !== 'hmac-sha256' ||
    !signature ||
    !MANDATORY.every((name) => names.includes(name)) ||
    !request.headers.date
  )
    throw invalid()
  const text = names
    .map(
      (name) => `${name}: ${name === '(request-target)' ? `${request.method.toLowerCase()} ${request.raw.url}` : headerOf(request, name)}`,
    )
    .join('\n')
  return { keyId, verify: (secret) => sameBytes(Buffer.from(signature, 'base64'), createHmac('sha256', secret).update(text).digest()) }
}

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name]
  if (value === undefined) throw invalid()
  return [value].flat().join(', ')
}

/** `Authorization: Sign <key id>:<base64 of hex MD5(secret + newline + Date)>`, kept for old scripts. */
export function readLegacySignature(value: string, request: FastifyRequest): AccessKeyProof {
  const [keyId = '', signature = ''] = value.split(':')
  const date = request.headers.date ?? ''
  const age = Math.abs(Date.now() - Date.parse(date))
  if (!isUuid(keyId) || !(age < LEGACY_AGE_MS)) throw invalid()
  return {
    keyId,
    verify: (secret) =>
      sameBytes(Buffer.from(signature, 'base64'), Buffer.from(createHash('md5').update(`${secret}\n${date}`).digest('hex'))),
  }
}

function sameBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}
