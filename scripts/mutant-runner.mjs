/**
 * Runs tests of the server on a copy of the repository, again and again in one process: the
 * database server of the tests starts once. Told by `mutants.mjs` which file changed and which
 * tests are about it; answers whether they noticed.
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

process.on('message', async ({ file, tests }) => {
  vitest.invalidateFile(file)
  const chosen = all.filter(({ moduleId }) => tests.some((test) => moduleId.endsWith(`/${test}`)))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen)
  const failed = unhandledErrors.length > 0 || testModules.some((module) => module.state() === 'failed')
  process.send(failed ? 'noticed' : 'survived')
})
process.on('disconnect', async () => {
  await vitest.close()
  process.exit()
})
