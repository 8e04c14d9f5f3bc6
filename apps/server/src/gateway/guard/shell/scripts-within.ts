/** Quoted text, what divides commands, and all else. */
const TOKEN = /\\[\s\S]|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|([\r\n;&|(){}`]+)|[\s\S]/g
/** Words of the shell that may be before a command, such as where zsh ends a condition with `}`. */
const LEADING = /^(?:(?:if|then|elif|else|while|until|do|always)\s+)+/
/** Qualifiers of zsh before the one that has a script run for each file that is found. */
const QUALIFIERS = /[^()\s'"]{0,65}/y
const DELIMITER = /[^\w\s]/
const CLOSING = new Map(Object.entries({ '[': ']', '{': '}', '<': '>', '(': ')' }))
const QUOTES = /['"\\]/g

/**
 * Possible commands in a text that is no script of bash: some are for other shells, as `;ls` and
 * `for x (1) ls` are for zsh.
 */
export function piecesOf(text: string): string[] {
  const pieces = ['']
  for (const [token, divides] of text.matchAll(TOKEN)) {
    if (divides) pieces.push('')
    else pieces[pieces.length - 1] += token
  }
  const trimmed = pieces.map((piece) => piece.trim())
  const all = new Set(trimmed.flatMap((piece) => [piece, piece.replace(LEADING, '')]))
  return [...all].filter((piece) => piece && piece !== text.trim())
}

/** Scripts in words that are text for the parser, and that shells run all the same. */
export function scriptsWithin(text: string): string[] {
  const unquoted = text.replace(QUOTES, '')
  const all = [
    ...[text, unquoted].flatMap(scriptsInIndices),
    ...scriptsInQualifiers(unquoted),
    ...askedAbout(unquoted),
    ...substitutionsIn(text),
  ]
  return [...new Set(all.filter((one) => one.trim()))]
}

/**
 * Scripts that zsh runs for each file that is found: `(e:…:)`, with any delimiter, behind other
 * qualifiers. In linear time: a delimiter that does not come again is looked for nowhere.
 */
function scriptsInQualifiers(text: string): string[] {
  const last = new Map<string, number>()
  for (let at = 0; at < text.length; at++) last.set(text[at] as string, at)
  const scripts: string[] = []
  for (let at = text.indexOf('('); at >= 0; at = text.indexOf('(', at + 1)) {
    const from = beginOfScript(text, at + 1, last)
    if (from === undefined) continue
    const delimiter = text[from - 1] as string
    at = text.indexOf(CLOSING.get(delimiter) ?? delimiter, from)
    scripts.push(text.slice(from, at))
  }
  return scripts
}

/** Begin of a script that ends as well, in the qualifiers that begin there. */
function beginOfScript(text: string, begin: number, last: ReadonlyMap<string, number>): number | undefined {
  QUALIFIERS.lastIndex = begin
  const [qualifiers = ''] = QUALIFIERS.exec(text) ?? []
  for (let e = qualifiers.lastIndexOf('e'); e >= 0; e = e > 0 ? qualifiers.lastIndexOf('e', e - 1) : -1) {
    const delimiter = text[begin + e + 1] ?? ''
    const from = begin + e + 2
    if (DELIMITER.test(delimiter) && (last.get(CLOSING.get(delimiter) ?? delimiter) ?? 0) >= from) return from
  }
  return undefined
}

/** Names of functions and programs that zsh asks about each file, or about their order: `*(+name)`, `*(o+name)`. */
const ASKED = /\([^()\s'"]{0,65}?\+([\w./-]{1,64})[^()]{0,65}\)/g
const askedAbout = (text: string) => [...text.matchAll(ASKED)].map(([, name = '']) => name)

/**
 * Words with which shells expand a text once more: prompts of bash (`@P`) and zsh, and its flags.
 */
const EXPANDS_ONCE_MORE = /@P\}|\(e\)|\(%%?\)|\bprint\s+-\w*P|prompt_?subst/i
const SUBSTITUTIONS = /\$\(([^()]*)\)|`([^`]*)`/g
const substitutionsIn = (text: string) =>
  EXPANDS_ONCE_MORE.test(text) ? [...text.matchAll(SUBSTITUTIONS)].map(([, one, other]) => one ?? other ?? '') : []

/** Substitutions in the index of an array, which arithmetic expands although it was quoted. */
function scriptsInIndices(text: string): string[] {
  const scripts: string[] = []
  let isIndex = false
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '[') isIndex ||= /\w/.test(text[at - 1] as string)
    else if (text[at] === ']') isIndex = false
    else if (isIndex && text.startsWith('$(', at)) return [...scripts, text.slice(at + 2, text.lastIndexOf(')'))]
    else if (isIndex && text[at] === '`') {
      const end = text.indexOf('`', at + 1)
      if (end < 0) break
      scripts.push(text.slice(at + 1, end))
      at = end
    }
  }
  return scripts
}
