import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { newPrivateKey } from './new-key.ts'

test('a new key can always be read', () => {
  // One in 250 could not: a thousand would hold four.
  for (let n = 0; n < 1000; n++) expect(ssh2.utils.parseKey(newPrivateKey())).not.toBeInstanceOf(Error)
})
