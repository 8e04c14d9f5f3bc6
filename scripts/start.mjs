/** `npm start`: installs what is missing, builds the console when stale, then runs the server until it is told to stop. */
import { join } from 'node:path'
import { become, buildConsole, install, ROOT } from './prepare.mjs'

const node = install()
buildConsole(node)
become(node, [join(ROOT, 'apps/server/src/main.ts'), ...process.argv.slice(2)])
