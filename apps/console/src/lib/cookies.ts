/** The value of a cookie, or undefined. */
export function readCookie(name: string): string | undefined {
  for (const part of document.cookie.split('; ')) {
    const at = part.indexOf('=')
    if (part.slice(0, at) === name) return decodeURIComponent(part.slice(at + 1))
  }
  return undefined
}

/** Sets a cookie for the whole site; without `days` it ends with the browser session. */
export function writeCookie(name: string, value: string, days?: number): void {
  const age = days === undefined ? '' : `; max-age=${days * 86_400}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous and absent outside secure contexts
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; samesite=lax${age}`
}
