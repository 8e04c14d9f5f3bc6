import { label } from '@sallyport/contract/resources/assets/label.ts'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keys, queryClient } from '../../lib/query.ts'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, holdBack, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { changeList } from '../rows/list-state.ts'
import { asListPage, pagedQuery, sizesOf } from '../rows/paging.ts'
import type { ListView } from '../view/list-view.ts'
import { ListPage } from './ListPage.tsx'

const FIELDS = {
  name: { type: 'string', label: 'Name', order: true },
  kind: {
    type: 'choice',
    label: 'Kind',
    order: true,
    filter: true,
    choices: [{ value: 'db', display_name: 'Database' }],
  },
  active: { type: 'boolean', label: 'Active', order: true, filter: true },
}
const row = { id: 'r1', name: 'one', kind: 'db', kind_display: 'Database', active: true }

const answers = ({ method }: Call) =>
  method === 'OPTIONS'
    ? { body: { actions: { GET: FIELDS } } }
    : { body: { count: 1, next: null, previous: null, results: [row] } }
const open = (list: Partial<ListView> = {}, address = '/labels') => {
  const view: ListView = { columns: ['name', 'kind', 'active'], ...list }
  return show(<ListPage pages={{ ...labelPages, list: view }} base="Label" title="Labels" />, address, '/labels')
}
const lists = (calls: readonly Call[]) => calls.filter(({ method, path }) => method === 'GET' && path === label.path)
const lastList = (calls: readonly Call[]) => lists(calls).at(-1)?.query

beforeEach(() => {
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('[A2.78 A3.11 B2.02 B3.03] choices and booleans are filtered in their column head, at once and in the address; they are not ordered by', async () => {
  const calls = serve(answers)
  const { router } = open()
  await screen.findByText('one')
  expect(screen.queryByRole('button', { name: 'Kind' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Filter by Active' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'No' }))
  await waitFor(() => expect(lastList(calls)?.get('active')).toBe('false'))
  expect(router.state.location.search).toBe('?active=false')
  await screen.findByText('Active: No')
  await userEvent.click(screen.getByRole('button', { name: 'Filter by Active' }))
  await userEvent.click((await screen.findAllByRole('menuitem', { name: 'All' })).at(-1) as HTMLElement)
  await waitFor(() => expect(router.state.location.search).toBe(''))
  await userEvent.click(screen.getByRole('button', { name: 'Filter by Kind' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Database' }))
  await waitFor(() => expect(lastList(calls)?.get('kind')).toBe('db'))
  await screen.findByText('Kind: Database')
})

test('[A3.11 B3.03] a filter of text is picked by its label in the search box, and takes what is typed', async () => {
  const calls = serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: { actions: { GET: { ...FIELDS, name: { ...FIELDS.name, filter: true } } } } }
      : { body: { count: 1, next: null, previous: null, results: [row] } },
  )
  const { router } = open()
  await screen.findByText('one')
  // A column of text has no choices in its head.
  expect(screen.queryByRole('button', { name: 'Filter by Name' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Filter by field' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Name' }))
  await userEvent.type(screen.getByRole('textbox', { name: 'Search' }), 'two{Enter}')
  await waitFor(() => expect(lastList(calls)?.get('name')).toBe('two'))
  expect(router.state.location.search).toBe('?name=two')
  await screen.findByText('Name: two')
})

test('[B7.30] the metadata of an address is asked for once, however often its list is opened', async () => {
  const calls = serve(answers)
  const { router } = open()
  await screen.findByText('one')
  await act(() => router.navigate('/elsewhere'))
  await screen.findByText('elsewhere')
  await act(() => router.navigate('/labels?search=a'))
  await screen.findByText('one')
  expect(calls.filter(({ method }) => method === 'OPTIONS').map(({ path }) => path)).toEqual([label.path])
  expect(lists(calls)).toHaveLength(2)
})

test('[B2.08] filters of the address stand as tags and narrow the very first list', async () => {
  const calls = serve(answers)
  open({}, '/labels?kind=db&search=a')
  await screen.findByText('Kind: Database')
  await screen.findByText('one')
  const [first] = lists(calls)
  expect([first?.query.get('kind'), first?.query.get('search')]).toEqual(['db', 'a'])
})

test('[B9.16] filters of the address narrow the list before half a second is over, and no list is asked for without them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const calls = serve(answers)
  open({}, '/labels?kind=db')
  await act(() => vi.advanceTimersByTimeAsync(490))
  expect(lists(calls).map(({ query }) => query.get('kind'))).toEqual(['db'])
})

test('a column may explain itself behind a mark', async () => {
  serve(answers)
  open({ columns: [{ field: 'name', tip: 'What people call it' }] })
  expect((await screen.findByRole('button', { name: 'What people call it' })).dataset.tip).toBe('What people call it')
})

test('[A3.09 A3.14 B3.02 B3.09] labels come from the metadata, and a choice shows its display value', async () => {
  serve((call) =>
    call.method === 'GET' ? { body: { count: 1, results: [{ ...row, kind_display: 'A database' }] } } : answers(call),
  )
  open()
  await screen.findByRole('cell', { name: 'A database' })
  expect(screen.queryByRole('cell', { name: /^(db|Database)$/ })).toBeNull()
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['Name', 'Kind', 'Active']),
  )
})

test('[A3.07 B3.01 B3.15 B7.29 B9.11] a list of numbered pages sends page, size, sort and direction, reads content and totalElements, and can jump', async () => {
  const calls = serve((call) =>
    call.method === 'GET' ? { body: { content: [row], totalElements: 95 } } : answers(call),
  )
  open({ paging: 'pages', defaultOrder: '-name' })
  await screen.findByText('one')
  expect(Object.fromEntries(lastList(calls) ?? [])).toEqual({ page: '1', size: '10', sort: 'name', direction: 'desc' })
  expect(
    [...screen.getByRole<HTMLSelectElement>('combobox', { name: 'Rows per page' }).options].map(({ value }) =>
      Number(value),
    ),
  ).toEqual([10, 20, 30, 40, 50])
  await userEvent.type(screen.getByRole('textbox', { name: 'Go to page' }), '7{Enter}')
  await waitFor(() => expect(lastList(calls)?.get('page')).toBe('7'))
  await userEvent.type(screen.getByRole('textbox', { name: 'Go to page' }), '700{Enter}')
  await waitFor(() => expect(lastList(calls)?.get('page')).toBe('10'))
})

test('[B9.12] without pages everything is asked for at once, and there is no pager', async () => {
  const calls = serve((call) =>
    call.method === 'GET' ? { body: { content: [row], totalElements: 1 } } : answers(call),
  )
  open({ paging: 'none' })
  await screen.findByText('one')
  expect([lastList(calls)?.get('size'), lastList(calls)?.get('page')]).toEqual(['999', '-1'])
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
})

test('[B3.15 B7.28 B9.10] resource lists order by a field with a leading minus, by offset and limit, in sizes of 15 to 100', () => {
  const state = changeList({ page: 3, size: 15, order: '', search: [], filters: {} }, { order: '-name', page: 3 })
  expect(pagedQuery(state, 'offset')).toMatchObject({ order: '-name', offset: 30, limit: 15, draw: 1, display: 1 })
  expect(sizesOf('offset')).toEqual([15, 30, 50, 100])
})

test('[B3.01] an answer without rows is an empty page, not a crash', () => {
  expect([asListPage(null), asListPage({ totalElements: 4 })].map(({ results, count }) => [results, count])).toEqual([
    [[], 0],
    [[], 4],
  ])
})

test('[A2.78] Create offers kinds under their headings, and the chosen one goes to the create page', async () => {
  serve(answers)
  const view: ListView = {
    columns: ['name'],
    createKinds: [
      { name: 'mysql', title: 'MySQL', group: 'Databases', query: { type: 'mysql' } },
      { name: 'k8s', title: 'Kubernetes', query: { type: 'k8s' } },
    ],
  }
  const { router } = show(
    <ListPage pages={{ ...labelPages, list: view }} base="Label" title="Labels" />,
    '/labels',
    '/labels',
    {
      LabelCreate: '/labels/create',
    },
  )
  await userEvent.click(await screen.findByRole('button', { name: /Create/ }))
  await screen.findByText('Databases')
  await userEvent.click(screen.getByRole('menuitem', { name: 'MySQL' }))
  expect(router.state.location.pathname + router.state.location.search).toBe('/labels/create?type=mysql')
})

test('a bare number has the title of its column where there are no heads; a word needs none', async () => {
  serve(answers)
  open({ columns: ['name', { field: 'kind', title: 'Steps', align: 'right', cell: () => '2' }, 'active'] })
  const number = await screen.findByRole('cell', { name: '2' })
  expect(number.dataset.label).toBe('Steps')
  expect(screen.getByRole('cell', { name: 'one' }).dataset.label).toBeUndefined()
})

test('[A2.77 B3.02] before the metadata has arrived, heads are where they will stay, with the room of their actions, and pages wait for the rows', async () => {
  serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(label) }
      : { body: { count: 40, next: null, previous: null, results: [row] } },
  )
  const release = holdBack((method) => method === 'OPTIONS')
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, '/labels', '/labels')
  const heads = () =>
    screen.getAllByRole('columnheader').map((head) => [head.textContent, head.querySelector('.sort') !== null])
  const widths = () => [...document.querySelectorAll('col')].map(({ style }) => style.width)
  const before = { heads: heads(), widths: widths() }
  // The rows are there, and wait.
  await waitFor(() =>
    expect(queryClient.getQueriesData({ queryKey: keys.all(label.path) })).toContainEqual([
      expect.anything(),
      expect.objectContaining({ count: 40 }),
    ]),
  )
  expect(screen.queryByText('one')).toBeNull()
  expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull()
  release()
  await screen.findByText('one')
  expect({ heads: heads(), widths: widths() }).toEqual(before)
  expect(before.heads).toContainEqual(['Name', true])
  screen.getByRole('navigation', { name: 'Pages' })
})
