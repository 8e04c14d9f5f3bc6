/** So much of what begins with a word is looked at: rules are about how a command begins. */
const SHOWN = 80
const WORDS = /[^\s;&|(){}`'"<>=$,[\]\\+/]+/g
const ENDS = /[;&|\n)}`]/
const QUOTES = /['"{}\\]/g

/**
 * Each word of a line that runs something unknown may be the name of a command: it was put
 * somewhere (`echo rm > f; sh f`, `: rm; $_`), or comes out of something.
 */
export function commandsAtWords(text: string): string[] {
  const found = new Set<string>()
  for (const { index } of text.matchAll(WORDS)) {
    const rest = text.slice(index, index + SHOWN)
    const end = rest.search(ENDS)
    found.add((end < 0 ? rest : rest.slice(0, end)).replace(QUOTES, '').trim())
  }
  return [...found]
}

/** Languages whose texts say what else they run, without a shell's words. */
const INTERPRETERS =
  /^(?:[gmn]?awk|original-awk|perl|python[\d.]*|ruby|php|lua[\d.]*|node|nodejs|tclsh[\d.]*|expect|g?sed|ed|ex|vi|vim?|nvim|view|g?make|gdb|lldb|dc|bc|m4|sqlite3|emacs|tmux)$/
export const isInterpreter = (name: string): boolean => INTERPRETERS.test(name)

const QUOTED = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`([^`]*)`|\(\s*(\w[^()"'`]*)\)/gs
const RUNS = /system|exec|popen|spawn|subprocess|\bqx\b|syscmd|shell|passthru|backtick|[|`]/i
/** Behind a mark of editors, databases and calculators; a command of make; a word of Tcl. */
const MARKED =
  /(?:!|:;|\n\t|\.sh\w*\s|\\!|\b(?:exec|spawn|system|shell|silent)\s|\{\s*e\s|\be\s|^\d+e)\s*([^"'\s;!][^;\n]*)/gs
/** Replacement text that `sed` runs. */
const REPLACED = /s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1((?:\\.|(?!\1)[^\\])*)\1\w*e/gs
const JOINED = /(["'])\s*(?:\.\.?|\+|\|\||<>|&)?\s*\1(?=[^\s,)])/g
/**
 * The beginning of longer texts is looked at: expressions may take time by the square of the
 * length.
 */
const CODE_MAX = 2048

/** Texts that a text in such a language may run, as they are in it. */
export function commandsInCode(text: string): string[] {
  // Texts behind each other are one, as are those that are joined.
  const code = text.slice(0, CODE_MAX).replace(JOINED, '')
  const quoted = RUNS.test(code) ? [...code.matchAll(QUOTED)].flatMap(([, ...all]) => all) : []
  const marked = [...code.matchAll(MARKED)].map(([, text]) => text)
  const replaced = [...code.matchAll(REPLACED)].map(([, , text]) => text)
  return [...quoted, ...marked, ...replaced].flatMap((one) => (one?.trim() ? [one.trim()] : []))
}
