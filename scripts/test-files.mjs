import { globSync } from 'node:fs'
import { ROOT } from './prepare.mjs'

const FILES = [
  'scripts/*.test.mjs',
  'packages/{contract,client,cli}/src/**/*.test.ts',
  'apps/server/{src,test}/**/*.test.ts',
  'apps/console/src/**/*.test.{ts,tsx}',
  'e2e/*.spec.ts',
  'e2e/security/*.spec.ts',
  'e2e/cluster/*.test.ts',
]

/** The test files, from the root on, that have one of these words in their path; without words all. */
export function testFiles(words = []) {
  const all = globSync(FILES, { cwd: ROOT }).sort()
  return words.length ? all.filter((file) => words.some((word) => file.includes(word))) : all
}
