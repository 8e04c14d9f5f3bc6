import { expect, test } from 'vitest'
import { isStrongEnough } from './password-rules.ts'

const RULES = {
  SECURITY_PASSWORD_MIN_LENGTH: 6,
  SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH: 8,
  SECURITY_PASSWORD_UPPER_CASE: false,
  SECURITY_PASSWORD_LOWER_CASE: false,
  SECURITY_PASSWORD_NUMBER: false,
  SECURITY_PASSWORD_SPECIAL_CHAR: false,
}
type Settings = Parameters<typeof isStrongEnough>[1]

const passes = (password: string, rules: Partial<Record<keyof typeof RULES, boolean>> = {}, admin = false) => {
  const settings = { ...RULES, ...rules } as Record<string, unknown>
  return isStrongEnough(password, { get: ((name: string) => settings[name]) as Settings['get'] }, admin)
}

test('[A5.04] a password has its length in letters, which for administrators is another', () => {
  expect([passes('abcde'), passes('abcdef')]).toEqual([false, true])
  expect([passes('abcdefg', {}, true), passes('abcdefgh', {}, true)]).toEqual([false, true])
  // A letter outside of the first plane is one.
  expect([passes('abc𝒳𝒳'), passes('abcd𝒳𝒳')]).toEqual([false, true])
})

test('[A5.04] a password begins with a letter, digit or special character that every keyboard has', () => {
  for (const first of ['a', 'Z', '0', '~', '[', '-', '?'])
    expect([first, passes(`${first}bcdef`)]).toEqual([first, true])
  for (const first of [' ', '密', 'é']) expect([first, passes(`${first}bcdefgh`)]).toEqual([first, false])
})

test.each([
  ['SECURITY_PASSWORD_UPPER_CASE', 'abc-12', 'Abc-12'],
  ['SECURITY_PASSWORD_LOWER_CASE', 'ABC-12', 'ABc-12'],
  ['SECURITY_PASSWORD_NUMBER', 'abc-de', 'abc-d1'],
  ['SECURITY_PASSWORD_SPECIAL_CHAR', 'abcd12', 'abcd1_'],
] as const)('[A5.04] only with %s %s lacks what %s has', (rule, lacking, having) => {
  expect(passes(lacking)).toBe(true)
  expect([passes(lacking, { [rule]: true }), passes(having, { [rule]: true })]).toEqual([false, true])
})
