import { pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { hasHash } from './compare.ts'
import { BY_DJANGO } from './django-fixture.ts'
import { hashOfNobody, storedHash } from './stored-hash.ts'

const isPassword = (password: string, text: string) => {
  const stored = storedHash(text)
  return stored !== undefined && hasHash(password, stored.way)
}

test.each(BY_DJANGO)('a password proves itself by the hash that Django made of it: %s', (password, text) => {
  expect(isPassword(password, text)).toBe(true)
  expect(isPassword(`${password} `, text)).toBe(false)
})

test('PBKDF2 with SM3 is one of the ways (made by OpenSSL: no program of others was there to ask)', () => {
  const sum = pbkdf2Sync('Guarded-door-1', 'salt of text', 1000, 32, 'sm3').toString('base64')
  expect(isPassword('Guarded-door-1', `pbkdf2_sm3$1000$salt of text$${sum}`)).toBe(false)
  const without = pbkdf2Sync('Guarded-door-1', 'saltOfText', 1000, 32, 'sm3').toString('base64')
  expect(isPassword('Guarded-door-1', `pbkdf2_sm3$1000$saltOfText$${without}`)).toBe(true)
  expect(isPassword('Guarded-door-2', `pbkdf2_sm3$1000$saltOfText$${without}`)).toBe(false)
})

const [SHA256, , , ARGON2, , BCRYPT] = BY_DJANGO.map(([, text]) => text) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

test('no password matches a text that is unusable, of an unknown way, or that asks for too much work', () => {
  for (const text of [
    '',
    '!LimuY881hnL1qrvdqDhsif11mFmWmswM1eqpAAFf',
    'Guarded-door-1',
    'md5$salt$0a1b',
    'unsalted_md5$0a1b',
    SHA256.replace('$260000$', '$0$'),
    SHA256.replace('$260000$', '$2000001$'),
    SHA256.replace('$260000$', '$99999999999999999999$'),
    SHA256.replace('$260000$', '$-1$'),
    SHA256.replace('$260000$', '$1e3$'),
    SHA256.replace('pbkdf2_sha256', 'pbkdf2_sha1'),
    SHA256.replace('pbkdf2_sha256', 'pbkdf2_sha512'),
    SHA256.slice(0, -8),
    `${SHA256}\n`,
    `x${SHA256}`,
    ARGON2.replace('m=102400', 'm=9999999'),
    ARGON2.replace('m=102400', 'm=262145'),
    ARGON2.replace('m=102400', 'm=7'),
    ARGON2.replace('t=2', 't=999'),
    ARGON2.replace('p=8', 'p=0'),
    ARGON2.replace('argon2id', 'argon2x'),
    BCRYPT.replace('$12$', '$31$'),
    BCRYPT.replace('$12$', '$15$'),
    BCRYPT.slice(0, -1),
    BCRYPT.replace('bcrypt_sha256$', ''),
    `pbkdf2_sha256$1000$${'s'.repeat(1_000_000)}$x`,
    '$'.repeat(1_000_000),
  ])
    expect([text.slice(0, 60), storedHash(text)]).toEqual([text.slice(0, 60), undefined])
})

test('a hash of nobody costs what its kind costs, and no password has it', () => {
  for (const text of [
    SHA256,
    ARGON2,
    BCRYPT.replace('$12$', '$04$'),
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$YWJjZGVmZ2hpamtsbW4',
  ]) {
    const { kind = '' } = storedHash(text) ?? {}
    const nobody = hashOfNobody(kind)
    expect(nobody).toMatchObject({ kind })
    expect(nobody && hasHash('Guarded-door-1', nobody.way)).toBe(false)
  }
  expect(hashOfNobody('pbkdf2_sha256$9999999$')).toBeUndefined()
  expect(hashOfNobody('anything')).toBeUndefined()
})
