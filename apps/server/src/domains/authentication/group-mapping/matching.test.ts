import { expect, test } from 'vitest'
import { keyOfDn, parseDn } from './dn.ts'
import { fitsText, givingBy, type Rule } from './matching.ts'

const rule = (changes: Partial<Rule>): Rule => ({
  id: changes.name ?? '',
  name: '',
  org_id: 'here',
  match: 'exact',
  value: '',
  mode: 'go_on',
  org_role: 'none',
  system_role: 'User',
  groups: [changes.name ?? ''],
  ...changes,
})
/** Names of the rules that count for somebody in these groups. */
const counting = (rules: Partial<Rule>[], groups: string[], isDirectory = true) =>
  givingBy(rules.map(rule), isDirectory)(groups).groups.map(({ group }) => group)

test('a name of the directory is the same in any case, with any spaces and escapes', () => {
  for (const written of [
    'cn=Ops\\2c EU,ou=Groups,dc=example,dc=org',
    'CN=ops\\, eu , OU=groups, DC=example,dc=ORG',
    'cn=ops\\,  EU,ou=groups,dc=example,dc=org',
    'cn=\\4Fps\\, EU,ou=groups,dc=example,dc=org',
  ])
    expect([written, keyOfDn(written)]).toEqual([written, keyOfDn('cn=ops\\, eu,ou=groups,dc=example,dc=org')])
  expect(keyOfDn('cn=a+ou=b,dc=x')).toBe(keyOfDn('OU=B + CN=A, dc=x'))
  expect(keyOfDn('cn=Ö,dc=x')).toBe(keyOfDn('cn=\\c3\\b6,dc=x'))
})

test('names that only look alike are others', () => {
  const name = keyOfDn('cn=ops\\, eu,ou=groups,dc=example,dc=org')
  for (const other of [
    // The comma parts two names here.
    'cn=ops,eu=x,ou=groups,dc=example,dc=org',
    'cn=ops,ou=eu,ou=groups,dc=example,dc=org',
    'cn=ops\\,eu,ou=groups,dc=example,dc=org',
    'cn=ops\\, eu,ou=groups,dc=example,dc=org,dc=evil',
    'cn=ops\\, eu\\,ou=groups,dc=example,dc=org',
  ])
    expect([other, keyOfDn(other)]).not.toEqual([other, name])
  for (const none of [
    '',
    'admins',
    'cn',
    '=x',
    'cn=a,',
    ',cn=a',
    'cn=a;dc=x',
    'cn="a",dc=x',
    'cn=a\\',
    'cn=#zz',
    'cn=a,,dc=x',
  ])
    expect([none, parseDn(none)]).toEqual([none, undefined])
})

test('a group whose name begins as that of a rule, or lies elsewhere by an escaped comma, is not meant', () => {
  const rules = [
    { name: 'adm', value: 'cn=adm,ou=groups,dc=x' },
    { name: 'below', match: 'subtree' as const, value: 'ou=groups,dc=x' },
    { name: 'pattern', match: 'pattern' as const, value: 'cn=adm*,ou=groups,dc=x' },
  ]
  expect(counting(rules, ['CN=Adm,OU=Groups,DC=X'])).toEqual(['adm', 'below', 'pattern'])
  expect(counting(rules, ['cn=admins,ou=groups,dc=x'])).toEqual(['below', 'pattern'])
  for (const other of [
    'cn=adm\\,ou=groups,dc=x',
    'cn=adm\\,ou\\=groups\\,dc\\=x,dc=evil',
    'cn=adm,ou=groups,dc=x,dc=evil',
    'cn=adm,ou=more groups,dc=x',
    'ou=groups,dc=xx',
    'adm',
  ])
    expect([other, counting(rules, [other])]).toEqual([other, []])
  // A star stays in its part: nobody comes in by a branch of their own.
  expect(counting(rules, ['cn=adm,ou=mine,ou=groups,dc=x'])).toEqual(['below'])
})

test('names of other sources are compared letter by letter', () => {
  const rules = [
    { name: 'admins', value: 'admins' },
    { name: 'team', match: 'pattern' as const, value: 'team-*-eu' },
    { name: 'below', match: 'subtree' as const, value: 'ou=groups,dc=x' },
  ]
  expect(counting(rules, ['Admins', 'admin', ' admins', 'team-eu', 'team-x-eu2'], false)).toEqual([])
  expect(counting(rules, ['admins', 'team-a-eu', 'cn=a,OU=Groups, dc=x'], false)).toEqual(['admins', 'team', 'below'])
})

test('a pattern takes time by the lengths alone', () => {
  expect(fitsText('a*b*c', 'a--b--c')).toBe(true)
  expect(fitsText('a*b*c', 'acb')).toBe(false)
  expect(fitsText('ab*ba', 'aba')).toBe(false)
  expect(fitsText(`${'a*'.repeat(300)}b`, 'a'.repeat(1024))).toBe(false)
})

test('several rules count together, or the first alone, or an else where none did; each organization by itself', () => {
  const rules: Partial<Rule>[] = [
    { name: 'first', value: 'cn=a,dc=x' },
    { name: 'last', value: 'cn=b,dc=x', mode: 'stop' },
    { name: 'after', value: 'cn=a,dc=x' },
    { name: 'else', match: 'everybody', mode: 'else' },
    { name: 'there', match: 'everybody', mode: 'else', org_id: 'there' },
  ]
  expect(counting(rules, ['cn=a,dc=x'])).toEqual(['first', 'after', 'there'])
  expect(counting(rules, ['cn=a,dc=x', 'cn=b,dc=x'])).toEqual(['first', 'last', 'there'])
  expect(counting(rules, [])).toEqual(['else', 'there'])
})

test('the highest of the system roles counts, and none that no rule names', () => {
  const give = givingBy(
    [
      rule({ name: 'audit', value: 'cn=a,dc=x', system_role: 'Auditor' }),
      rule({ name: 'admin', value: 'cn=b,dc=x', system_role: 'Admin' }),
    ],
    true,
  )
  expect(give(['cn=a,dc=x', 'cn=b,dc=x']).system_role).toBe('Admin')
  expect(give(['cn=a,dc=x']).system_role).toBe('Auditor')
  for (const words of ['Admin', 'cn=Admin', 'System administrator', 'superuser'])
    expect([words, give([words]).system_role]).toEqual([words, 'User'])
})
