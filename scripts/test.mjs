/**
 * `npm test [filter]`: every check, cheapest first. Installs what is missing; the filter (part of a
 * file's path) chooses among the tests. At its end stand the tests that failed, also those that
 * passed when tried again, and those that were skipped. Its last line is "N passed, M failed",
 * counting each check and each test; it ends with 1 when anything failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildConsole, findProgram, install, ROOT } from './prepare.mjs'
import { installSystemPackages, SYSTEM_PACKAGES } from './system-packages.mjs'

const filters = process.argv.slice(2)
// Many tests start the whole product as a process: half of each start would be reading its code.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'test-results/compile-cache')
let passed = 0
let failed = 0

installSystemPackages(Object.keys(SYSTEM_PACKAGES), 'The tests need')
const node = install()
if (!filters.length) {
  check('lint', () => run([findProgram('biome'), 'check', '.']))
  check('types', () => run([findProgram('tsc'), '-b']))
  check('imports', () => run([join(ROOT, 'scripts/check-imports.mjs')]))
}
check('console build', () => buildConsole(node))
runTests()
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

/** Does a check and counts it; what it finds stands above the line that it failed. */
function check(name, passes) {
  console.log(`\n— ${name}`)
  if (passes()) passed++
  else {
    failed++
    console.error(`${name} failed`)
  }
}

function run(parameters) {
  return spawnSync(node, parameters, { cwd: ROOT, stdio: 'inherit' }).status === 0
}

function runTests() {
  console.log('\n— tests')
  mkdirSync(join(ROOT, 'test-results'), { recursive: true })
  const report = join(ROOT, 'test-results/vitest.json')
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const clean = run([findProgram('vitest'), 'run', ...reporters, ...filters])
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
  const failedBefore = failed
  for (const { name, assertionResults } of results?.testResults ?? [])
    for (const result of assertionResults) count(result, `${relative(ROOT, name)} > ${result.fullName}`)
  // A file that does not load has no tests to fail, and an error outside of every test no name.
  const broken =
    results?.testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
    ) ?? []
  failed += broken.length
  for (const { name, message } of broken) console.error(`${name}: ${message}`)
  if (!clean && failed === failedBefore) failed++
}

/**
 * Counts a test, and names it unless it passed at once: one that is skipped proves nothing, one
 * that passed in a second try is broken.
 */
function count({ status, failureMessages }, title) {
  if (status === 'passed' && !failureMessages.length) {
    passed++
  } else if (status === 'passed' || status === 'failed') {
    failed++
    console.error(`${status === 'passed' ? 'tried again' : 'failed'}: ${title}`)
  } else {
    console.error(`skipped: ${title}`)
  }
}
