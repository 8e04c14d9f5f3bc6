/** Where the browser goes after sign-in by default. */
export const HOME = '/ui/'

/**
 * A return address on this server: `next` if it is the path of one of our pages, else the console.
 * Anybody may put one into a link to the sign-in page, so addresses where a GET changes something
 * are refused. So are `//host`, `/\\host` and anything with a scheme, which would lead elsewhere,
 * and paths that become one of these when their dots are resolved, as `/.//host` does.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2048 || !isPath(next)) return HOME
  const target = URL.parse(next, 'http://here.invalid')
  if (target?.host !== 'here.invalid' || ACTS.test(decoded(target.pathname))) return HOME
  const resolved = target.pathname + target.search + target.hash
  return isPath(resolved) ? resolved : HOME
}

/**
 * Addresses that act when they are fetched: the API, and the download that replaces an SSH key, at
 * its present and its old address.
 */
const ACTS = /^\/(api|core\/auth\/profile\/pubkey|auth\/profile\/pubkey)(\/|$)/

/** The path as the router reads it; one that can't be decoded is no page. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '/api'
  }
}

/** A path, not a host after two slashes. */
const isPath = (text: string) => /^\/(?![/\\])/.test(text)
