import { expect, test } from 'vitest'
import { generateSshKey } from '../keys/plain-key.ts'
import { FieldReader, field } from '../keys/wire.ts'
import { readCertificate } from './certificate.ts'
import { certifiedKey } from './user-certificate.ts'

const terms = {
  principal: 'alice',
  keyId: 'a test',
  validAfter: new Date(0),
  validBefore: new Date(5000),
  sourceAddresses: ['10.0.0.0/8'],
  extensions: ['permit-pty'],
}
const authority = generateSshKey()
const made = () => certifiedKey(authority.privateKey, terms).certificate

test('a certificate is read whole, with the key that has signed it', () => {
  const read = readCertificate(made())
  expect(read).toMatchObject({ kind: 'user', keyId: 'a test', principals: ['alice'], validAfter: 0n, validBefore: 5n })
  expect(read?.authority.toString('base64')).toBe(authority.publicKey.split(' ')[1])
  expect([...(read?.criticalOptions.keys() ?? [])]).toEqual(['source-address'])
})

test('one that is cut off, longer or changed is none', () => {
  const whole = made()
  for (let length = 0; length < whole.length; length++)
    expect(readCertificate(whole.subarray(0, length))).toBeUndefined()
  expect(readCertificate(Buffer.concat([whole, Buffer.from([0])]))).toBeUndefined()
  for (let place = 0; place < whole.length; place++) {
    const changed = Buffer.from(whole)
    changed[place] = (changed[place] ?? 0) ^ 1
    expect(readCertificate(changed)).toBeUndefined()
  }
})

test('a certificate in the place of the key that signs is refused', () => {
  const whole = made()
  const reader = new FieldReader(whole)
  for (const _part of ['type', 'nonce', 'key']) reader.bytes()
  reader.raw(12)
  for (const _part of ['key id', 'principals']) reader.bytes()
  reader.raw(16)
  for (const _part of ['critical options', 'extensions', 'reserved', 'authority']) reader.bytes()
  const signature = field(Buffer.from(reader.bytes()))
  const before = whole.subarray(0, whole.length - signature.length - field(Buffer.alloc(51)).length)
  expect(readCertificate(Buffer.concat([before, field(made()), signature]))).toBeUndefined()
})
