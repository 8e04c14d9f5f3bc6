/**
 * `npm run test:cost [word …]`: runs the tests as `npm test` does, or those of files with these words in their path, and
 * prints what they cost: by project, and the forty dearest files of either run (`TEST_COST_FILES=100` for more). What
 * browsers draw is in the machine's time alone: their processes end without being waited for.
 */
import { randomInt } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, buildServer, fail, ROOT } from './prepare.mjs'
import { installSystemPackages, SYSTEM_PACKAGES } from './system-packages.mjs'
import { runTests, summary } from './test-run.mjs'

installSystemPackages(Object.keys(SYSTEM_PACKAGES), 'The tests need')
const node = process.execPath
if (!buildConsole(node) || !buildServer(node)) fail('Console or server could not be built.')
process.env.TEST_COST_FILE = join(ROOT, 'test-results/cost.jsonl')
rmSync(process.env.TEST_COST_FILE, { force: true })
const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31))
const count = { passed: 0, failed: 0, skipped: 0 }
const begun = { clock: performance.now(), machine: busySeconds() }
await runTests({ node, words: process.argv.slice(2), seed, count, isBundled: true })
const clock = (performance.now() - begun.clock) / 1000
console.log(
  `\nseed ${seed}: ${clock.toFixed(0)} s by the clock, ${(busySeconds() - begun.machine).toFixed(0)} s of processor`,
)
console.log(summary(count))
process.exitCode = count.failed ? 1 : 0

/** Seconds that all processors of the machine have worked (`man 5 proc_stat`: user, nice, system). */
function busySeconds() {
  const [user, nice, system] = readFileSync('/proc/stat', 'utf8').split(/\s+/).slice(1, 4).map(Number)
  return (user + nice + system) / 100
}
