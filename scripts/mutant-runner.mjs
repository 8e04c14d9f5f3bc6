/**
 * Runs tests of the server on a copy of the repository, again and again in one process: the
 * database server of the tests starts once. Told by `mutants.mjs` which file changed and which
 * tests are about it; answers whether they noticed, and which of them did first.
 */
import { createVitest } from 'vitest/node'

const [, , root] = process.argv
const vitest = await createVitest('test', {
  root,
  project: ['server'],
  watch: false,
  bail: 1,
  reporters: [{}],
})
await vitest.standalone()
const all = await vitest.globTestSpecifications()

/** The file that was changed for the last question, and is as it was since. */
let before

process.on('message', async ({ file, tests }) => {
  if (before) vitest.invalidateFile(before)
  vitest.invalidateFile(file)
  before = file
  const chosen = all.filter(({ moduleId }) => tests.some((test) => moduleId.endsWith(`/${test}`)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen)
  const failed = testModules.flatMap((module) => [...module.children.allTests('failed')])
  const broken = unhandledErrors.length > 0 || testModules.some((module) => module.state() === 'failed')
  // A test that only took too long may have noticed nothing but a busy machine.
  const late = failed.length > 0 && failed.every((test) => /timed out/.test(test.result().errors?.[0]?.message ?? ''))
  const verdict = late ? 'late' : broken ? 'noticed' : 'survived'
  process.send({ verdict, by: failed[0]?.fullName ?? '' })
})
process.on('disconnect', async () => {
  await vitest.close()
  process.exit()
})
