/** Where the browser goes after sign-in when nobody says otherwise. */
export const HOME = '/ui/'

/**
 * A return address that stays on this server: `next` when it is a path of ours, else the console.
 * `//host`, `/\host` and anything with a scheme would leave it, and so would what becomes one of them when dots are resolved: `/.//host`.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2048 || !isPath(next)) return HOME
  const target = URL.parse(next, 'http://here.invalid')
  if (target?.host !== 'here.invalid') return HOME
  const resolved = target.pathname + target.search + target.hash
  return isPath(resolved) ? resolved : HOME
}

/** A path, and no host after two slashes. */
const isPath = (text: string) => /^\/(?![/\\])/.test(text)
