/**
 * `npm run rules` writes docs/rules/tests.md, which names the tests that prove each rule of
 * docs/rules/. `node scripts/rules.mjs --check` writes nothing, prints what is wrong and ends with 1:
 *
 * - a rule that is cited, or a page of docs/rules/ with its heading, and is not there;
 * - a rule without a test;
 * - a list of tests that is not current;
 * - a file outside of the repository that is named in it.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = 'docs/rules/'
export const TESTS_PAGE = `${FOLDER}tests.md`

const FILES = [
  '*.md',
  '{apps,bench,deploy,docs,e2e,packages,scripts}/**/*.{ts,tsx,mjs,css,html,md,sql,yaml}',
  '.github/**/*.{md,yml}',
]
/**
 * Installed or built; on main for good, as migrations are, which are never edited; and the tests of
 * this file, whose citations are made up.
 */
const LEFT_OUT = new Set(['node_modules', 'dist', 'data', 'rules.test.mjs'])

const IS_TEST = /\.(test|spec)\.[cm]?[jt]sx?$/
const RULE = /\b[ABS]\d\.\d\d\b/g
const RULE_LINE = /^- \*\*((?:[ABS]\d\.\d\d ?)+)\*\*/gm
/** Titles begin with the rules that they prove: `[A4.28 B4.03] Continue …`. */
const PROOF = /['"`]\[((?:[ABS]\d\.\d\d ?)+)\]/g
const PAGE_CITED = /\bdocs\/rules\/([a-z-]+\.md)(?:#([\w-]+))?/g
/** Between two lines of a comment. */
const COMMENT_BREAK = /\n[ \t]*(?:\*|\/\/|--)[ \t]*/g
const OUTSIDE =
  /\.\.\/shared\b|\bcontract\/[a-z*-]+\.ya?ml\b|\bcontract README\b|\bfield[- ]notes\b|\bprotocols\/[a-z-]+\.md\b|\b(?:design|style|words)\.md\b|\bspec\/(?:notes|[AB]-)|\bspec [AB]\d|\bnotes \d/gi

/**
 * The rules of pages, and where each is.
 * @param {Map<string, string>} files text by path from the root of the repository
 * @returns {Map<string, string>} path by id, in the order of the ids
 */
export function rulesOf(files) {
  return new Map(rulePlaces(files).sort(byFirst))
}

function rulePlaces(files) {
  return [...files]
    .filter(([path]) => path.startsWith(FOLDER))
    .flatMap(([path, text]) =>
      [...text.matchAll(RULE_LINE)].flatMap(([, ids]) =>
        ids
          .trim()
          .split(' ')
          .map((id) => [id, path]),
      ),
    )
}

/** Paths of test files by the id of the rule that a title in them begins with; sorted. */
export function testsOf(files) {
  const tests = [...files]
    .filter(([path]) => IS_TEST.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(PROOF)].flatMap(([, ids]) =>
        ids
          .trim()
          .split(' ')
          .map((id) => [id, path]),
      ),
    )
  const byRule = Map.groupBy(tests.sort(byFirst), ([id]) => id)
  return new Map([...byRule].map(([id, entries]) => [id, [...new Set(entries.map(([, path]) => path))].sort()]))
}

/** The page that names the tests, by the pages of the rules. */
export function testsPage(files) {
  const tests = testsOf(files)
  const byPage = [...Map.groupBy(rulesOf(files), ([, path]) => path)].sort(byFirst)
  const sections = byPage.map(([path, rules]) => {
    const lines = rules.flatMap(([id]) => listed(id, tests.get(id) ?? []))
    return `## ${path.slice(FOLDER.length)}\n\n${lines.join('\n')}\n`
  })
  return `# Tests of the rules\n\nWritten by \`npm run rules\`: the files with the tests that prove each rule.\n\n${sections.join('\n')}`
}

/** One line where it fits, else a line for each file. */
function listed(id, paths) {
  const line = `- ${id}: ${paths.map((path) => `\`${path}\``).join(', ')}`
  return line.length <= 100 ? [line] : [`- ${id}`, ...paths.map((path) => `  - \`${path}\``)]
}

/**
 * Faults of rules, citations and the list of tests.
 * @param {Map<string, string>} files text by path from the root of the repository
 * @returns {string[]} one line a fault
 */
export function faults(files) {
  const rules = rulesOf(files)
  const tests = testsOf(files)
  const unproven = [...rules].filter(([id]) => !tests.has(id)).map(([id, path]) => `${path}: no test proves ${id}`)
  const stale = files.get(TESTS_PAGE) === testsPage(files) ? [] : [`${TESTS_PAGE} is not current: npm run rules`]
  const cited = [...files].flatMap(([path, text]) => citationFaults(path, text, { rules, files }))
  return [...repeated(files), ...cited, ...unproven, ...stale]
}

/** Rules that two lines have: which of them would hold? */
function repeated(files) {
  const places = Map.groupBy(rulePlaces(files), ([id]) => id)
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([id, [[, path], [, other]]]) => `${path}: ${id} is in ${other} too`)
}

function citationFaults(path, text, { rules, files }) {
  const unknown = [...new Set(text.match(RULE))].filter((id) => !rules.has(id)).map((id) => `there is no rule ${id}`)
  const pages = [...text.matchAll(PAGE_CITED)].flatMap(([cited, page, heading]) => {
    const rulesPage = files.get(FOLDER + page)
    const isThere = rulesPage !== undefined && (!heading || headingsOf(rulesPage).has(heading))
    return isThere ? [] : [`there is no ${cited}`]
  })
  const outside = (text.replace(COMMENT_BREAK, ' ').match(OUTSIDE) ?? []).map(
    (name) => `'${name}' is not in the repository`,
  )
  return [...new Set([...unknown, ...pages, ...outside])].map((fault) => `${path}: ${fault}`)
}

/** Headings as an address has them. */
function headingsOf(page) {
  return new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
      words
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function byFirst([a], [b]) {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Text by path of everything that may cite a rule. */
export function readFiles() {
  const paths = globSync(FILES, { cwd: ROOT, exclude: (path) => path.split('/').some((part) => LEFT_OUT.has(part)) })
  return new Map(paths.sort().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}

if (import.meta.main) {
  const files = readFiles()
  if (process.argv.includes('--check')) {
    const found = faults(files)
    for (const fault of found) console.log(fault)
    process.exitCode = found.length ? 1 : 0
  } else writeFileSync(join(ROOT, TESTS_PAGE), testsPage(files))
}
