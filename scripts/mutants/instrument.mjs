/**
 * Puts all changes of a file into it at once, each behind a question which of them is switched on,
 * so that one process tries them one after another without loading anything again.
 */

/**
 * @param {string} text TypeScript
 * @param {import('./mutations.mjs').Mutant[]} mutants of this text
 * @param {(mutant: import('./mutations.mjs').Mutant) => number} numberOf under which it is asked for
 * @returns {string} TypeScript that is for running, not for checking
 */
export function instrument(text, mutants, numberOf) {
  const hosts = Map.groupBy(mutants, ({ host }) => `${host.start}-${host.end}`)
    .values()
    .toArray()
    .toSorted(([{ host: one }], [{ host: other }]) => one.start - other.start || other.end - one.end)
  return between(0, text.length)

  /** The text from `start` to `end`, with the hosts in it; takes these from the list. */
  function between(start, end) {
    const parts = []
    let at = start
    while (hosts.length && hosts[0][0].host.end <= end) {
      const [host] = hosts.splice(0, 1)
      const [{ host: range, isStatement }] = host
      parts.push(text.slice(at, range.start), isStatement ? 'void ' : '', '(')
      for (const mutant of host) {
        const changed = text.slice(range.start, mutant.start) + mutant.to + text.slice(mutant.end, range.end)
        parts.push(`globalThis.isMutant?.(${numberOf(mutant)}) ? ${changed} : `)
      }
      parts.push(between(range.start, range.end), ')')
      at = range.end
    }
    parts.push(text.slice(at, end))
    return parts.join('')
  }
}
