/** `npm run license -- --corporation "…" --days 365`: issues a licence (docs/license.md). */
import { join } from 'node:path'
import { become, install, ROOT } from './prepare.mjs'

become(install(), [join(ROOT, 'apps/server/src/license-command.ts'), ...process.argv.slice(2)])
