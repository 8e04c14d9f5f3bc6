/**
 * `npm start`: installs what is missing, builds console and server when stale, then runs the server
 * until it is stopped. Where `npm run setup -- --production` has made a release, runs that.
 */
import { join } from 'node:path'
import { become, buildConsole, buildServer, fail, install, ROOT } from './prepare.mjs'
import { currentRelease } from './releases.mjs'

const release = currentRelease()
const node = release ? join(release, 'node_modules/node/bin/node') : install()
if (!release && !buildConsole(node)) fail('The console could not be built: see above.')
if (!release && !buildServer(node)) fail('The server could not be built: see above.')
// What Node made of the code the last time: a third of a start would be compiling it again.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, '.cache/compiled')
become(node, [join(release ?? ROOT, 'apps/server/dist/main.js'), ...process.argv.slice(2)])
