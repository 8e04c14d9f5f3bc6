/**
 * `npm run rotate-key`: takes a new key of the secrets into use while the nodes run
 * (docs/operate-keys.md).
 */
import { join } from 'node:path'
import { become, install, ROOT } from './prepare.mjs'

become(install(), [join(ROOT, 'apps/server/src/rotate-key-command.ts'), ...process.argv.slice(2)])
