import { expect, test } from 'vitest'
import { firstColumns, fitText, plainText, textWidth } from './plain-text.ts'
import { drawTable, fitWidths } from './table.ts'

test('text of others is on one line and cannot act on the terminal', () => {
  expect(plainText('web\x1b[2J\x1b]0;owned\x07-1\r\n\tspare')).toBe('web[2J]0;owned-1 spare')
  expect(plainText('evil\u202etxt.exe\u0000\u009b1m')).toBe('eviltxt.exe1m')
  expect(plainText('数据库 一号')).toBe('数据库 一号')
})

test('Chinese and emoji take two columns, combining marks none', () => {
  expect([textWidth('web-1'), textWidth('数据库'), textWidth('e\u0301'), textWidth('门😀')]).toEqual([5, 6, 1, 4])
})

test.each([
  ['web-1', 8, 'web-1   '],
  ['web-1', 5, 'web-1'],
  ['web-1.example.com', 8, 'web-1...'],
  ['数据库服务器', 8, '数据库..'],
  ['数据库服务器', 7, '数据.. '],
  ['数据', 4, '数据'],
  ['数据', 2, '. '],
  ['abc', 1, 'a'],
  ['数', 1, ' '],
  ['', 0, ''],
])('%j in %i columns is %j', (text, columns, expected) => {
  const fitted = fitText(text, columns)
  expect(fitted).toBe(expected)
  expect(textWidth(fitted)).toBe(columns)
})

test('a wide character that would stick out is left out, marks stay on their character', () => {
  expect([firstColumns('数据', 3), firstColumns('ae\u0301b', 2), firstColumns('abc', 0)]).toEqual([
    '数',
    'ae\u0301',
    '',
  ])
})

test('narrow columns keep their width, the widest give way', () => {
  expect(fitWidths([2, 40, 15, 60], 200)).toEqual([2, 40, 15, 60])
  expect(fitWidths([2, 40, 15, 60], 71)).toEqual([2, 27, 15, 27])
  expect(fitWidths([2, 40, 15, 60], 3)).toEqual([1, 1, 1, 1])
})

test.each([20, 40, 80, 200])('every line of a table has the same columns and fits into a window of %i', (columns) => {
  const drawn = drawTable(
    ['ID', '主机名', 'IP', '备注'],
    [
      ['1', 'web-1', '10.0.0.1', '北京机房|一层,左侧,第三个机柜'],
      ['2', '数据库服务器-主-01', '2001:db8:85a3::8a2e:370:7334', ''],
      ['3', 'a-host-name-that-is-as-long-as-host-names-may-be.example.com', '10.0.0.3', 'spare'],
    ],
    columns,
  )
  const lines = drawn
    .replaceAll(/\p{Cc}\[\d+m/gu, '')
    .split('\r\n')
    .slice(0, -1)
  expect(lines.length).toBe(5)
  const bars = lines.map((line) =>
    [...line.matchAll(/[|+](?=[ -]|$)/g)].map(({ index }) => textWidth(line.slice(0, index))),
  )
  for (const line of lines) expect(textWidth(line)).toBeLessThan(columns)
  const rule = bars[1] ?? []
  expect(rule.length).toBe(3)
  for (const line of lines)
    for (const bar of rule.slice(0, 2)) expect(textWidth(line.slice(0, columnIndex(line, bar)))).toBe(bar)
})

/** Place in the text where a column begins. */
const columnIndex = (line: string, column: number) => firstColumns(line, column).length
