import { afterEach, expect, test } from 'vitest'
import { isFromRight, isolated, listed } from './bidi.ts'
import { setCatalog, t } from './i18n.ts'

afterEach(() => setCatalog({}))

const SARA = 'שרה-1'
const AHMED = 'أحمد'

test('a name that is read from the right does not turn the sentence around it, in either language', () => {
  const values = { name: SARA, count: 3 }
  expect(t('{{name}} 12:30, {{count|row|rows}}', values)).toBe(`\u2068${SARA}\u2069 12:30, 3 rows`)
  setCatalog({ 'Delete {{name}}?': '删除 {{name}}？' })
  expect(t('Delete {{name}}?', { name: AHMED })).toBe(`删除 \u2068${AHMED}\u2069？`)
})

test('names in a line keep their order', () => {
  expect(listed([SARA, 'Ann', AHMED])).toBe(`\u2068${SARA}\u2069, Ann, \u2068${AHMED}\u2069`)
})

test('all other names are left as they are', () => {
  for (const name of ['Ann', '李雷', 'Łukasz', 'web-1(10.0.0.1)', 'Ω', '']) {
    expect(isolated(name)).toBe(name)
    expect(isFromRight(name)).toBe(false)
  }
  expect(isolated(7)).toBe(7)
})
