import { expect, test } from 'vitest'
import { clicked, type Entry, kept, keyed, modeText, NOTHING, orderAfter, shownEntries, sizeText } from './entries.ts'

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  name,
  kind: 'file',
  size: 1,
  modified: 0,
  mode: 0o644,
  ...more,
})
const key = (key: string, more: { shiftKey?: boolean; ctrlKey?: boolean } = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  ...more,
})
const names = ['a', 'b', 'c', 'd', 'e']
const marked = (selection: typeof NOTHING | undefined) => [...(selection?.chosen ?? [])].join('')

test('folders come first, numbers in names count as numbers, and the filter does not mind the case', () => {
  const entries = [entry('file10'), entry('File2'), entry('zoo', { kind: 'folder' }), entry('other')]
  const shown = (filter = '') =>
    shownEntries(entries, { filter, order: { by: 'name', down: false } }).map(({ name }) => name)
  expect(shown()).toEqual(['zoo', 'File2', 'file10', 'other'])
  expect(shown('FILE')).toEqual(['File2', 'file10'])
})

test('sizes and times begin with the largest, names with the first; the same column again turns round', () => {
  const entries = [entry('small', { size: 1 }), entry('large', { size: 9 }), entry('unknown', { size: null })]
  const bySize = orderAfter({ by: 'name', down: false }, 'size')
  const shown = (order: typeof bySize) => shownEntries(entries, { filter: '', order }).map(({ name }) => name)
  expect(shown(bySize)).toEqual(['large', 'small', 'unknown'])
  expect(shown(orderAfter(bySize, 'size'))).toEqual(['unknown', 'small', 'large'])
  expect(orderAfter(bySize, 'name')).toEqual({ by: 'name', down: false })
})

test('a click chooses one, with Ctrl one more or one less, with Shift all between', () => {
  const one = clicked(NOTHING, names, 'b')
  expect(marked(one)).toBe('b')
  expect(marked(clicked(one, names, 'd', { range: true }))).toBe('bcd')
  const two = clicked(one, names, 'e', { toggle: true })
  expect(marked(two)).toBe('be')
  expect(marked(clicked(two, names, 'b', { toggle: true }))).toBe('e')
  // The range begins where the person last clicked.
  expect(marked(clicked(two, names, 'c', { range: true }))).toBe('cde')
})

test('arrows move, stop at the ends, draw a range along with Shift; Ctrl-A takes all that is shown, Escape none', () => {
  const first = keyed(NOTHING, names, key('ArrowDown'))
  expect(first?.cursor).toBe('a')
  expect(keyed(first ?? NOTHING, names, key('ArrowUp'))?.cursor).toBe('a')
  expect(keyed(NOTHING, names, key('ArrowUp'))?.cursor).toBe('e')
  const range = keyed(
    keyed(first ?? NOTHING, names, key('ArrowDown', { shiftKey: true })) ?? NOTHING,
    names,
    key('ArrowDown', { shiftKey: true }),
  )
  expect(marked(range)).toBe('abc')
  expect(marked(keyed(range ?? NOTHING, names, key('End', { shiftKey: true })))).toBe('abcde')
  const all = keyed(NOTHING, names, key('a', { ctrlKey: true }))
  expect(marked(all)).toBe('abcde')
  expect(marked(keyed(all ?? NOTHING, names, key('Escape')))).toBe('')
  expect(keyed(NOTHING, names, key('x'))).toBeUndefined()
  expect(keyed(NOTHING, [], key('ArrowDown'))).toEqual(NOTHING)
})

test('with Ctrl the cursor goes alone, and the space bar marks where it stands', () => {
  const one = clicked(NOTHING, names, 'a')
  const moved = keyed(
    keyed(one, names, key('ArrowDown', { ctrlKey: true })) ?? NOTHING,
    names,
    key('ArrowDown', { ctrlKey: true }),
  )
  expect([marked(moved), moved?.cursor]).toEqual(['a', 'c'])
  expect(marked(keyed(moved ?? NOTHING, names, key(' ')))).toBe('ac')
})

test('an entry that is gone from the folder is not chosen any more', () => {
  const range = clicked(clicked(NOTHING, names, 'a'), names, 'c', { range: true })
  expect(kept(range, ['b', 'x'])).toEqual({ chosen: new Set(['b']), cursor: undefined, anchor: undefined })
})

test('rights and sizes read as people know them', () => {
  expect([0o755, 0o4755, 0o2644, 0o1777, 0].map(modeText)).toEqual([
    'rwxr-xr-x',
    'rwsr-xr-x',
    'rw-r-Sr--',
    'rwxrwxrwt',
    '---------',
  ])
  expect([0, 1023, 1024, 1_500_000, 200 * 1024 ** 3].map(sizeText)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KB',
    '1.4 MB',
    '200 GB',
  ])
  expect([modeText(null), sizeText(null)]).toEqual(['', ''])
})
