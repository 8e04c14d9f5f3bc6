import { expect, test } from 'vitest'
import { areSymbolsAllowed, DEFAULT_SYMBOLS, generatePassword } from './generate-password.ts'
import { policyRefusal } from './password-policy.ts'

test('[A3.25] a generated password has its length and every class, of the allowed characters alone, and none twice', () => {
  for (const [length, symbols] of [
    [6, undefined],
    [30, undefined],
    [6, '#-'],
    [12, ''],
  ] as const) {
    const passwords = Array.from({ length: 300 }, () =>
      generatePassword({ length, ...(symbols === undefined ? {} : { symbols }) }),
    )
    const special = symbols ?? DEFAULT_SYMBOLS
    for (const password of passwords) {
      expect(password).toHaveLength(length)
      for (const kind of [/[a-z]/, /[A-Z]/, /\d/]) expect(password).toMatch(kind)
      const others = [...password.replace(/[a-zA-Z\d]/g, '')]
      expect([others.length > 0, others.every((one) => special.includes(one))]).toEqual([special !== '', true])
      expect(password).not.toMatch(/^[-#]/)
    }
    expect(new Set(passwords).size).toBe(passwords.length)
  }
})

test('what ends a quoted text, expands or separates is no special character of passwords', () => {
  expect(areSymbolsAllowed(DEFAULT_SYMBOLS)).toBe(true)
  for (const one of `'"\`\\$% \t\n{}é0a`) expect([one, areSymbolsAllowed(one)]).toEqual([one, false])
})

test('the demands of a machine on passwords are reported in its own words, where it asks that of root', () => {
  const refusal = (password: string, ...lines: string[]) =>
    policyRefusal(password, ['', 'minlen', ...lines, 'enforce_for_root'].join('\n'))
  expect(policyRefusal('x', 'minlen = 12')).toBe('')
  expect([refusal('eight-88', 'minlen = 8'), refusal('seven-7', 'minlen = 8')]).toEqual(['', 'minlen = 8'])
  expect([policyRefusal('eight-88', 'enforce_for_root'), policyRefusal('seven-7', 'enforce_for_root')]).toEqual([
    '',
    'minlen = 8',
  ])
  expect([refusal('six-66', 'minlen=4'), refusal('five5', 'minlen=4')]).toEqual(['', 'minlen = 4'])
  expect([refusal('lower-and-8', 'minclass = 3'), refusal('lower-only', 'minclass = 3')]).toEqual(['', 'minclass = 3'])
  expect([refusal('two-22-digits', 'dcredit = -2'), refusal('one-2-digits', 'dcredit = -2')]).toEqual([
    '',
    'dcredit = -2',
  ])
  expect([refusal('Upper-case', 'ucredit = -1'), refusal('lower-case', 'ucredit = -1')]).toEqual(['', 'ucredit = -1'])
  expect(refusal('lower-case', 'ucredit = 1', 'ocredit = 0')).toBe('')
})
