/**
 * Writes the tables of docs/command-rules.md anew, from the techniques that the guard of commands is
 * tested with: `node_modules/.bin/node scripts/command-rules-page.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { ALLOW_LIST, CORPUS } from '../apps/server/src/gateway/guard/corpus.ts'

export const PAGE = new URL('../docs/command-rules.md', import.meta.url)
const BEGIN = '<!-- techniques: made by scripts/command-rules-page.mjs -->'
const END = '<!-- end of techniques -->'
/** A line is shown so far; longer ones are padded. */
const SHOWN = 90

/** The page with its tables as they must be; everything around them stays. */
export function commandRulesPage(page) {
  const caught = (kind) => CORPUS.filter(({ expected }) => expected[kind] === 'caught').length
  const summary =
    `${CORPUS.length} techniques: ${caught('deny')} are caught by the rule that denies, ` +
    `${caught('allow_list')} by the allow-list ${ALLOW_LIST.map(code).join(', ')}.`
  const tables = [...Map.groupBy(CORPUS, ({ group }) => group)].map(([group, techniques]) =>
    [`### ${group}`, '', ...table(techniques)].join('\n'),
  )
  const made = [BEGIN, summary, ...tables].join('\n\n')
  return page.replace(page.slice(page.indexOf(BEGIN), page.indexOf(END)), () => `${made}\n\n`)
}

function table(techniques) {
  const rows = techniques.map(
    ({ technique, line, rules, expected, why = '' }) =>
      `| ${capital(technique)} | ${code(line)} | ${rules.map(code).join(', ')} | ${expected.deny} | ${expected.allow_list} | ${why} |`,
  )
  return ['| Technique | Line | Rule | By the rule | By the allow-list | |', '|---|---|---|---|---|---|', ...rows]
}

function code(text) {
  const line = text.length > SHOWN ? `${text.slice(0, 12)}…${text.slice(-24)}` : text
  const shown = line.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll('|', '\\|')
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1)
}

if (import.meta.main) writeFileSync(PAGE, commandRulesPage(readFileSync(PAGE, 'utf8')))
