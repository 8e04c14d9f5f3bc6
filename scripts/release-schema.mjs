/**
 * `npm run release-schema -- [name]`: keeps today's schema with the demo's data for the test of
 * upgrades (CONTRIBUTING.md).
 */
import { join } from 'node:path'
import { become, install, ROOT } from './prepare.mjs'

become(install(), [join(ROOT, 'apps/server/test/releases/write-release.ts'), ...process.argv.slice(2)])
