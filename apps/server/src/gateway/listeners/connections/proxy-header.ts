import { isIP } from 'node:net'

/**
 * A v1 header is a line of at most so many bytes; v2 has 16 fixed bytes, which state the length of
 * the rest.
 */
const V1_MAX = 107
const V2_FIXED = 16
const V2_SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
/** Addresses and ports, and as many extra fields as any proxy sends. */
const V2_REST_MAX = 4096

export type ProxyHeader =
  /** `address` is undefined for a connection of the proxy itself, such as a health check. */
  { state: 'read'; address: string | undefined; length: number } | { state: 'incomplete' } | { state: 'none' }

/**
 * The client that a load balancer forwards (PROXY protocol versions 1 and 2,
 * https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt §2). `none` for anything that is not
 * such a header. To be trusted from known proxies only: it is a mere claim.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  return V2_SIGNATURE.subarray(0, bytes.length).equals(bytes.subarray(0, V2_SIGNATURE.length))
    ? readVersion2(bytes)
    : readVersion1(bytes)
}

function readVersion1(bytes: Buffer): ProxyHeader {
  const start = 'PROXY '
  const text = bytes.toString('latin1', 0, V1_MAX)
  if (!text.startsWith(start)) return start.startsWith(text) ? { state: 'incomplete' } : { state: 'none' }
  const end = text.indexOf('\r\n')
  if (end < 0) return bytes.length < V1_MAX ? { state: 'incomplete' } : { state: 'none' }
  const [family, source = ''] = text.slice(start.length, end).split(' ')
  const length = end + 2
  if (family === 'UNKNOWN') return { state: 'read', address: undefined, length }
  return isIP(source) ? { state: 'read', address: source, length } : { state: 'none' }
}

function readVersion2(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_FIXED) return { state: 'incomplete' }
  const rest = bytes.readUInt16BE(14)
  if (rest > V2_REST_MAX) return { state: 'none' }
  const length = V2_FIXED + rest
  if (bytes.length < length) return { state: 'incomplete' }
  const isLocal = (bytes[12] ?? 0) === 0x20
  const family = (bytes[13] ?? 0) >> 4
  if (isLocal || (family !== 1 && family !== 2)) return { state: 'read', address: undefined, length }
  const size = family === 1 ? 4 : 16
  if (rest < size) return { state: 'none' }
  const source = bytes.subarray(V2_FIXED, V2_FIXED + size)
  const address = family === 1 ? source.join('.') : (source.toString('hex').match(/.{4}/g)?.join(':') ?? '')
  return {
    state: 'read',
    address: new URL(`http://${family === 1 ? address : `[${address}]`}/`).hostname.replace(/^\[|\]$/g, ''),
    length,
  }
}
