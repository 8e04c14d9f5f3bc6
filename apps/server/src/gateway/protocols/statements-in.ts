/** Characters at which a text, a name or a statement may begin or end. */
const MARK = /[;'"`$]|[eE]'/g

/**
 * The statements of a text without comments, each alone and without its semicolon, where that is not the text itself:
 * a rule may be about the beginning or the end of one. `endOfQuoted`: where the text or name ends that begins there; the place itself where none does.
 */
export function statementsIn(text: string, endOfQuoted: (text: string, at: number) => number): string[] {
  const statements: string[] = []
  let from = 0
  MARK.lastIndex = 0
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const at = mark.index
    if (mark[0] === ';') {
      statements.push(text.slice(from, at))
      from = at + 1
    } else MARK.lastIndex = Math.max(endOfQuoted(text, at), at + 1)
  }
  const all = [...statements, text.slice(from)].map((one) => one.trim()).filter(Boolean)
  return all.length > 1 || all[0] !== text ? all : []
}
