/**
 * Writes the parts of docs/command-rules.md and of the console's page about rules that are about
 * targets and tried techniques. They come from the console's data and from the techniques that the
 * guard of commands is tested with: `node_modules/.bin/node scripts/command-rules-page.mjs`.
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
  const summary = [
    `${CORPUS.length} techniques are tried. ${caught('deny')} are caught by the rule that denies, ` +
      `${caught('allow_list')} by the allow-list.`,
    'The allow-list for commands:',
    ['```', ...ALLOW_LIST, '```'].join('\n'),
    'The allow-list for statements:',
    ['```', ...ALLOWED_STATEMENTS, '```'].join('\n'),
    'The rule that denies is above each table. Notes below it have other rules, and reasons.',
  ]
  const tables = [...Map.groupBy(CORPUS, ({ group }) => group)].map(([group, techniques]) =>
    [`### ${group}`, '', ...table(techniques)].join('\n'),
  )
  const limited = replaced(page, LIMITS_BEGIN, LIMITS_END, Object.values(TARGET_LIMITS).map(limits))
  return replaced(limited, BEGIN, END, [...summary, ...tables])
}

function replaced(page, begin, end, parts) {
  const made = [begin, ...parts].join('\n\n')
  return page.replace(page.slice(page.indexOf(begin), page.indexOf(end)), () => `${made}\n\n`)
}

/** Ways around and stronger means of one kind of target. */
function limits({ title, sees, ways, stronger }) {
  const around = ways.map(({ words, example }) => item(`${words}: ${code(example)}`))
  const means = stronger.map(({ words, page }) => item(`${words}${page ? ` *${page.words}*` : ''}`))
  return [`### ${title}`, '', wrapped(sees), '', ...around, '', 'What holds better:', '', ...means].join('\n')
}

const item = (text) => wrapped(`- ${text}`, '  ')

/** A text in lines of at most 100 columns, each after the first behind an indent. */
function wrapped(text, indent = '') {
  const lines = ['']
  // A line of code stays whole.
  for (const word of text.match(/(?:`[^`]*`|[^ `])+/g)) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word
    if (longer.length > 100) lines.push(`${indent}${word}`)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}

/** The console's list of the techniques: each line, and whether it is caught. */
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

/** The rule of most of a group's techniques, a table of all, other rules that were tried, and reasons. */
function table(techniques) {
  const byRule = Map.groupBy(techniques, ({ rules }) => rules.map(code).join(', '))
  const [[usual], ...others] = [...byRule].sort(([, a], [, b]) => b.length - a.length)
  const rows = techniques.map(
    ({ technique, line, expected }) =>
      `| ${capital(technique)} | ${code(line)} | ${expected.deny} | ${expected.allow_list} |`,
  )
  const notes = [
    ...others.map(([rule, some]) => item(`By ${rule}: ${some.map(({ technique }) => technique).join('; ')}.`)),
    ...techniques.flatMap(({ technique, why }) => (why ? [item(`*${capital(technique)}*: ${why}`)] : [])),
  ]
  const head = ['| Technique | Line | By the rule | By the allow-list |', '|---|---|---|---|']
  return [wrapped(`The rule: ${usual}`), '', ...head, ...rows, ...(notes.length ? ['', ...notes] : [])]
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
