/**
 * `npm run setup`: installs the packages, builds console and server, and starts nothing. With
 * `--production`, for services whose account may not write here: makes a release beside the one that
 * runs, without the packages that only building and testing need, and switches to it; `--back`
 * switches to the one before. With `--here` as well the release is this folder itself, as in an
 * image: nothing may run from it meanwhile.
 */
import { buildConsole, buildServer, fail, install, installForRunning } from './prepare.mjs'
import { goBack, makeRelease } from './releases.mjs'

const has = (word) => process.argv.includes(word)

if (has('--back')) goBack()
else if (has('--production') && !has('--here')) makeRelease()
else {
  const node = install()
  if (!buildConsole(node)) fail('The console could not be built: see above.')
  if (!buildServer(node)) fail('The server could not be built: see above.')
  if (has('--production')) installForRunning()
}
