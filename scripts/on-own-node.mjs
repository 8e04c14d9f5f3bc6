/**
 * `node scripts/on-own-node.mjs <script> [word …]`: installs the packages when they are missing, and
 * runs a script of this folder on the Node that came with them: the machine's may be an older one.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { install, ROOT } from './prepare.mjs'

const [script, ...words] = process.argv.slice(2)
const { status } = spawnSync(install(), [join(ROOT, 'scripts', `${script}.mjs`), ...words], { stdio: 'inherit' })
process.exitCode = status ?? 1
