import type { WorkbenchEvent } from '@sallyport/contract/socket/workbench.ts'
import { expect, test } from 'vitest'
import { isFull, type ResultView, shownOf, WINDOW_ROWS } from '../grid/result-view.ts'
import { columnWidth, readValue, shownRows, withLineEnds } from '../grid/rows-shown.ts'
import { addedStatement } from './added-statement.ts'
import {
  type Answers,
  answersAfter,
  asked,
  askedAgain,
  begun,
  heldResult,
  movedOn,
  movedTo,
  NO_ANSWERS,
} from './answers.ts'
import { addToHistory, keepDraft, keptDraft, keptHistory } from './kept-texts.ts'
import { readPlan } from './plan.ts'
import type { SqlDialect } from './sql-dialect.ts'

test('loaded rows are filtered by any value and sorted, numbers by their size, with NULL behind', () => {
  const rows = [
    ['10', 'Anna'],
    ['9', null],
    [null, 'bert'],
    ['100', ['ANNA and']],
  ] as const
  const shown = (filter: string, sorting?: { column: number; isDescending: boolean }, isNumber = false) =>
    shownRows(rows as never, { filter, sorting, isNumber }).map(([first]) => first)
  expect(shown('anna')).toEqual(['10', '100'])
  expect(shown('', { column: 0, isDescending: false }, true)).toEqual(['9', '10', '100', null])
  expect(shown('', { column: 0, isDescending: true }, true)).toEqual(['100', '10', '9', null])
  expect(shown('', { column: 0, isDescending: false })).toEqual(['10', '100', '9', null])
})

test('a value is shown as what it is: JSON indented, bytes as bytes, all else as it stands', () => {
  expect(readValue('{"a":[1]}')).toEqual({ kind: 'json', shown: '{\n  "a": [\n    1\n  ]\n}' })
  expect(readValue('\\x48690a')).toEqual({ kind: 'bytes', shown: `00000000  ${'48 69 0a'.padEnd(47)}  Hi.` })
  expect(readValue('{not json')).toEqual({ kind: 'text', shown: '{not json' })
})

test('indented JSON is the same as in the database: long numbers, zeros at their ends, names that are there twice', () => {
  const text = '{"id":12345678901234567891,"price":1.10,"a":{},"a":[],"s":"x\\"{,:[ y","l":[true, null]}'
  expect(readValue(text).shown.split('\n')).toEqual([
    '{',
    '  "id": 12345678901234567891,',
    '  "price": 1.10,',
    '  "a": {},',
    '  "a": [],',
    '  "s": "x\\"{,:[ y",',
    '  "l": [',
    '    true,',
    '    null',
    '  ]',
    '}',
  ])
  const deep = '['.repeat(1000) + ']'.repeat(1000)
  expect(readValue(deep)).toEqual({ kind: 'text', shown: deep })
})

test('ids of many digits are sorted by all of them', () => {
  const rows = [['1750000000000000003'], ['1750000000000000001'], ['-1750000000000000002']] as const
  const sorting = { column: 0, isDescending: false }
  expect(shownRows(rows, { filter: '', sorting, isNumber: true }).map(([id]) => id)).toEqual([
    '-1750000000000000002',
    '1750000000000000001',
    '1750000000000000003',
  ])
})

test('a column has room for letters that are as wide as two', () => {
  expect(columnWidth('id', [['上海市浦东新区']], 0)).toBe(columnWidth('id', [['x'.repeat(14)]], 0))
  expect(columnWidth('公司名称', [['1']], 0)).toBe(columnWidth('x'.repeat(8), [['1']], 0))
})

test('a value that was written again ends its lines as the one before did throughout', () => {
  const ends = (before: string | null) => withLineEnds('a\nb\r\nc', before)
  expect([ends('x\r\ny'), ends('\r\n')]).toEqual(['a\r\nb\r\nc', 'a\r\nb\r\nc'])
  for (const before of [null, '', 'x', 'x\ny', 'x\r\ny\n', 'x\r\r\ny']) expect(ends(before)).toBe('a\nb\r\nc')
})

test('answers gather by statement and result; news of an earlier run is left out', () => {
  const tell = (now: Answers, ...news: object[]) =>
    news.reduce<Answers>(
      (all, one) => answersAfter(all, { run: 2, statement: 0, result: 1, ...one } as WorkbenchEvent),
      now,
    )
  const first = tell(
    begun(NO_ANSWERS, 2),
    { event: 'statement', text: 'select', from: 0, to: 6 },
    { event: 'columns', columns: [{ name: 'a', isNumber: true }] },
    { event: 'rows', rows: [['1']] },
    { event: 'rows', run: 1, rows: [['old']] },
    { event: 'held' },
  )
  expect(heldResult(first)?.rows).toEqual([['1']])
  expect(heldResult(asked(first))).toBeUndefined()
  const over = tell(
    asked(first),
    { event: 'rows', rows: [['2']] },
    { event: 'done', rows: 2, words: '', isCut: false },
    { event: 'over', milliseconds: 3, isFailed: false },
    { event: 'idle', database: 'shop', transaction: 'open' },
  )
  expect(over).toMatchObject({ isRunning: false, database: 'shop', transaction: 'open' })
  expect(over.statements[0]).toMatchObject({ milliseconds: 3, results: [{ rows: [['1'], ['2']], done: { rows: 2 } }] })
})

test('a result of any length goes through a window of so many rows and characters; a row keeps its number', () => {
  const tell = (now: Answers, ...news: object[]) =>
    news.reduce<Answers>(
      (all, one) => answersAfter(all, { run: 2, statement: 0, result: 1, ...one } as WorkbenchEvent),
      now,
    )
  const begin = tell(
    begun(NO_ANSWERS, 2),
    { event: 'statement', text: 'select', from: 0, to: 6 },
    { event: 'columns', columns: [{ name: 'a', isNumber: true }] },
  )
  const rows = (count: number, text = 'x') => Array.from({ length: count }, () => [text, null])
  const nearly = tell(begin, { event: 'rows', rows: rows(WINDOW_ROWS - 1) }, { event: 'held' })
  expect(isFull(heldResult(nearly) as never)).toBe(false)
  const full = tell(asked(nearly), { event: 'rows', rows: rows(1) }, { event: 'held' })
  expect(isFull(heldResult(full) as never)).toBe(true)
  const wide = tell(begin, { event: 'rows', rows: rows(1024, 'x'.repeat(64 * 1024)) }, { event: 'held' })
  expect(isFull(heldResult(wide) as never)).toBe(true)
  const next = tell(
    asked(movedOn(full)),
    {
      event: 'rows',
      rows: [
        ['1', null],
        ['2', null],
      ],
    },
    { event: 'changed', at: WINDOW_ROWS + 1, column: 1, value: 'new' },
    { event: 'changed', at: 1, column: 1, value: 'gone' },
    { event: 'held' },
  )
  expect(heldResult(next)).toMatchObject({
    before: WINDOW_ROWS,
    rows: [
      ['1', null],
      ['2', 'new'],
    ],
  })
  expect(heldResult(tell(asked(next), { event: 'done', rows: WINDOW_ROWS + 2, isCut: false }))).toBeUndefined()
})

test('where the gateway keeps rows the window moves both ways over what has come, and what comes meanwhile waits behind it', () => {
  const place = { statement: 0, result: 1 }
  const tell = (now: Answers, ...news: object[]) =>
    news.reduce<Answers>((all, one) => answersAfter(all, { run: 2, ...place, ...one } as WorkbenchEvent), now)
  const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => [String(from + at)])
  const window = (now: Answers) => {
    const result = now.statements[0]?.results[0] as never as ResultView
    const { before = 0, first, isAsking = false } = result
    const numbers = result.rows.map(([number]) => Number(number))
    expect(numbers.every((number, at) => number === before + at)).toBe(true)
    return [before, before + numbers.length, shownOf(result), first, isAsking]
  }
  const full = tell(
    begun({ ...NO_ANSWERS, keepsRows: true }, 2),
    { event: 'statement', text: 'select', from: 0, to: 6 },
    { event: 'columns', columns: [{ name: 'a', isNumber: true }] },
    { event: 'rows', rows: rows(0, WINDOW_ROWS) },
    { event: 'rows', rows: rows(WINDOW_ROWS, WINDOW_ROWS + 500) },
    { event: 'held' },
  )
  const all = WINDOW_ROWS + 500
  expect(window(full)).toEqual([500, all, all, undefined, false])
  const up = tell(askedAgain(full, place), { event: 'again', from: 200, rows: rows(200, 500) })
  expect(window(up)).toEqual([200, all - 300, all, undefined, false])
  // Rows that the server sent meanwhile come from where they are kept.
  const more = tell(asked(up), { event: 'rows', rows: rows(all, all + 100) }, { event: 'held' })
  expect(window(more)).toEqual([200, all - 300, all + 100, undefined, false])
  expect(window(tell(more, { event: 'again', from: all - 300, rows: rows(all - 300, all + 100) }))).toEqual([
    600,
    all + 100,
    all + 100,
    undefined,
    false,
  ])
  const there = movedTo(more, place, 5)
  expect(window(there)).toEqual([5, 5, all + 100, undefined, false])
  // An answer to an earlier question is not for this window.
  expect(window(tell(askedAgain(there, place), { event: 'again', from: 900, rows: rows(900, 950) }))[1]).toBe(5)
  expect(window(tell(there, { event: 'again', from: 5, rows: rows(5, 50) }))).toEqual([
    5,
    50,
    all + 100,
    undefined,
    false,
  ])
  expect(window(tell(askedAgain(there, place), { event: 'gone', first: 700 }))).toEqual([
    700,
    700,
    all + 100,
    700,
    false,
  ])
  expect(window(tell(askedAgain(up, place), { event: 'gone', first: 100 }))).toEqual([200, all - 300, all, 100, false])
  const end = tell(
    movedOn(full),
    { event: 'rows', rows: rows(all, all + 1) },
    { event: 'done', rows: all + 1, isCut: false },
  )
  expect(window(end)).toEqual([all, all + 1, all + 1, undefined, false])
})

test('texts and statements are kept for the person and the database, except any that contain a password', () => {
  keepDraft('p', 'one', 'select 1')
  expect([keptDraft('p', 'one'), keptDraft('p', 'other'), keptDraft('q', 'one')]).toEqual(['select 1', '', ''])
  addToHistory('p', 'one', 'select 1')
  expect(addToHistory(undefined, 'token', 'select of a guest')).toEqual(['select of a guest'])
  addToHistory('p', 'one', "create user x identified by 'secret'")
  addToHistory('p', 'one', ' select 2 ')
  addToHistory('p', 'one', 'select 1')
  expect(keptHistory('p', 'one')).toEqual(['select 1', 'select 2'])
  keepDraft('p', 'one', "alter role x password 'secret'")
  expect(JSON.stringify({ ...localStorage })).not.toMatch(/secret|guest/)
})

test('a plan is a tree of steps with what each is done to, its rows and its own share of the cost, of PostgreSQL and of MariaDB', () => {
  const postgresql = readPlan(
    JSON.stringify([
      {
        Plan: {
          ...{ 'Node Type': 'Hash Join', 'Total Cost': 30, 'Plan Rows': 12, 'Hash Cond': '(a.id = b.id)' },
          Plans: [
            { 'Node Type': 'Seq Scan', 'Relation Name': 'a', 'Total Cost': 10, 'Plan Rows': 5 },
            {
              'Node Type': 'Index Scan',
              'Relation Name': 'b',
              'Index Name': 'b_pkey',
              'Total Cost': 8.5,
              'Plan Rows': 1,
            },
          ],
        },
      },
    ]),
  )
  expect(postgresql).toMatchObject({
    ...{ title: 'Hash Join', subject: '', rows: 12, cost: 30, ownCost: 11.5 },
    details: [{ name: 'Hash Cond', value: '(a.id = b.id)' }],
    steps: [
      { title: 'Seq Scan', subject: 'a', steps: [] },
      { subject: 'b · b_pkey', rows: 1 },
    ],
  })
  const table = (name: string) => ({
    table: { table_name: name, access_type: 'ALL', rows: 3, possible_keys: ['k', 'l'] },
  })
  const filesort = { sort_key: 'a.n', temporary_table: { nested_loop: [table('a'), table('b')] } }
  const mariadb = readPlan(JSON.stringify({ query_block: { select_id: 1, filesort } }))
  expect(mariadb).toMatchObject({
    ...{ title: 'query block', details: [{ name: 'select id', value: '1' }] },
    steps: [
      {
        ...{ title: 'filesort', details: [{ name: 'sort key', value: 'a.n' }] },
        steps: [{ title: 'temporary table', steps: [{ title: 'table', subject: 'a', rows: 3 }, { subject: 'b' }] }],
      },
    ],
  })
  expect(mariadb?.steps[0]?.steps[0]?.steps[0]?.details).toContainEqual({ name: 'possible keys', value: 'k, l' })
  expect([readPlan('{"a":'), readPlan('7'), readPlan('{"a":1}')]).toEqual([undefined, undefined, undefined])
})

test('a statement of before is added behind what is written, which does not go on into it', () => {
  const added = (text: string, dialect: SqlDialect = 'postgresql') => {
    const { from, insert, begins } = addedStatement(text, 'select 2', dialect)
    const whole = text.slice(0, from) + insert
    expect(whole.slice(begins)).toBe('select 2')
    return whole
  }
  expect([added(''), added(' \n'), added('select 2\n')]).toEqual(['select 2', 'select 2', 'select 2'])
  expect([added('select 1'), added('select 1;\n')]).toEqual(['select 1;\n\nselect 2', 'select 1;\n\nselect 2'])
  expect(added('select 1 -- one;')).toBe('select 1 -- one;\n;\n\nselect 2')
  expect([added('begin x end;\n/', 'oracle'), added('begin x end;', 'oracle'), added('select 1', 'oracle')]).toEqual([
    'begin x end;\n/\n\nselect 2',
    'begin x end;\n/\n\nselect 2',
    'select 1;\n\nselect 2',
  ])
  expect([added('select 1\nGO', 'sqlserver'), added('delete t;', 'sqlserver')]).toEqual([
    'select 1\nGO\n\nselect 2',
    'delete t;\nGO\n\nselect 2',
  ])
})
