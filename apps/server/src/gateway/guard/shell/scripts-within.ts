/** Quoted text, what divides commands, and all else. */
const TOKEN = /\\[\s\S]|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|([\r\n;&|(){}`]+)|[\s\S]/g
/** A qualifier of zsh, behind which stands what is run for each file that is found. */
const IN_QUALIFIER = /\([^()\s'"]{0,64}e([^\w\s])([\s\S]*?)\1/g
const QUOTES = /['"\\]/g

/**
 * What may be a command in a text that is no script of bash: some are for other shells, as
 * `;ls` and `for x (1) ls` are for zsh.
 */
export function piecesOf(text: string): string[] {
  const pieces = ['']
  for (const [token, divides] of text.matchAll(TOKEN)) {
    if (divides) pieces.push('')
    else pieces[pieces.length - 1] += token
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece && piece !== text.trim())
}

/** Scripts in words that are text for the parser, and that shells run all the same. */
export function scriptsWithin(text: string): string[] {
  const unquoted = text.replace(QUOTES, '')
  const qualifiers = Array.from(unquoted.matchAll(IN_QUALIFIER), ([, , script = '']) => script)
  const all = [...[text, unquoted].flatMap(scriptsInIndices), ...qualifiers]
  return [...new Set(all.filter((one) => one.trim()))]
}

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
