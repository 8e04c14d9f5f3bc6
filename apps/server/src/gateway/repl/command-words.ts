const BLANK_OR_END = /[\s;]/

/**
 * The first word of a command of the prompt's own, and the text behind it, without blanks and
 * semicolons at the end. An expression that looks for such an end in a text of a megabyte takes
 * minutes.
 */
export function commandWords(text: string): { word: string; rest: string } {
  let end = text.length
  while (end > 0 && BLANK_OR_END.test(text[end - 1] as string)) end--
  const own = text.slice(0, end).trimStart()
  const word = /^\S*/.exec(own)?.[0] ?? ''
  return { word, rest: own.slice(word.length).trimStart() }
}
