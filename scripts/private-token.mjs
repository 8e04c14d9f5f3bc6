/**
 * `npm run private-token -- --user robot`: makes a person's private token anew
 * (docs/api-access.md).
 */
import { join } from 'node:path'
import { become, install, ROOT } from './prepare.mjs'

become(install(), [join(ROOT, 'apps/server/src/private-token-command.ts'), ...process.argv.slice(2)])
