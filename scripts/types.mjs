/** How the types of all projects of `tsconfig.json` are checked. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, ROOT } from './prepare.mjs'

/** Checked together, by `check-server.mjs`: what one imports is the other. */
const OF_SERVER = ['apps/server', 'e2e']

/**
 * Parameters of Node for the types of the others: as many at a time as TypeScript would by itself take
 * twice the memory, and no less time on two processors.
 */
export function checkOfOtherTypes() {
  const { references } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'))
  const paths = references.map(({ path }) => path).filter((path) => !OF_SERVER.includes(path))
  return [findProgram('tsc'), '-b', '--checkers', '1', '--builders', '2', ...paths]
}
