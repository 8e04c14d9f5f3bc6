import { expect, test } from 'vitest'
import { importsOf, refusal } from './check-imports.mjs'

test('every way to name a module is seen, and comments are not', () => {
  const text = `
    import type { A } from './a.ts'
    import {
      b,
    } from './b.ts'
    import './c.css'
    export * from './d.ts'
    // import './no.ts'
    /* import './no.ts' */
    const page = () => import('./e.tsx')
  `
  expect(importsOf(text)).toEqual(['./a.ts', './b.ts', './c.css', './d.ts', './e.tsx'])
})

const server = 'apps/server/src'

test.each([
  ['apps/console/src/app/menu.ts', '@sallyport/contract/actions.ts'],
  ['apps/console/src/app/menu.ts', 'react'],
  ['packages/contract/src/socket/line.ts', 'zod/mini'],
  [`${server}/domains/perms/grant.ts`, '../../kernel/kernel.ts'],
  [`${server}/domains/perms/grant.ts`, '../assets/index.ts'],
  [`${server}/domains/perms/grant.ts`, '../assets/networks/index.ts'],
  [`${server}/domains/perms/grant.ts`, './tables.ts'],
  [`${server}/gateway/gateway.ts`, '../domains/assets/index.ts'],
  [`${server}/config.ts`, './kernel/config.ts'],
  [`${server}/server.ts`, './domains/index.ts'],
])('%s may import %s', (from, specifier) => {
  expect(refusal(from, specifier)).toBeUndefined()
})

test.each([
  ['packages/contract/src/define.ts', 'zod'],
  ['packages/contract/src/define.ts', 'zod/mini'],
  ['packages/contract/src/socket/line.ts', 'zod'],
  ['apps/console/src/app/menu.ts', '@sallyport/server/src/server.ts'],
  ['apps/console/src/app/menu.ts', '../../../server/src/config.ts'],
  [`${server}/domains/perms/grant.ts`, '../assets/tables.ts'],
  [`${server}/domains/perms/grant.ts`, '../assets/networks/ways.ts'],
  [`${server}/domains/perms/grant.ts`, '../assets/networks/keys/index.ts'],
  [`${server}/domains/perms/grant.ts`, '../../gateway/gateway.ts'],
  [`${server}/gateway/gateway.ts`, '../domains/assets/tables.ts'],
  [`${server}/gateway/session/live-session.ts`, '../kinds/terminal/streams.ts'],
  [`${server}/kernel/kernel.ts`, '../domains/assets/index.ts'],
  [`${server}/kernel/kernel.ts`, '../server.ts'],
  [`${server}/kernel/kernel.ts`, '../config.ts'],
])('%s may not import %s', (from, specifier) => {
  expect(refusal(from, specifier)).toEqual(expect.any(String))
})
