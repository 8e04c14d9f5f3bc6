const MAX_WORDS = 1024

/** Result of a word with braces. `isCut`: there are others, and more of a range are like those. */
export interface Braces {
  words: string[]
  isCut: boolean
}

/**
 * The words that a shell makes of one with braces (`{rm,-rf}`, `r{m..m}`), at most 1024. Quotes and
 * `${` are left as they are.
 */
export function expandBraces(word: string): Braces {
  const finished: string[] = []
  const open = [word]
  while (open.length && finished.length + open.length <= MAX_WORDS) {
    const next = open.shift() as string
    const brace = firstBrace(next)
    if (!brace) finished.push(next)
    else open.unshift(...brace.choices.map((choice) => next.slice(0, brace.start) + choice + next.slice(brace.end)))
  }
  return { words: [...finished, ...open].slice(0, MAX_WORDS), isCut: finished.length + open.length > MAX_WORDS }
}

interface Brace {
  start: number
  end: number
  choices: string[]
}

function firstBrace(word: string): Brace | undefined {
  for (let at = 0; at < word.length; at++) {
    if (word[at] === '\\') at++
    else if (word[at] === "'" || word[at] === '"') at = endOfQuote(word, at)
    else if (word[at] === '{' && word[at - 1] !== '$') {
      const brace = braceAt(word, at)
      if (brace) return brace
    }
  }
  return undefined
}

function endOfQuote(word: string, start: number): number {
  const end = word.indexOf(word[start] as string, start + 1)
  return end < 0 ? word.length : end
}

function braceAt(word: string, start: number): Brace | undefined {
  const choices = ['']
  let depth = 0
  for (let at = start + 1; at < word.length; at++) {
    const character = word[at] as string
    if (character === '}' && depth === 0) return finished(start, at + 1, choices)
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth === 0) choices.push('')
    else if (character === '\\' || character === "'" || character === '"') {
      const end = character === '\\' ? at + 1 : endOfQuote(word, at)
      choices.push(choices.pop() + word.slice(at, end + 1))
      at = end
    } else choices.push(choices.pop() + character)
  }
  return undefined
}

function finished(start: number, end: number, choices: string[]): Brace | undefined {
  if (choices.length > 1) return { start, end, choices }
  const range = /^(-?\d{1,6}|[a-zA-Z])\.\.(-?\d{1,6}|[a-zA-Z])$/.exec(choices[0] as string)
  return range ? { start, end, choices: rangeOf(range[1] as string, range[2] as string) } : undefined
}

function rangeOf(from: string, to: string): string[] {
  const isNumber = /\d/.test(from) && /\d/.test(to)
  const [first, last] = isNumber ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)]
  const step = first <= last ? 1 : -1
  const length = Math.min(Math.abs(last - first) + 1, MAX_WORDS)
  return Array.from({ length }, (_, at) => {
    const value = first + at * step
    return isNumber ? String(value) : String.fromCharCode(value)
  })
}
