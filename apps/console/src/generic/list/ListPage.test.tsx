import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { label } from '@sallyport/contract/resources/assets/label.ts'
import { onlineManager } from '@tanstack/react-query'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { onApi } from '../../lib/api.ts'
import { setCatalog } from '../../lib/i18n.ts'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { bulkActive } from '../../pages/bulk-active.ts'
import { type Call, holdBack, isGreyed, metadataFor, questionTitled, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from './ListPage.tsx'

const ROUTES = {
  LabelList: '/assets/labels',
  LabelCreate: '/assets/labels/create',
  LabelUpdate: '/assets/labels/:id/update',
  LabelDetail: '/assets/labels/:id',
}
let stored: { id: string; name: string; value: string; assets: string[]; is_active: boolean }[]

function labelServer({ method, path, query }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (path === '/api/v1/common/resources/cache/') return { body: { spm: 'spm-1' } }
  if (method === 'DELETE' && query.get('spm') === 'spm-1') {
    stored = stored.slice(0, 15)
    return { status: 204 }
  }
  if (method === 'DELETE') {
    stored = stored.filter(({ id }) => !path.includes(id))
    return { status: 204 }
  }
  const offset = Number(query.get('offset'))
  return {
    body: {
      count: stored.length,
      next: null,
      previous: null,
      results: stored.slice(offset, offset + Number(query.get('limit'))),
    },
  }
}

const open = (address = '/assets/labels') =>
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, address, '/assets/labels', ROUTES)
const inBar = () => within(screen.getByRole('toolbar', { name: 'Selected rows' }))
const lastList = (calls: readonly Call[]) =>
  calls.filter(({ method, path }) => method === 'GET' && path === label.path).at(-1)?.query

beforeEach(() => {
  localStorage.clear()
  signIn()
  stored = Array.from({ length: 17 }, (_, index) => ({
    id: `l${index}`,
    name: `env${index}`,
    value: 'prod',
    assets: ['a', 'b'],
    is_active: true,
  }))
})
afterEach(() => {
  setCatalog({})
  cleanup()
  vi.unstubAllGlobals()
})

test('[B7.27 B7.28 A2.77 A2.78 A2.82 B2.03 B3.02] rows come with metadata labels, and names lead to the detail page', async () => {
  const calls = serve(labelServer)
  open()
  const link = await screen.findByRole('link', { name: 'env0' })
  expect(link.getAttribute('href')).toBe('/assets/labels/l0')
  expect(Object.fromEntries(lastList(calls) ?? [])).toEqual({ offset: '0', limit: '15', draw: '1', display: '1' })
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    '',
    'Name',
    'Value',
    'Assets',
    'Comment',
    'Actions',
  ])
})

test('[A2.81 B2.05] page, size, order and search are read from the address', async () => {
  const calls = serve(labelServer)
  open('/assets/labels?page=2&size=30&order=-name&search=a,b&name=x')
  await waitFor(() => expect(lastList(calls)).toBeDefined())
  expect(Object.fromEntries(lastList(calls) ?? [])).toMatchObject({
    offset: '30',
    limit: '30',
    order: '-name',
    search: 'a,b',
    name: 'x',
  })
})

test('[A2.81] ordering and searching are written to the address and go back to page 1', async () => {
  const calls = serve(labelServer)
  const { router } = open('/assets/labels?page=2')
  await screen.findByRole('link', { name: 'env15' })
  await userEvent.click(screen.getByRole('button', { name: 'Name' }))
  await waitFor(() => expect(router.state.location.search).toBe('?order=name'))
  await userEvent.type(screen.getByRole('textbox', { name: 'Search' }), 'prod{Enter}')
  await waitFor(() => expect(lastList(calls)?.get('search')).toBe('prod'))
  expect(router.state.location.search).toBe('?order=name&search=prod')
})

test('[A2.81 B2.05] a further page names its size in the address, so that a link shows the same rows to a person who likes another', async () => {
  const calls = serve(labelServer)
  const { router } = open()
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getByRole('button', { name: '2' }))
  await screen.findByRole('link', { name: 'env15' })
  expect(router.state.location.search).toBe('?page=2&size=15')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '30')
  await waitFor(() => expect(lastList(calls)?.get('limit')).toBe('30'))
  expect(router.state.location.search).toBe('?size=30')
  await act(() => router.navigate('/assets/labels?page=2&size=15'))
  await waitFor(() => expect(lastList(calls)?.get('offset')).toBe('15'))
  await userEvent.click(screen.getByRole('button', { name: '1' }))
  expect(router.state.location.search).toBe('?size=15')
})

test('[A2.83 A2.84 B2.04 B9.14] with three actions Update is shown and Delete and Clone are under More', async () => {
  serve(labelServer)
  open()
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  const [actions] = row.getAllByRole('cell').slice(-1)
  expect(
    within(actions as HTMLElement)
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label') ?? button.textContent),
  ).toEqual(['Update', 'More'])
  await userEvent.click(row.getByRole('button', { name: /More/ }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Delete', 'Clone'])
})

test('[A2.84] an action of a page stands by its number between the built-in ones, and after them where it has none', async () => {
  serve(labelServer)
  const run = () => {}
  const rowActions = [
    { name: 'last', title: 'Archive', order: 101, run },
    { name: 'unnumbered', title: 'Print', run },
    { name: 'late', title: 'Rename', order: 31, run },
    { name: 'between', title: 'Test', order: 15, run },
  ]
  const pages = { ...labelPages, list: { columns: ['name'], ...labelPages.list, rowActions } }
  show(<ListPage pages={pages} base="Label" title="Labels" />, '/assets/labels', '/assets/labels', ROUTES)
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  row.getByRole('button', { name: 'Update' })
  await userEvent.click(row.getByRole('button', { name: /More/ }))
  expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
    'Test',
    'Delete',
    'Clone',
    'Rename',
    'Print',
    'Archive',
  ])
})

test('[B7.37 B7.39 A4.29 B2.07 B3.05 A3.12 B4.08] bulk delete asks with the count, uses a selection reference and steps back from an emptied page', async () => {
  const calls = serve(labelServer)
  const { router } = open('/assets/labels?page=2')
  await screen.findByRole('link', { name: 'env15' })
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }))
  await userEvent.click(inBar().getByRole('button', { name: 'Delete' }))
  expect(await screen.findByRole('alertdialog', { name: /Delete 2 rows\?/ })).toHaveProperty(
    'textContent',
    expect.stringMatching(/env15:prod.*env16:prod/),
  )
  await userEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  await screen.findByRole('link', { name: 'env0' })
  expect(calls.find(({ path }) => path.includes('cache'))?.body).toEqual({ resources: ['l15', 'l16'] })
  expect(router.state.location.search).toBe('')
  expect(screen.queryByText(/^\d+ selected/)).toBeNull()
})

test('[A2.79 A2.80 B2.06] chosen columns are remembered; the actions column always stays', async () => {
  serve(labelServer)
  open()
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Comment' }))
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Comment' })).toBeNull())
  cleanup()
  open()
  await screen.findByRole('link', { name: 'env0' })
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    '',
    'Name',
    'Value',
    'Assets',
    'Actions',
  ])
})

test('[A6.32 B6.02] in the root organization Create, Update, Clone and row Delete rest', async () => {
  const root = { id: ROOT_ORG_ID, name: 'Global', is_root: true }
  signIn({ org: root, orgs: [root] })
  serve(labelServer)
  open()
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  expect(isGreyed(row.getByRole('button', { name: 'Update' }))).toBe(true)
  expect(isGreyed(screen.getByRole('button', { name: /Create/ }))).toBe(true)
})

describe('[B8.17] a list that failed says why, once, and can be tried again', () => {
  test.each(['GET', 'OPTIONS'])('%s', async (failing) => {
    let broken = true
    const reported: string[] = []
    onApi({ showError: (text) => reported.push(text) })
    serve((call) =>
      call.method === failing && broken
        ? { status: 500, body: { detail: 'The disk is full', code: 'internal' } }
        : labelServer(call),
    )
    open()
    await screen.findByText('The disk is full')
    expect(reported).toEqual([])
    broken = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('link', { name: 'env0' })
  })

  test('after it was read before: neither its rows nor their number stay, nor can all of them be selected', async () => {
    let broken = false
    serve((call) =>
      call.method === 'GET' && broken
        ? { status: 500, body: { detail: 'The disk is full', code: 'internal' } }
        : labelServer(call),
    )
    open()
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select all rows of this page' }))
    inBar().getByRole('button', { name: 'Select all 17' })
    screen.getByText('Total 17')
    broken = true
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    await screen.findByText('The disk is full')
    expect(screen.queryByRole('link', { name: 'env0' })).toBeNull()
    expect(screen.queryByText(/^Total|Select all/)).toBeNull()
  })
})

test.each(['GET', 'OPTIONS'])(
  'while the answer to %s is on its way a list keeps the place of its rows, and tells no total',
  async (held) => {
    serve(labelServer)
    const release = holdBack((method, path) => method === held && path === label.path)
    open()
    const table = await screen.findByRole('table')
    screen.getByRole('status')
    expect(table.closest('[aria-busy]')?.getAttribute('aria-busy')).toBe('true')
    expect(table.querySelectorAll('tbody tr')).toHaveLength(8)
    expect(table.querySelector('tbody')?.textContent).toBe('')
    expect(screen.queryByText(/Total|Nothing here yet/)).toBeNull()
    release()
    await screen.findByRole('link', { name: 'env0' })
    expect(table.querySelectorAll('tbody tr')).toHaveLength(15)
    expect(table.closest('[aria-busy]')?.getAttribute('aria-busy')).toBe('false')
    expect((await screen.findByText(/^Total/)).textContent).toBe('Total 17')
  },
)

test('without a network a list that was never read says that it loads, not that it is empty, and comes by itself afterwards', async () => {
  serve(labelServer)
  onlineManager.setOnline(false)
  open()
  await screen.findByText('Loading')
  act(() => onlineManager.setOnline(true))
  await screen.findByRole('link', { name: 'env0' })
})

test('[A2.81] an empty list says what to do: create the first row, or take back what was searched for', async () => {
  stored = []
  serve(labelServer)
  open()
  await screen.findByText('Nothing here yet')
  expect(screen.getAllByRole('button', { name: /Create/ }).length).toBe(2)
  cleanup()
  const calls = serve(labelServer)
  open('/assets/labels?search=nowhere')
  await screen.findByText('Nothing matches the search')
  stored = [{ id: 'l1', name: 'env1', value: 'prod', assets: [], is_active: true }]
  await userEvent.click(screen.getByRole('button', { name: 'Show all' }))
  await screen.findByRole('link', { name: 'env1' })
  expect(lastList(calls)?.get('search') ?? '').toBe('')
})

test('[A5.19 B5.08 B2.07] nothing can be deleted in bulk while nothing is selected; Clear takes the bar away and keeps the keyboard at the table', async () => {
  serve(labelServer)
  open()
  await screen.findByRole('link', { name: 'env0' })
  expect(screen.queryByRole('toolbar')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull()
  await userEvent.click(screen.getAllByRole('checkbox', { name: 'Select row' })[0] as HTMLElement)
  // Search and tools stay in reach.
  expect(screen.getByRole('textbox', { name: 'Search' })).toBeTruthy()
  await userEvent.click(inBar().getByRole('button', { name: 'Clear' }))
  expect(screen.queryByRole('toolbar')).toBeNull()
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: 'Select all rows of this page' })),
  )
})

test('[B7.39 B2.07] all rows that search and filters leave can be selected, over pages, and what is done to them says how many', async () => {
  const pages = {
    ...labelPages,
    list: { ...labelPages.list, columns: labelPages.list?.columns ?? [], bulkActions: bulkActive(label) },
  }
  const calls = serve(labelServer)
  show(<ListPage pages={pages} base="Label" title="Labels" />, '/labels?search=env', '/labels', ROUTES)
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getAllByRole('checkbox', { name: 'Select row' })[0] as HTMLElement)
  inBar().getByText('1 selected')
  await userEvent.click(inBar().getByRole('button', { name: 'Select all 17 that match' }))
  await screen.findByText('17 selected')
  inBar().getByText('15 on this page, 2 on others')
  expect(Object.fromEntries(lastList(calls) ?? [])).toMatchObject({ search: 'env', offset: '0', limit: '10000' })
  expect(screen.queryByRole('button', { name: /Select all \d/ })).toBeNull()
  await userEvent.click(inBar().getByRole('button', { name: 'Disable' }))
  await screen.findByRole('dialog', { name: /Disable: 17 rows/ })
  screen.getByText('15 on this page and 2 on other pages.')
  expect(calls.some(({ method }) => method === 'PATCH')).toBe(false)
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Disable' }))
  await waitFor(() => expect(calls.find(({ method }) => method === 'PATCH')?.body).toHaveLength(17))
  await userEvent.click(inBar().getByRole('button', { name: 'Delete' }))
  const question = await questionTitled('Delete 17 rows?')
  question.getByText('env7:prod')
  question.getByText('and 9 more')
})

test('from another page the bar still says what is selected, and what is done there is done to all of it', async () => {
  const pages = {
    ...labelPages,
    list: { ...labelPages.list, columns: labelPages.list?.columns ?? [], bulkActions: bulkActive(label) },
  }
  const calls = serve(labelServer)
  show(<ListPage pages={pages} base="Label" title="Labels" />, '/labels', '/labels', ROUTES)
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }))
  await userEvent.click(screen.getByRole('button', { name: '2' }))
  await screen.findByRole('link', { name: 'env15' })
  inBar().getByText('15 selected')
  inBar().getByText('none on this page')
  await userEvent.click(screen.getAllByRole('checkbox', { name: 'Select row' })[0] as HTMLElement)
  inBar().getByText('1 on this page, 15 on others')
  await userEvent.click(inBar().getByRole('button', { name: 'Disable' }))
  const question = within(await screen.findByRole('dialog', { name: /Disable: 16 rows/ }))
  await userEvent.click(question.getByRole('button', { name: 'Disable' }))
  await waitFor(() => expect(calls.find(({ method }) => method === 'PATCH')?.body).toHaveLength(16))
})

test('Page Down and Page Up in the rows turn the page, and the keyboard stays in its row', async () => {
  serve(labelServer)
  open()
  const first = await screen.findByRole('link', { name: 'env1' })
  first.focus()
  await userEvent.keyboard('{PageDown}')
  const next = await screen.findByRole('link', { name: 'env16' })
  await waitFor(() => expect(document.activeElement).toBe(next))
  // There is no third page.
  await userEvent.keyboard('{PageDown}')
  await userEvent.keyboard('{PageUp}')
  const back = await screen.findByRole('link', { name: 'env1' })
  await waitFor(() => expect(document.activeElement).toBe(back))
})

test('[B8.10] bulk delete warns with the number of rows; what failed is reported with its reason, and what succeeded as well', async () => {
  let answer = { status: 400, body: { detail: 'It is in use', code: 'in_use' } } as { status: number; body?: object }
  serve((call) => (call.method === 'DELETE' ? answer : labelServer(call)))
  const deleteSelected = async () => {
    open()
    await screen.findByRole('link', { name: 'env0' })
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }))
    await userEvent.click(inBar().getByRole('button', { name: 'Delete' }))
    const dialog = await screen.findByRole('alertdialog', { name: /Delete 15 rows\?/ })

    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  }
  await deleteSelected()
  await screen.findByText('Bulk delete failed: It is in use')
  expect(screen.queryByText('Deleted')).toBeNull()
  screen.getByText(/^15 selected/)
  cleanup()
  answer = { status: 204 }
  await deleteSelected()
  await screen.findByText('Deleted')
})

const deleteFirst = async () => {
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  await userEvent.click(row.getByRole('button', { name: /More/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const dialog = await screen.findByRole('alertdialog', { name: /Delete "env0:prod"\?/ })
  return within(dialog)
}

test('the question before a deletion says what goes with the row, and what will no longer name it', async () => {
  const calls = serve((call) =>
    call.path.endsWith('/deletion/')
      ? {
          body: {
            count: 1,
            ends: [
              { label: 'Gateway', how: 'deleted', amount: 2 },
              { label: 'Asset', how: 'unlinked', amount: 5 },
            ],
          },
        }
      : labelServer(call),
  )
  open()
  const dialog = await deleteFirst()
  await dialog.findByText('Deleted too: Gateway (2)')
  dialog.getByText('Kept, but without it from then on: Asset (5)')
  const asked = calls.find(({ path }) => path.endsWith('/deletion/'))
  expect(Object.fromEntries(asked?.query ?? [])).toEqual({ resource: 'label', ids: 'l0' })
})

test('[A4.29 A2.97 B2.16 B4.08] Cancel deletes nothing', async () => {
  const calls = serve(labelServer)
  open()
  await userEvent.click((await deleteFirst()).getByRole('button', { name: 'Cancel' }))
  expect(calls.some(({ method }) => method === 'DELETE')).toBe(false)
})

test('[B8.20] in Chinese the question is titled by the act and its row, asks 确认删除吗, is answered by 取 消 or 确 定, and success is 操作成功', async () => {
  serve(labelServer)
  const { catalog } = await import('../../locales/cn.ts')
  setCatalog(catalog)
  open()
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  await userEvent.click(row.getByRole('button', { name: /更多/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: '删除' }))
  const dialog = within(await screen.findByRole('alertdialog', { name: /删除“env0:prod”/ }))
  await dialog.findByText(/^确认删除吗\?/)
  expect(dialog.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['取 消', '确 定'])
  await userEvent.click(dialog.getByRole('button', { name: '确 定' }))
  await screen.findByText('操作成功')
})

test('[A4.29 A2.97 B2.16 B4.08 B7.36] Delete shows that it works, then the success and the list without the row', async () => {
  const calls = serve(labelServer)
  open()
  const answer = fetch
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    if (init.method === 'DELETE') await held
    return answer(address, init)
  })
  const dialog = await deleteFirst()
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(dialog.getByRole('button', { name: /Delete/ }).getAttribute('aria-busy')).toBe('true'))
  release()
  await screen.findByText('Deleted')
  await waitFor(() => expect(screen.queryByRole('link', { name: 'env0' })).toBeNull())
  expect(calls.find(({ method }) => method === 'DELETE')?.path).toBe(`${label.path}l0/`)
})

test('[B8.11 A4.29 B4.08] a failed delete says why, and the row stays', async () => {
  serve((call) =>
    call.method === 'DELETE' ? { status: 400, body: { detail: 'It is in use', code: 'in_use' } } : labelServer(call),
  )
  open()
  const dialog = await deleteFirst()
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await screen.findByText('Delete failed: It is in use')
  screen.getByRole('link', { name: 'env0' })
})

test('[B8.11] the message of an answer to Delete is shown, and none of ours beside it', async () => {
  serve((call) => (call.method === 'DELETE' ? { body: { msg: 'Goes within the hour' } } : labelServer(call)))
  open()
  const dialog = await deleteFirst()
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await screen.findByText('Goes within the hour')
  expect(screen.queryByText('Deleted')).toBeNull()
})

test('[A2.79 B2.06] the column chooser shows the actions column as one that always stays', async () => {
  serve(labelServer)
  open()
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  const box = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Actions' })
  expect([box.checked, box.disabled]).toEqual([true, true])
})

test('[B2.01 B2.04] Update and Clone go to the pages of the same name', async () => {
  serve(labelServer)
  const { router } = open()
  const row = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  await userEvent.click(row.getByRole('button', { name: 'Update' }))
  expect(router.state.location.pathname).toBe('/assets/labels/l0/update')
  cleanup()
  const again = open()
  const other = within((await screen.findByRole('link', { name: 'env0' })).closest('tr') as HTMLElement)
  await userEvent.click(other.getByRole('button', { name: /More/ }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Clone' }))
  expect(again.router.state.location.pathname + again.router.state.location.search).toBe(
    '/assets/labels/create?clone_from=l0',
  )
})

test('[A4.29 A2.79] a bulk action keeps the selection for the next one, over pages too; only what takes the rows away clears it', async () => {
  const pages = {
    ...labelPages,
    list: { ...labelPages.list, columns: labelPages.list?.columns ?? [], bulkActions: bulkActive(label) },
  }
  const calls = serve(labelServer)
  show(<ListPage pages={pages} base="Label" title="Labels" />, '/assets/labels', '/assets/labels', ROUTES)
  await screen.findByRole('link', { name: 'env0' })
  const choose = async (name: string) => {
    await userEvent.click(inBar().getByRole('button', { name }))
    // Rows of another page are among them, so that the number is confirmed.
    const dialog = await waitFor(() => {
      const found = document.querySelector<HTMLElement>('[aria-modal=true]')
      expect(found?.textContent).toMatch(new RegExp(`Cancel${name}$`))
      return within(found as HTMLElement)
    })
    await userEvent.click(dialog.getByRole('button', { name }))
  }
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }))
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }))
  await screen.findByRole('link', { name: 'env16' })
  screen.getByText(/^15 selected/)
  await choose('Disable')
  await screen.findByText('Saved')
  const lists = calls.filter(({ method, path }) => method === 'GET' && path === label.path).length
  await choose('Activate')
  await waitFor(() =>
    expect(calls.filter(({ method, path }) => method === 'GET' && path === label.path).length).toBeGreaterThan(lists),
  )
  const changed = calls
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => body as { id: string; is_active: boolean }[])
  expect(changed.map((rows) => [rows.length, rows[0]?.is_active])).toEqual([
    [15, false],
    [15, true],
  ])
  screen.getByText(/^15 selected/)
  await choose('Delete')
  await screen.findByText('Deleted')
  await waitFor(() => expect(screen.queryByText(/^\d+ selected/)).toBeNull())
})

test('[B9.34 B9.10 A2.80] chosen columns and page size are kept in local storage, apart for each person', async () => {
  const calls = serve(labelServer)
  open()
  await screen.findByRole('link', { name: 'env0' })
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Comment' }))
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '30')
  await screen.findByRole('link', { name: 'env16' })
  const kept = { ...localStorage }
  const seen = async () => {
    cleanup()
    open()
    await screen.findByRole('link', { name: 'env0' })
    return [screen.queryByRole('columnheader', { name: 'Comment' }) !== null, lastList(calls)?.get('limit')]
  }
  expect(await seen()).toEqual([false, '30'])
  const { profile } = signIn()
  signIn({ profile: { ...profile, username: 'ben' } })
  expect(await seen()).toEqual([true, '15'])
  signIn()
  localStorage.clear()
  expect(await seen()).toEqual([true, '15'])
  for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value)
  expect(await seen()).toEqual([false, '30'])
})

test.each([
  ['{"paginationSize":50}', '50'],
  ['{"paginationSize":7}', '15'],
  ['{"paginationSize":100000}', '15'],
  ['{"paginationSize":"30"}', '15'],
  ['no json', '15'],
  ['null', '15'],
])('[B9.10 B9.34] of a stored page size of %s the list asks for %s rows', async (kept, limit) => {
  localStorage.setItem('tableConfig_ada', kept)
  const calls = serve(labelServer)
  open()
  await screen.findByRole('link', { name: 'env0' })
  expect(lastList(calls)?.get('limit')).toBe(limit)
})
