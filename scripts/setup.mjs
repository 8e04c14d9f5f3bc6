/**
 * `npm run setup`: installs the packages and builds the console, and starts nothing: for services
 * and images, whose account may not write here. With `--production` the packages that only building
 * and testing need are taken away again.
 */
import { buildConsole, fail, install, installForRunning } from './prepare.mjs'

if (!buildConsole(install())) fail('The console could not be built: see above.')
if (process.argv.includes('--production')) installForRunning()
