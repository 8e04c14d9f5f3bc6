import { createCipheriv, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkKeys } from './check-keys.ts'
import { openSecret, openSecretJson } from './open-secret.ts'
import { secretKeys } from './secret-keys.ts'

/*
 * Texts computed with Node's and OpenSSL's ciphers from the published format, under three keys:
 * longer than 32 bytes, shorter than 32, shorter than 16. None is from a running JumpServer.
 */
const LONG = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN'
const MIDDLE = 'short-key-20-bytes!!'
const SHORT = 'tiny'
const HEAD = 'AAECAwQFBgcICQoLDA0ODw==EBESExQVFhcYGRobHB0eHw=='

const FORMS = [
  ['aes-gcm', LONG, `${HEAD}7ceM7C/4nyyOs6Kq9qvjGg==JI8KzqfTs/lb`, 'Passw0rd!'],
  ['aes-gcm', LONG, `${HEAD}+EQA4OuO3Qy4SiXZEX17gg==Pqwq6onQhc0/WCckBFc8aA==`, 'JBSWY3DPEHPK3PXP'],
  ['aes-gcm', LONG, `${HEAD}lnhklJws59ITJbdjk7gAQg==Vr4YzqOU8e8eMVU=`, '"Passw0rd!"'],
  ['aes-gcm', MIDDLE, `${HEAD}1k7lkD0Hq7bo+u9l8NkqNg==fEMgrb2W+Q6j`, 'Passw0rd!'],
  ['aes-gcm', SHORT, `${HEAD}zX5gSb3VPA5WEP3BXyZjFA==1crMXA/K9ohE`, 'Passw0rd!'],
  ['aes-ecb', LONG, 'j1r4NtwWjrbpdJjDSK+kSQ==', 'Passw0rd!'],
  ['aes-ecb', LONG, 'ACRulvfvwMcKvCWnqciVrw==', 'Grüße, 世界'],
  ['aes-ecb', MIDDLE, 'S7WKnaAWL0s6Puhc9lPbsA==', 'Passw0rd!'],
  ['aes-ecb', SHORT, 'L92LpzP0zOx1teunAMpZOw==', 'Passw0rd!'],
  ['sm4-ecb', LONG, 'a2fH9HS-J-l-iNh8UpvJQA==', 'Passw0rd!'],
  ['sm4-ecb', SHORT, 'NM95yhTiYzDCh6RUHtnccQ==', 'Passw0rd!'],
  ['sm4-ecb', SHORT, 'pIKbMGu1y3vUyBgeZvKrug==', 'Passw0rd!'],
  ['signer', LONG, 'eyJhbGciOiJIUzI1NiJ9.IlBhc3N3MHJkISI.EbVAF15CMwdHTJRohBpVqvzMnfQMWvNKegMJLoAtbEw', 'Passw0rd!'],
  [
    'signer',
    LONG,
    'eyJhbGciOiJIUzI1NiJ9.IlwiUGFzc3cwcmQhXCIi.56GUB17X8ajwT6Hw7-36YVXzpw6fmnlvcQ2X2dn42KU',
    '"Passw0rd!"',
  ],
] as const

test.each(FORMS)('a secret in %s opens under the key %s: %s', (rule, key, sealed, text) => {
  expect(openSecret(sealed, secretKeys([key]))).toEqual({ kind: 'opened', text, rule, key: 0 })
})

test('the same forms open with an older key among several, which is named by its place', () => {
  for (const [rule, key, sealed, text] of FORMS) {
    const keys = secretKeys(['a newer key that sealed none of these', key, 'one that is older still'])
    expect(openSecret(sealed, keys)).toEqual({ kind: 'opened', text, rule, key: 1 })
  }
})

test('under other keys none of them opens, and the reason is given', () => {
  const reasons = FORMS.map(([, , sealed]) =>
    openSecret(sealed, secretKeys(['another key altogether, and a long one'])),
  )
  expect(reasons.map(({ kind, text }) => [kind, text])).toEqual(FORMS.map(() => ['not-opened', '']))
  const expected = { 'aes-gcm': 'another-key', 'aes-ecb': 'no-form', 'sm4-ecb': 'no-form', signer: 'another-signature' }
  expect(reasons.map(({ rule }) => rule)).toEqual(FORMS.map(([rule]) => expected[rule]))
})

const KEYS = secretKeys([LONG])

test('no text is none, an empty one is empty, and so is one that was sealed empty', () => {
  expect(openSecret(null, KEYS)).toEqual({ kind: 'none', text: '', rule: 'none' })
  expect(openSecret('', KEYS)).toEqual({ kind: 'empty', text: '', rule: 'none' })
  const empty = `${HEAD}LUgGghD8pTqqSxt7gowJEA==`
  expect(empty).toHaveLength(72)
  expect(openSecret(empty, KEYS)).toEqual({ kind: 'empty', text: '', rule: 'aes-gcm', key: 0 })
})

test('SM4 of a cipher device is filled with zeros (made here: there is no device to ask)', () => {
  const cipher = createCipheriv('sm4-ecb', Buffer.from(LONG.slice(0, 16)), null).setAutoPadding(false)
  const blocks = Buffer.concat([Buffer.from('Passw0rd!'), Buffer.alloc(7)])
  const sealed = cipher.update(blocks).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  expect(openSecret(sealed, KEYS)).toEqual({ kind: 'opened', text: 'Passw0rd!', rule: 'sm4-device', key: 0 })
})

test('a key that is not ASCII is cut at 32 bytes', () => {
  const key = 'ключ-секретный-длинный'
  const cipher = createCipheriv('aes-256-ecb', Buffer.from(key).subarray(0, 32), null).setAutoPadding(false)
  const sealed = cipher.update(Buffer.concat([Buffer.from('Passw0rd!'), Buffer.alloc(7)])).toString('base64')
  expect(openSecret(sealed, secretKeys([key]))).toMatchObject({ text: 'Passw0rd!', rule: 'aes-ecb' })
})

test('plain text is taken only from columns that once held it, and never a sealed text in its place', () => {
  const plainOnce = { plainOnce: true }
  for (const text of ['13800138000', 'alice@example.org', 'wx:alice', 'a.b.c', '# Passw0rd!'])
    expect([openSecret(text, KEYS, plainOnce), openSecret(text, KEYS).rule]).toEqual([
      { kind: 'opened', text, rule: 'plain' },
      'no-form',
    ])
  for (const [, , sealed] of FORMS)
    expect(openSecret(sealed, secretKeys(['another key altogether, and a long one']), plainOnce).kind).toBe(
      'not-opened',
    )
})

test('a secret that was moved to a vault is reported as such, sealed or in clear', () => {
  const cipher = createCipheriv('aes-256-gcm', LONG.slice(0, 32), Buffer.alloc(16)).setAAD(Buffer.alloc(16))
  const sealed = Buffer.concat([cipher.update('# Secret-has-been-saved-to-vault #'), cipher.final()])
  const parts = [Buffer.alloc(16), Buffer.alloc(16), cipher.getAuthTag(), sealed].map((part) => part.toString('base64'))
  for (const text of [parts.join(''), '# Secret-has-been-saved-to-vault #'])
    expect(openSecret(text, KEYS)).toEqual({ kind: 'not-opened', text: '', rule: 'in-vault' })
})

test('a damaged or lying text opens to nothing', () => {
  const gcm = `${HEAD}7ceM7C/4nyyOs6Kq9qvjGg==JI8KzqfTs/lb`
  for (const text of [
    gcm.slice(0, 71),
    gcm.slice(0, -1),
    `${gcm}A`,
    `${gcm}AAAA`,
    gcm.replace('JI8', 'JJ8'),
    `B${gcm.slice(1)}`,
  ])
    expect(openSecret(text, KEYS)).toMatchObject({ kind: 'not-opened', text: '' })
  const signed = (header: object, payload: string) => {
    const parts = [JSON.stringify(header), payload].map((part) => Buffer.from(part).toString('base64url'))
    return `${parts.join('.')}.${createHmac('sha256', LONG).update(parts.join('.')).digest('base64url')}`
  }
  expect(openSecret(signed({ alg: 'HS256' }, '"yes"'), KEYS).text).toBe('yes')
  expect(openSecret(signed({ alg: 'HS256', exp: 2_000_000_000 }, '"yes"'), KEYS).rule).toBe('timed-token')
  expect(openSecret(signed({ alg: 'none' }, '"yes"'), KEYS).kind).toBe('not-opened')
  expect(openSecret(signed({ alg: 'HS256' }, '"not JSON'), KEYS).kind).toBe('not-opened')
  expect(openSecret(`${signed({ alg: 'HS256' }, '"yes"')}.more`, KEYS).kind).toBe('not-opened')
})

test('a huge text ends in a reason, whatever its form', () => {
  const huge = 4_000_000
  for (const text of ['A'.repeat(huge), `${HEAD}${'A'.repeat(huge)}`, '.'.repeat(huge), '\0'.repeat(huge)])
    expect(openSecret(text, KEYS, { plainOnce: true })).toEqual({ kind: 'not-opened', text: '', rule: 'too-long' })
  // Up to the limit a form is tried. A private key of 100,000 letters opens.
  const cipher = createCipheriv('aes-256-gcm', LONG.slice(0, 32), Buffer.alloc(16)).setAAD(Buffer.alloc(16))
  const sealed = Buffer.concat([cipher.update('k'.repeat(100_000)), cipher.final()])
  const parts = [Buffer.alloc(16), Buffer.alloc(16), cipher.getAuthTag(), sealed].map((part) => part.toString('base64'))
  expect(openSecret(parts.join(''), KEYS).text).toHaveLength(100_000)
})

test('encrypted JSON is unpacked; nothing, a damaged one and one that is no object are {}', () => {
  const meta = `${HEAD}jRolP+VNqdA59LPpVgid/w==D8w76JOohMlYKldNRWIHGhQ+XaCgPnXBWX/o+d5DEqbFqT7O8R+c3ba6KXIOaBNUKUO/n9VPuqXs`
  expect(openSecretJson(meta, KEYS).value).toEqual({ BUCKET: 'rec', ACCESS_KEY: 'AK', SECRET_KEY: 'SK' })
  for (const text of [null, '', meta.replace('jRol', 'jRom'), FORMS[0][2], FORMS[2][2]])
    expect(openSecretJson(text, KEYS).value).toEqual({})
  expect(openSecretJson(meta.replace('jRol', 'jRom'), KEYS).secret.rule).toBe('another-key')
})

test('wrong keys are known from a sample, and a key that opens nothing is counted as such', () => {
  const gcm = FORMS.filter(([rule, key]) => rule === 'aes-gcm' && key === LONG).map(([, , sealed]) => sealed)
  expect(checkKeys([null, '', ...gcm, 'plain'], secretKeys(['unused', LONG]))).toEqual({
    verdict: 'right',
    sealed: 3,
    opened: 3,
    openedBy: [0, 3],
  })
  expect(checkKeys(gcm, secretKeys([SHORT]))).toMatchObject({ verdict: 'wrong', sealed: 3, opened: 0 })
  // One older text among others does not make a key wrong. A right key of blocks cannot be proven.
  expect(checkKeys([...gcm, FORMS[4][2]], KEYS)).toMatchObject({ verdict: 'right', sealed: 4, opened: 3 })
  expect(checkKeys([FORMS[5][2]], KEYS)).toMatchObject({ verdict: 'unproven', sealed: 1, opened: 1 })
  expect(checkKeys([FORMS[5][2]], secretKeys([SHORT]))).toMatchObject({ verdict: 'wrong', sealed: 1, opened: 0 })
  expect(checkKeys([FORMS[12][2]], secretKeys([SHORT])).verdict).toBe('wrong')
  expect(checkKeys(['plain', null], KEYS)).toMatchObject({ verdict: 'unproven', sealed: 0 })
  // Blocks that open by chance do not speak for a key that opens no text of AES-GCM.
  expect(checkKeys([FORMS[8][2], ...gcm], secretKeys([SHORT])).verdict).toBe('wrong')
})
