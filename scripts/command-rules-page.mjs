/**
 * Writes what docs/command-rules.md and the console's page about rules say of targets and of tried
 * techniques anew, from the console's data and the techniques that the guard of commands is tested
 * with: `node_modules/.bin/node scripts/command-rules-page.mjs`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TARGET_LIMITS } from '../apps/console/src/pages/commands/limits/target-limits.ts'
import { ALLOW_LIST, ALLOWED_STATEMENTS, CORPUS } from '../apps/server/src/gateway/guard/corpus.ts'

export const PAGE = new URL('../docs/command-rules.md', import.meta.url)
export const TECHNIQUES = new URL('../apps/console/src/pages/commands/limits/techniques.json', import.meta.url)
const LIMITS_BEGIN = '<!-- limits: made by scripts/command-rules-page.mjs -->'
const LIMITS_END = '<!-- end of limits -->'
const BEGIN = '<!-- techniques: made by scripts/command-rules-page.mjs -->'
const END = '<!-- end of techniques -->'
/** A line is shown so far; longer ones are padded. */
const SHOWN = 90

/** The page with its tables as they must be; everything around them stays. */
export function commandRulesPage(page) {
  const caught = (kind) => CORPUS.filter(({ expected }) => expected[kind] === 'caught').length
  const summary =
    `${CORPUS.length} techniques: ${caught('deny')} are caught by the rule that denies, ` +
    `${caught('allow_list')} by the allow-list ${ALLOW_LIST.map(code).join(', ')} ` +
    `(statements: ${ALLOWED_STATEMENTS.map(code).join(', ')}).`
  const tables = [...Map.groupBy(CORPUS, ({ group }) => group)].map(([group, techniques]) =>
    [`### ${group}`, '', ...table(techniques)].join('\n'),
  )
  const limited = replaced(page, LIMITS_BEGIN, LIMITS_END, Object.values(TARGET_LIMITS).map(limits))
  return replaced(limited, BEGIN, END, [summary, ...tables])
}

function replaced(page, begin, end, parts) {
  const made = [begin, ...parts].join('\n\n')
  return page.replace(page.slice(page.indexOf(begin), page.indexOf(end)), () => `${made}\n\n`)
}

/** Ways around and stronger means of one kind of target. */
function limits({ title, sees, ways, stronger }) {
  const around = ways.map(({ words, example }) => `- ${words}: ${code(example)}`)
  const means = stronger.map(({ words, page }) => `- ${words}${page ? ` *${page.words}*` : ''}`)
  return [`### ${title}`, '', sees, '', ...around, '', 'What holds better:', '', ...means].join('\n')
}

/** What the console shows of the techniques: each line, and whether it is caught. */
export function techniques() {
  const ofShells = CORPUS.filter(({ database }) => !database)
  const groups = [...Map.groupBy(ofShells, ({ group }) => group)].map(([group, lines]) => ({
    group,
    lines: lines.map(({ line, expected }) => ({
      line: shown(line),
      rule: expected.deny === 'caught',
      list: expected.allow_list === 'caught',
    })),
  }))
  return { rule: CORPUS[0].rules.join('\n'), allow_list: ALLOW_LIST.join('\n'), groups }
}

function table(techniques) {
  const rows = techniques.map(
    ({ technique, line, rules, expected, why = '' }) =>
      `| ${capital(technique)} | ${code(line)} | ${rules.map(code).join(', ')} | ${expected.deny} | ${expected.allow_list} | ${why} |`,
  )
  return ['| Technique | Line | Rule | By the rule | By the allow-list | |', '|---|---|---|---|---|---|', ...rows]
}

function code(text) {
  const line = shown(text).replaceAll('|', '\\|')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

function shown(text) {
  const line = text.length > SHOWN ? `${text.slice(0, 12)}…${text.slice(-24)}` : text
  return line.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll('\0', '␀')
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1)
}

if (import.meta.main) {
  writeFileSync(PAGE, commandRulesPage(readFileSync(PAGE, 'utf8')))
  writeFileSync(TECHNIQUES, JSON.stringify(techniques()))
  const biome = fileURLToPath(new URL('../node_modules/@biomejs/biome/bin/biome', import.meta.url))
  execFileSync(process.execPath, [biome, 'format', '--write', fileURLToPath(TECHNIQUES)])
}
