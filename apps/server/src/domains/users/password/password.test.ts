import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { hasHash } from './hashes/compare.ts'
import { storedHash } from './hashes/stored-hash.ts'
import { hashCheaply, hashPassword } from './password.ts'

// Files of one worker share their modules.
afterAll(() => hashCheaply())

test('a password is hashed with argon2id at the minimum that OWASP asks for', async () => {
  hashCheaply(false)
  const stored = await hashPassword('Guarded-door-1')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const way = storedHash(stored)?.way
  expect(way && hasHash('Guarded-door-1', way)).toBe(true)
  expect(way && hasHash('Guarded-door-2', way)).toBe(false)
})

test('the cost is that from the start, and nothing in the product lowers it', async () => {
  // Under another address it is loaded again, as by a process that starts.
  const address = './password.ts?loaded-again'
  const fresh: typeof import('./password.ts') = await import(address)
  expect(await fresh.hashPassword('Guarded-door-1')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const source = fileURLToPath(new URL('../../../', import.meta.url))
  const naming = globSync('**/*.ts', { cwd: source }).filter((file) =>
    readFileSync(`${source}${file}`, 'utf8').includes('hashCheaply'),
  )
  expect(naming.filter((file) => !file.endsWith('.test.ts'))).toEqual(['domains/users/password/password.ts'])
})
