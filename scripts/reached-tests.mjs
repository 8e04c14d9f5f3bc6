/** Which tests a change can reach, by imports. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { importsOf } from './check-imports.mjs'
import { ROOT } from './prepare.mjs'
import { testFiles } from './test-files.mjs'

const SOURCES = [
  '{apps,packages}/*/{src,test}/**/*.{ts,tsx}',
  'apps/*/*.ts',
  'e2e/**/*.ts',
  'bench/*.ts',
  'scripts/**/*.{mjs,ts}',
]

/** The code of the repository: from each path, with slashes, to its text. */
export function sourceTexts() {
  const paths = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] })
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}

/**
 * The tests that import one of these files, or a module that does, with the number of imports
 * between: 0 for a test that has changed itself. The nearest come first.
 * @param {Iterable<string>} changed paths from the root of the repository, with slashes
 * @param {Map<string, string>} texts as `sourceTexts` gives them
 * @param {string[]} tests paths of test files
 */
export function reachedTests(changed, texts, tests = testFiles()) {
  const importers = importersIn(texts)
  const distances = new Map()
  let next = [...changed].flatMap((path) => (texts.has(path) ? [path] : readersOf(path, texts)))
  for (let distance = 0; next.length; distance++) {
    const now = next.filter((path) => !distances.has(path))
    for (const path of now) distances.set(path, distance)
    next = now.flatMap((path) => importers.get(path) ?? [])
  }
  return tests
    .filter((path) => distances.has(path))
    .map((path) => ({ path, distance: distances.get(path) }))
    .sort((one, other) => one.distance - other.distance)
}

function importersIn(texts) {
  const importers = new Map()
  for (const [path, text] of texts)
    for (const specifier of importsOf(text)) {
      const target = targetOf(path, specifier)
      if (target) importers.set(target, [...(importers.get(target) ?? []), path])
    }
  return importers
}

/** The file that an import means; nothing for packages. */
export function targetOf(path, specifier) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  if (specifier === '@sallyport/client') return 'packages/client/src/index.ts'
  const [, own] = /^@sallyport\/contract\/(.+)$/.exec(specifier) ?? []
  return own && `packages/contract/src/${own}`
}

/** Readers of a file that is not code: those that name it, else those that name its folder. */
function readersOf(path, texts) {
  const naming = (name) => {
    const word = new RegExp(`['"\`/]${RegExp.escape(name)}['"\`/]`)
    return [...texts].filter(([, text]) => word.test(text)).map(([reader]) => reader)
  }
  const readers = naming(basename(path))
  return readers.length ? readers : naming(basename(dirname(path)))
}

/**
 * As many of these files as take so long together, from the first on; one at least.
 * @param {Map<string, number>} seconds that each took when it was last run
 */
export function withinTime(files, seconds, limit) {
  let taken = 0
  return files.filter(({ path }, at) => {
    taken += seconds.get(path) ?? UNKNOWN_SECONDS
    return at === 0 || taken <= limit
  })
}

/** Cost of a file of which nothing is known. */
const UNKNOWN_SECONDS = 3
