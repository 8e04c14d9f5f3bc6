import { stripTypeScriptTypes } from 'node:module'
import { afterEach, expect, test } from 'vitest'
import { instrument } from './mutants/instrument.mjs'
import { mutantsOf } from './mutants/mutations.mjs'

afterEach(() => {
  globalThis.isMutant = undefined
})

/** What `f` of the source answers without a change, and with each that is found in it. */
function answers(source, call) {
  const mutants = mutantsOf(source)
  const code = stripTypeScriptTypes(instrument(source, mutants, (mutant) => mutants.indexOf(mutant)))
  const f = new Function(`${code}\nreturn f`)()
  const changed = mutants.map((_, number) => {
    globalThis.isMutant = (asked) => asked === number
    return call(f)
  })
  globalThis.isMutant = undefined
  return { unchanged: call(f), changed }
}

test('each change is switched on by itself, also inside of another', () => {
  const source = 'function f(age: number, isGuest: boolean) { return age >= 18 && isGuest === false }'
  expect(answers(source, (f) => [f(18, false), f(18, true), f(17, false)])).toEqual({
    unchanged: [true, false, false],
    changed: [
      [true, true, true], // ||
      [false, false, false], // >
      [false, false, false], // 19
      [false, true, false], // !==
      [false, true, false], // true
    ],
  })
})

test('conditions of SQL change one by one, with the values between them', () => {
  const sql = '(strings, ...values) => String.raw(strings, ...values)'
  const source = `const sql = ${sql}\nconst f = (id: string) => sql\`a = \${id} AND b IS NULL\``
  expect(answers(source, (f) => f('7'))).toEqual({
    unchanged: 'a = 7 AND b IS NULL',
    changed: ['a = 7 OR b IS NULL', 'a = 7 AND b IS NOT NULL'],
  })
})

test('a moment is met by no test to the millisecond, so what compares with the clock turns round; large numbers double', () => {
  const found = (source) => mutantsOf(source).map(({ to }) => to)
  expect(found('const isOver = (until: number) => Date.now() > until')).toEqual(['<='])
  expect(found('const isMany = (count: number) => count > 5')).toEqual(['>=', '6'])
  expect(found('const DAY_MS = 86_400_000')).toEqual(['172800000'])
  expect(found('const GRACE_SECONDS = 300')).toEqual(['600'])
  expect(found('const MAX_KEYS = 10')).toEqual(['11'])
  expect(found('const open = sql`date_expired > now() AND failures > 5`')).toEqual(['OR', '<=', '>='])
})

test('a change is known by the declaration in which it stands, wherever that has moved', () => {
  const source = 'function f(age: number) { return age > 5 }'
  const texts = (text) => mutantsOf(text).map(({ declaration: { start, end } }) => text.slice(start, end))
  expect(texts(`const first = 1\n\n${source}`)).toContain(source)
})

test('a statement that begins with a change does not call the line before it', () => {
  const source =
    'function f(list: number[]) {\n  const kept = list\n  list.some((n) => kept.push(n * 2)) && 1\n  return kept.length\n}'
  expect(answers(source, (f) => f([1])).unchanged).toBe(2)
})

test('types, words of refusals and bounds of texts are left alone', () => {
  expect(
    mutantsOf("type A = 1 | true\nconst f = (a: A) => z.string().max(128) ?? invalid({ name: a === 1 ? 'x' : 'y' })"),
  ).toEqual([])
})
