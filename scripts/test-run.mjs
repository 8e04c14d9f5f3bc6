/** Runs vitest and counts what it says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { BUNDLED_SERVER, findProgram, ROOT } from './prepare.mjs'

const RESULTS = join(ROOT, 'test-results')

/**
 * What runs beside each other: browsers, nodes under fault and attacks leave a processor idle for
 * much of their time. The tests of code fill it and give way to them: else one such file would be left
 * for the end, with nothing beside it.
 */
const BESIDE_EACH_OTHER = {
  code: {
    projects: ['scripts', 'contract', 'server', 'server modules', 'server memory', 'console'],
    niceness: 5,
  },
  product: { projects: ['all pages', 'e2e', 'cluster', 'security'], niceness: 0 },
}

/**
 * Runs all tests, or with words those of files that have one of them in their path; adds to `count`
 * and names what failed or was skipped.
 * @param {{ node: string, words: string[], seed: number, count: { passed: number, failed: number, skipped: number },
 *   lacking?: Map<string, string[]>, isBundled?: boolean }} run `lacking`: files that are skipped, with the packages
 *   that they lack; `isBundled`: the server was built, and tests start it so (`apps/server/test/programs.ts`)
 */
export async function runTests({ node, words, seed, count, lacking = new Map(), isBundled = false }) {
  mkdirSync(RESULTS, { recursive: true })
  process.env.TESTS_LACKING = JSON.stringify([...lacking])
  if (isBundled) process.env.BUNDLED_SERVER = BUNDLED_SERVER
  const runs = words.length ? { some: { projects: [], niceness: 0 } } : BESIDE_EACH_OTHER
  const results = await Promise.all(
    Object.entries(runs).map(async ([name, { projects, niceness }]) => {
      const report = join(RESULTS, `${name}.json`)
      rmSync(report, { force: true })
      const parameters = [
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...(process.env.TEST_COST_FILE ? [`--reporter=${join(ROOT, 'scripts/test-cost/reporter.mjs')}`] : []),
        `--sequence.seed=${seed}`,
        ...projects.flatMap((project) => ['--project', project]),
        ...words,
      ]
      const status = await vitest(node, parameters, niceness)
      return { status, files: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [] }
    }),
  )
  for (const { status, files } of results) {
    const failedBefore = count.failed
    for (const file of files) countFile(file, count, lacking)
    if (status !== 0 && count.failed === failedBefore) count.failed++
  }
}

/** The last line: what was counted, and skipped only where something was. */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
}

/** Its lines as they come, whole: two of them write to one terminal. */
async function vitest(node, parameters, niceness) {
  const { NODE_COMPILE_CACHE = join(RESULTS, 'compile-cache'), FORCE_COLOR } = process.env
  const child = spawn(node, [findProgram('vitest'), ...parameters], {
    cwd: ROOT,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // Many tests start the whole product as a process: half of each start would be reading its code.
      NODE_COMPILE_CACHE,
      ...(process.stdout.isTTY ? { FORCE_COLOR: FORCE_COLOR ?? '1' } : {}),
    },
  })
  setPriority(child.pid, getPriority() + niceness)
  createInterface({ input: child.stdout }).on('line', (line) => console.log(line))
  createInterface({ input: child.stderr }).on('line', (line) => console.error(line))
  const [status] = await once(child, 'close')
  return status
}

function countFile({ name, status, message, assertionResults }, count, lacking) {
  const path = relative(ROOT, name)
  const needs = lacking.has(path) ? ` (needs ${lacking.get(path).join(', ')})` : ''
  for (const result of assertionResults) countTest(result, `${path} > ${result.fullName}${needs}`, count)
  // A file that does not load has no tests to fail, and an error outside of every test no name.
  if (status === 'failed' && !assertionResults.some((one) => one.status === 'failed')) {
    count.failed++
    console.error(`${path}: ${message}`)
  }
}

/**
 * Counts a test, and names it unless it passed at once: one that is skipped proves nothing, one
 * that passed in a second try is broken.
 */
function countTest({ status, failureMessages }, title, count) {
  if (status === 'passed' && !failureMessages.length) {
    count.passed++
  } else if (status === 'passed' || status === 'failed') {
    count.failed++
    console.error(`${status === 'passed' ? 'tried again' : 'failed'}: ${title}`)
  } else {
    count.skipped++
    console.error(`skipped: ${title}`)
  }
}
