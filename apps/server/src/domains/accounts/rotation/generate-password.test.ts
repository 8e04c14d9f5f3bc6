import { expect, test } from 'vitest'
import { areSymbolsAllowed, DEFAULT_SYMBOLS, generatePassword } from './generate-password.ts'

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
