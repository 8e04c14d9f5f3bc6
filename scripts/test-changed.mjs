/**
 * `npm run test:changed [revision]`: types, lint and the tests that the change since that revision
 * can reach, the nearest first, as many as take a minute or two; says how many it left to
 * `npm test`. Without a revision: since this branch left the main one, else since the last commit.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fail, findProgram, ROOT } from './prepare.mjs'
import { reachedTests, sourceTexts, withinTime } from './reached-tests.mjs'
import { runTests, summary } from './test-run.mjs'
import { prepareSystem } from './test-system.mjs'
import { checkOfOtherTypes } from './types.mjs'

/** Seconds of tests one after the other; two or three files run at a time. */
const LIMIT = 180

const base = process.argv[2] ?? branchPoint()
const changed = new Set([
  ...git('diff', '--name-only', '--no-renames', base),
  ...git('ls-files', '--others', '--exclude-standard'),
])
if (!changed.size) fail(`Nothing has changed since ${base}. Name an older revision: npm run test:changed HEAD~3`)
const node = process.execPath
const isRight = [
  checkOfOtherTypes(),
  [findProgram('biome'), 'check', '.'],
  [join(ROOT, 'scripts/check-server.mjs')],
  [join(ROOT, 'scripts/rules.mjs'), '--check'],
]
  .map(passes)
  .every(Boolean)
const reached = reachedTests(changed, sourceTexts())
const chosen = withinTime(reached, lastSeconds(), LIMIT)
console.log(`\n— ${chosen.length} of ${reached.length} test files that the change since ${base} can reach`)
const count = { passed: 0, failed: isRight ? 0 : 1, skipped: 0 }
const words = chosen.map(({ path }) => path)
if (words.length) await runTests({ node, words, seed: Date.now() % 2 ** 31, count, lacking: prepareSystem() })
const left = reached.length - chosen.length
if (left) console.log(`\n${left} more that it can reach, further away, are left to npm test.`)
console.log(`\n${summary(count)}`)
process.exitCode = count.failed ? 1 : 0

function git(...parameters) {
  return execFileSync('git', parameters, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean)
}

function branchPoint() {
  for (const main of ['origin/main', 'main'])
    try {
      const [point] = git('merge-base', 'HEAD', main)
      if (point !== git('rev-parse', 'HEAD')[0]) return point
    } catch {
      // No such branch here.
    }
  return 'HEAD'
}

function passes(parameters) {
  return spawnSync(node, parameters, { cwd: ROOT, stdio: 'inherit' }).status === 0
}

/** What each file took when all tests were last run here. */
function lastSeconds() {
  const reports = ['code', 'product'].map((name) => join(ROOT, 'test-results', `${name}.json`))
  const files = reports.filter(existsSync).flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).testResults)
  return new Map(files.map(({ name, startTime, endTime }) => [relative(ROOT, name), (endTime - startTime) / 1000]))
}
