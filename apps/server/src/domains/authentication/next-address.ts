/** Where the browser goes after sign-in when nobody says otherwise. */
export const HOME = '/ui/'

/**
 * A return address that stays on this server: `next` when it is a path of ours, else the console.
 * `//host`, `/\host` and anything with a scheme would leave it.
 */
export function safeNext(next: unknown): string {
  if (typeof next !== 'string' || next.length > 2048 || !/^\/(?![/\\])/.test(next)) return HOME
  const target = URL.parse(next, 'http://here.invalid')
  return target?.host === 'here.invalid' ? target.pathname + target.search + target.hash : HOME
}
