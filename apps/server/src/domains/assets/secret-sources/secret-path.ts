import type { SecretSourceKind } from '@sallyport/contract/resources/assets/secret-source.ts'

/** Nothing that ends a path, climbs out of it, or is spelled in two ways. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}?#%\\]/u
const MAX_PARTS = 32

/** Whether a text is a path below a place: parts between single slashes, none of which leads upward. */
export function isPathBelow(path: string): boolean {
  const parts = path.split('/')
  return (
    parts.length <= MAX_PARTS &&
    !FORBIDDEN.test(path) &&
    parts.every((part) => part.trim() !== '' && part !== '.' && part !== '..')
  )
}

/** A path as it is written into an address. Throws for one that leads elsewhere: it was refused when it was stored. */
export function pathInAddress(path: string): string {
  if (!isPathBelow(path)) throw new Error('the path of a secret leads elsewhere')
  return path.split('/').map(encodeURIComponent).join('/')
}

/** What speaks against an address; undefined: nothing does. */
export function addressFault(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'Enter an address that begins with https://'
  if (url.username || url.password) return 'The address holds no user name or password'
  if (url.search || url.hash || /[?#\\\s]/.test(address)) return 'The address ends before ? and #'
  const path = url.pathname.replace(/\/$/, '').slice(1)
  if (path && !isPathBelow(path)) return 'The address holds a path that cannot be used'
  return undefined
}

/** As pages and refusals name a place: nothing in it is secret. */
export function placeInWords(
  { kind, engine }: { kind: SecretSourceKind; engine: string },
  { path, field }: { path: string; field: string },
): string {
  return `${kind === 'vault' ? `${engine}/` : ''}${path}#${field}`
}
