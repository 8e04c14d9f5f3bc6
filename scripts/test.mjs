/**
 * `npm test [word …]`: every check, then every test; with words only the tests of files that have
 * one of them in their path. Installs what is missing. Files run in an order that a seed decides,
 * which is printed: `TEST_SEED=<seed> npm test` runs them in the same one again. At the end stand
 * the tests that failed, also those that passed when tried again, and those that were skipped. The
 * last line is "N passed, M failed", counting each check and each test, and ", K skipped" where
 * some were; it ends with 1 when anything failed.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, buildServer, findProgram, ROOT } from './prepare.mjs'
import { testFiles } from './test-files.mjs'
import { runTests, summary } from './test-run.mjs'
import { prepareSystem } from './test-system.mjs'
import { checkOfOtherTypes } from './types.mjs'

const words = process.argv.slice(2)
const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31))
const count = { passed: 0, failed: 0, skipped: 0 }

const lacking = prepareSystem()
const node = process.execPath
// They go on beside the tests, which leave a processor idle for a part of their time.
const checks = words.length
  ? []
  : [
      // One after the other: each has much in memory.
      check('types', checkOfOtherTypes()).then(
        async (found) =>
          found + (await check('types and promises of the server', [join(ROOT, 'scripts/check-server.mjs')])),
      ),
      check('lint', [findProgram('biome'), 'check', '.']),
      check('imports', [join(ROOT, 'scripts/check-imports.mjs')]),
      check('rules', [join(ROOT, 'scripts/rules.mjs'), '--check']),
    ]
if (needsConsole()) note('console build', buildConsole(node))
if (!words.length) note('server build', buildServer(node))
console.log(`\n— tests, in the order of seed ${seed}`)
await runTests({ node, words, seed, count, lacking, isBundled: !words.length })
for (const found of await Promise.all(checks)) process.stdout.write(found)
console.log(`\nTEST_SEED=${seed} runs the files in this order again.`)
console.log(summary(count))
process.exitCode = count.failed ? 1 : 0

/** Does a check, counts it and prints what it found. Answers what is to be read once the tests have ended: why it failed. */
async function check(name, parameters) {
  const child = spawn(node, parameters, { cwd: ROOT })
  let found = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (found += bytes))
  const status = await new Promise((resolve) => child.once('close', resolve))
  process.stdout.write(found)
  note(name, status === 0)
  return status === 0 ? '' : `failed: ${name}\n${found}`
}

function note(name, isRight) {
  console.log(`— ${name}${isRight ? '' : ' failed'}`)
  count[isRight ? 'passed' : 'failed']++
}

/** Browsers are shown today's console; to other tests any is as good. */
function needsConsole() {
  return (
    !words.length ||
    !existsSync(join(ROOT, 'apps/console/dist/index.html')) ||
    testFiles(words).some((file) => file.startsWith('e2e/') || file.includes('console-files'))
  )
}
