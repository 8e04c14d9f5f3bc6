const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
export const LONGEST_URI = 500

/** A program on the person's own computer listens there. */
export const isLoopback = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.includes(url.hostname)

/**
 * An address that a code may be sent to: https, or http on the person's own computer (RFC 8252).
 * Undefined for all others, and for those that are written in another way than browsers read them, so
 * that what is compared is what is opened.
 */
export function redirectOf(text: string): URL | undefined {
  const url = text.length <= LONGEST_URI ? URL.parse(text) : null
  if (!url || url.username || url.password || text.includes('#')) return undefined
  if (url.protocol !== 'https:' && !isLoopback(url)) return undefined
  const isAsWritten = url.href === text || url.href === `${text}/`
  return isAsWritten ? url : undefined
}

/** Whether a program has registered this address: letter by letter, but for the port on loopback (RFC 8252 §7.3). */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  const url = redirectOf(asked)
  if (!url) return false
  return registered.some((one) => one === asked || (isLoopback(url) && withoutPort(one) === withoutPort(asked)))
}

function withoutPort(text: string): string | undefined {
  const url = redirectOf(text)
  if (!url) return undefined
  url.port = ''
  return url.href
}
