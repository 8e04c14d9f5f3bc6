import type { FastifyRequest } from 'fastify'

/**
 * Characters that the old server (Python's `quote`, as Django calls it) does not encode, besides
 * letters and digits.
 */
const PLAIN_IN_PATH = /[^A-Za-z0-9_.\-~/:@&+$,!*'()]/g
const PLAIN_IN_QUERY = /[^A-Za-z0-9_.\-~/#%[\]=:;$&()+,!?*@']/g

/**
 * The texts that a client may have signed as the target of this request: the address as it was
 * sent, or as the server wrote it for which existing clients were made. That one decodes the path
 * and encodes it again, and leaves out the question mark of an empty query, as Go's clients do when
 * they sign. Each also with doubled slashes read as one.
 */
export function signedTargets({ method, originalUrl, raw }: FastifyRequest): string[] {
  const addresses = [originalUrl, raw.url ?? originalUrl]
  const texts = addresses.flatMap((address) => [address, asOldServer(address)])
  return [...new Set(texts)].map((text) => `${method.toLowerCase()} ${text}`)
}

/** An address as `HttpRequest.get_full_path()` of Django gives it. */
function asOldServer(address: string): string {
  const at = address.indexOf('?')
  const path = at < 0 ? address : address.slice(0, at)
  const query = at < 0 ? '' : address.slice(at + 1)
  const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return `${decoded.replace(PLAIN_IN_PATH, encoded)}${query && '?'}${query.replace(PLAIN_IN_QUERY, encoded)}`
}

/** Each character of an address is one byte: Node takes ASCII alone, and what was decoded is bytes. */
const encoded = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
