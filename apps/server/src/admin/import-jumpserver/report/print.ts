import { type Language, type Say, translate } from '../../../kernel/i18n/translate.ts'
import { type KindNotes, MOST_NAMES, type RemarkGroup, type Values } from './report.ts'

/** Names on the screen; the file has them all. */
const NAMES_SHOWN = 5

/** The report as lines for people. `names`: how many of each remark. */
export function linesOf(kinds: readonly KindNotes[], language: Language, names = NAMES_SHOWN): string[] {
  const say: Say = (english, values) => translate(language, english, values)
  return kinds
    .filter(({ read, changed, stays }) => read || changed.size || stays.size)
    .flatMap((kind) => [
      '',
      say(kind.label),
      `  ${say('{{read}} read, {{added}} new, {{updated}} updated, {{same}} as before, {{behind}} stay behind', { ...kind })}`,
      ...groupLines(say, say('Changes on the way'), kind.changed, names),
      ...groupLines(say, say('Stays behind'), kind.stays, names),
    ])
}

export const allLinesOf = (kinds: readonly KindNotes[], language: Language): string[] =>
  linesOf(kinds, language, MOST_NAMES)

function groupLines(say: Say, title: string, groups: ReadonlyMap<string, RemarkGroup>, names: number): string[] {
  if (!groups.size) return []
  return [
    `  ${title}:`,
    ...[...groups].flatMap(([sentence, { count, examples }]) => {
      const shown = examples.slice(0, names)
      // Rows with the same words are one line; those with values of their own have one each.
      const texts = Map.groupBy(shown, ({ values }) => say(sentence, cleaned(values)))
      const lines = [...texts].map(([text, rows]) => `    ${text}: ${rows.map(({ name }) => oneLine(name)).join(', ')}`)
      const others = count - shown.length
      if (!shown.length) return [`    ${say(sentence)}: ${count}`]
      return others > 0 ? [...lines, `    ${say('… and {{count}} more', { count: others })}`] : lines
    }),
  ]
}

/** Values are of their database as names are. */
export const cleaned = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? oneLine(value) : value]),
  )

/** Names come from elsewhere: none may look like a line of its own, or send codes to the terminal. */
export const oneLine = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, 200)
