import { expect, test } from 'vitest'
import { KeyRing } from './key-ring.ts'
import { newKey } from './secret-key.ts'
import { createSecrets } from './secrets.ts'

test('a sealed value differs at every call, carries the id of its key and opens again', () => {
  const key = newKey()
  const secrets = createSecrets(new KeyRing([key]))
  const [one, other] = [secrets.seal('hunter2 密码'), secrets.seal('hunter2 密码')]
  expect(one).not.toEqual(other)
  expect(one.subarray(1, 9).toString('hex')).toBe(key.id)
  expect(secrets.open(one)).toBe('hunter2 密码')
  expect(secrets.open(secrets.seal(''))).toBe('')
})

test('a value opens whichever key of the ring seals now, and not without its key', () => {
  const [first, second] = [newKey(), newKey()]
  const ring = new KeyRing([first])
  const secrets = createSecrets(ring)
  const earlier = secrets.seal('earlier')
  ring.add([second])
  ring.sealUnder(second.id)
  const later = secrets.seal('later')
  expect([secrets.open(earlier), secrets.open(later)]).toEqual(['earlier', 'later'])
  expect(() => createSecrets(new KeyRing([first])).open(later)).toThrow(
    `a key that this process does not hold (${second.id})`,
  )
  expect(() => ring.sealUnder(newKey().id)).toThrow('does not hold')
})

test('a value that was changed anywhere, its header too, does not open', () => {
  const [key, other] = [newKey(), newKey()]
  const secrets = createSecrets(new KeyRing([key, other]))
  const sealed = secrets.seal('secret')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => secrets.open(changed), `byte ${at}`).toThrow()
  }
  // Another version around the same body is no way past the tag either.
  expect(() => secrets.open(Buffer.concat([Buffer.of(1), sealed.subarray(9)]))).toThrow()
  expect(() => secrets.open(sealed.subarray(0, 20))).toThrow()
  expect(() => secrets.open(Buffer.alloc(0))).toThrow()
})

test('a fingerprint is still known after the key has changed', () => {
  const [first, second] = [newKey(), newKey()]
  const ring = new KeyRing([first, second])
  const secrets = createSecrets(ring)
  const before = secrets.fingerprint('123456')
  ring.sealUnder(second.id)
  expect(secrets.fingerprint('123456')).not.toEqual(before)
  expect(secrets.fingerprints('123456')).toEqual([secrets.fingerprint('123456'), before])
})
