/**
 * Characters that no Windows name has ([MS-FSCC] 2.1.5.2), invisible ones, those that turn the
 * direction of text, and halves of characters.
 */
const UNFIT = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff<>:"/\\|?*]/gu
/** Windows takes these for devices, with every ending, and drops blanks before it. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:\.|$)/i

/**
 * The name of a file as every system takes it for nothing but a name: no path, no drive or stream
 * of Windows (`C:x`), no device (`CON`), no command for a terminal, no letters in another order
 * than they are read in. Other characters become `_`.
 */
export function portableName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(UNFIT, '_')
    .replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return DEVICE.test(plain) || !plain ? `_${plain}` : plain
}

/** Names paths of an archive portably, part by part; paths that differ keep names that differ. */
export function portablePaths(): (path: string) => string {
  const known = new Map<string, string>()
  const taken = new Set<string>()
  return function portable(path: string): string {
    const before = known.get(path)
    if (before !== undefined) return before
    const at = path.lastIndexOf('/')
    const folder = at < 0 ? '' : `${portable(path.slice(0, at))}/`
    const name = portableName(path.slice(at + 1))
    const found = folder + freeName(name, (one) => taken.has(folder + one))
    known.set(path, found)
    taken.add(found)
    return found
  }
}

/** `name (2).txt` and so on: the first that is free, of at most so many characters. */
export function freeName(name: string, isTaken: (name: string) => boolean, maxLength = 255): string {
  const at = name.lastIndexOf('.')
  const [base, ending] = at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
  for (let n = 1; ; n++) {
    const tail = n === 1 ? ending : ` (${n})${ending}`
    const free = base.slice(0, Math.max(0, maxLength - tail.length)) + tail
    if (!isTaken(free)) return free
  }
}
