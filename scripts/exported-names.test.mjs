import { expect, test } from 'vitest'
import { exportedNames, wideEntries } from './exported-names.mjs'

test('every way to export a name is counted, and comments are not', () => {
  const text = `
import { a } from './a.ts'
/* export { no } from './no.ts' */
export { b, type C, d as e } from './b.ts'
export type { F } from './f.ts'
export {
  g,
  h,
} from './g.ts'
// export const no = 1
export const i = 1
export async function j() {}
export interface K {}
export type L = K
export class M {}
const n = a
export { n }
`
  expect(exportedNames(text)).toEqual(['b', 'C', 'e', 'F', 'g', 'h', 'n', 'i', 'j', 'K', 'L', 'M'])
})

const names = (count) => Array.from({ length: count }, (_, index) => `name${index}`).join(', ')
const entry = (count, path = 'apps/server/src/domains/a/index.ts') => ({
  path,
  text: `export { ${names(count)} } from './b.ts'`,
})

test('the index.ts of a folder exports 40 names at most; other files may export more', () => {
  expect(wideEntries([entry(40), entry(41, 'apps/server/src/domains/a/tables.ts')])).toEqual([])
  expect(wideEntries([entry(41)])).toEqual([expect.stringContaining('a/index.ts exports 41 names: 40 at most')])
})

test('an index.ts names what it exports', () => {
  const path = 'apps/console/src/a/index.ts'
  expect(wideEntries([{ path, text: "export * from './b.ts'" }])).toEqual([expect.stringContaining('everything')])
})
