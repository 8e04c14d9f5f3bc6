/** Where the browser goes after sign-in when nobody says otherwise. */
export const HOME = '/ui/'

/**
 * A return address that stays on this server: `next` when it is the path of a page of ours, else
 * the console. Whoever sends somebody a link to the sign-in page chooses it: it must not make them
 * do something, as some GETs do. `//host`, `/\host` and anything with a scheme would leave it, and
 * so would what becomes one of them when dots are resolved: `/.//host`.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2048 || !isPath(next)) return HOME
  const target = URL.parse(next, 'http://here.invalid')
  if (target?.host !== 'here.invalid' || ACTS.test(decoded(target.pathname))) return HOME
  const resolved = target.pathname + target.search + target.hash
  return isPath(resolved) ? resolved : HOME
}

/** Calls, and the download that replaces somebody's key. The second form is its old address. */
const ACTS = /^\/(api|core\/auth\/profile\/pubkey|auth\/profile\/pubkey)(\/|$)/

/** As the router reads it; what it cannot read is no page. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '/api'
  }
}

/** A path, and no host after two slashes. */
const isPath = (text: string) => /^\/(?![/\\])/.test(text)
