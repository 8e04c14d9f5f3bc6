import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Row } from '../../lib/api.ts'
import { pasteText } from '../../lib/clipboard.ts'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import type { DetailView } from '../view/detail-view.ts'
import { DetailPage } from './DetailPage.tsx'
import { detailTitle } from './detail-title.ts'

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const ROUTES = { LabelList: '/labels', LabelUpdate: '/labels/:id/update', LabelDetail: '/labels/:id' }
const pages: ResourcePages = {
  ...labelPages,
  detail: {
    fields: ['name', 'value'],
    tabs: [{ name: 'LabelAssets', title: 'Assets', component: () => <p>its assets</p> }],
  },
}
let answer: (call: Call) => { status?: number; body?: unknown } | undefined

const labelServer = ({ method }: Call) => {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (method === 'DELETE') return { status: 204 }
  return { body: { id: ID, name: 'env', value: 'prod', assets: [] } }
}
const open = (query = '') =>
  show(<DetailPage pages={pages} base="Label" title="Label detail" />, `/labels/${ID}${query}`, '/labels/:id', ROUTES)

beforeEach(() => {
  answer = labelServer
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store
  document.cookie = 'activeTab=; path=/; max-age=0'
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('[A2.85 A2.86 A2.87 B2.09 B2.10 B3.10] the page reads the row of its address and shows its title, a way back, tabs, Update and Delete', async () => {
  const calls = serve((call) => answer(call))
  open()
  await screen.findByRole('heading', { level: 1, name: 'Label: env:prod' })
  expect(calls.find(({ method }) => method === 'GET')?.path).toBe(`${label.path}${ID}/`)
  expect((await screen.findAllByRole('tab')).map(({ textContent }) => textContent)).toEqual([
    'Basic info',
    'Assets',
    'Changes',
  ])
  for (const name of [/Back/, /Update/, /Delete/]) screen.getByRole('button', { name })
})

test('[A3.15] the id of a row is the text at its place in the address, in any form', async () => {
  for (const id of [ID, '7', 'command-storage-1']) {
    const calls = serve((call) => answer(call))
    show(<DetailPage pages={pages} base="Label" title="Label detail" />, `/labels/${id}`, '/labels/:id', ROUTES)
    await screen.findByRole('heading', { level: 1, name: 'Label: env:prod' })
    expect(calls.find(({ method }) => method === 'GET')?.path).toBe(`${label.path}${id}/`)
    cleanup()
  }
})

test('[A2.86 B2.09 B9.13] a title of more than 80 characters is cut with an ellipsis', () => {
  expect(detailTitle('Label detail', 'x'.repeat(90))).toBe(`Label: ${'x'.repeat(73)}…`)
  expect(detailTitle('标签详情', 'env')).toBe('标签: env')
})

test('[A2.89 A2.90 B2.01 B2.11] Update goes to the Update page with the id of the row', async () => {
  serve((call) => answer(call))
  const { router } = open()
  await userEvent.click(await screen.findByRole('button', { name: /Update/ }))
  expect(router.state.location.pathname).toBe(`/labels/${ID}/update`)
})

test('[A2.88 A2.90 A4.29 B2.11 B4.08] a confirmed Delete goes to the list, a failed one stays and says why', async () => {
  const calls = serve((call) => answer(call))
  const { router } = open()
  const confirm = async () => {
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
    const dialog = (await screen.findAllByRole('alertdialog')).at(-1) as HTMLElement
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  }
  answer = (call) =>
    call.method === 'DELETE'
      ? { status: 403, body: { detail: 'Not yours', code: 'permission_denied' } }
      : labelServer(call)
  await confirm()
  await screen.findByText('Delete failed: Not yours')
  expect(router.state.location.pathname).toBe(`/labels/${ID}`)
  answer = labelServer
  await confirm()
  await waitFor(() => expect(router.state.location.pathname).toBe('/labels'))
  expect(calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual(
    Array(2).fill(`${label.path}${ID}/`),
  )
})

test('[A2.88] a deleted row of a resource without a list of its own leads to the page of its parent', async () => {
  serve((call) => answer(call))
  const ofParent = { ...pages, home: (row: Row | undefined) => `/domains/${row?.value}?activeTab=GatewayList` }
  const { router } = show(
    <DetailPage pages={ofParent} base="Label" title="Label detail" />,
    `/labels/${ID}`,
    '/labels/:id',
    { LabelDetail: '/labels/:id' },
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
  await userEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/domains/prod'))
  expect(router.state.location.search).toBe('?activeTab=GatewayList')
})

test('[A2.74 B2.10] the chosen tab is in the address and in a cookie, and either brings it back', async () => {
  serve((call) => answer(call))
  const { router } = open()
  await userEvent.click(await screen.findByRole('tab', { name: 'Assets' }))
  await screen.findByText('its assets')
  expect(router.state.location.search).toBe('?activeTab=LabelAssets')
  expect(document.cookie).toContain('activeTab=LabelAssets')
  cleanup()
  open()
  await screen.findByText('its assets')
  cleanup()
  open('?activeTab=LabelDetail')
  await screen.findByText('Name')
  expect(screen.queryByText('its assets')).toBeNull()
})

test('empty fields are folded away and counted; states and a line come first; the id is copied by a button', async () => {
  // Brings a clipboard, which jsdom lacks.
  const user = userEvent.setup()
  serve((call) =>
    call.method === 'OPTIONS' ? labelServer(call) : { body: { id: ID, name: 'env', value: 'prod', comment: '' } },
  )
  const detail: DetailView = {
    states: () => [{ tone: 'good', words: 'Active' }, undefined],
    lead: () => ['10.0.0.1', '', 'Linux'],
    fields: ['name', 'comment'],
  }
  show(
    <DetailPage pages={{ ...labelPages, detail }} base="Label" title="Label detail" />,
    `/labels/${ID}`,
    '/labels/:id',
    ROUTES,
  )
  await screen.findByText('Active')
  expect(screen.getByText('10.0.0.1').parentElement?.textContent).toBe('10.0.0.1Linux')
  expect(screen.queryByText('Comment')).toBeNull()
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['Basic info', 'Changes'])
  const fold = screen.getByRole('button', { name: '1 empty field' })
  expect(fold.getAttribute('aria-expanded')).toBe('false')
  await userEvent.click(fold)
  screen.getByText('Comment')
  await user.click(screen.getByRole('button', { name: 'Copy ID' }))
  expect(await pasteText()).toBe(ID)
})

test('a No, none of something and an end that never comes are folded away with what is empty', async () => {
  const fields = {
    is_active: { type: 'boolean', label: 'Active' },
    used: { type: 'integer', label: 'Used' },
    date_expired: { type: 'datetime', label: 'Expires' },
  }
  serve((call) =>
    call.method === 'OPTIONS'
      ? { body: { name: 'Label', actions: { GET: fields } } }
      : { body: { id: ID, is_active: false, used: 0, date_expired: '2099/01/01 00:00:00 +0000' } },
  )
  const detail: DetailView = { fields: ['is_active', 'used', 'date_expired'] }
  show(
    <DetailPage pages={{ ...labelPages, detail }} base="Label" title="Label detail" />,
    `/labels/${ID}`,
    '/labels/:id',
    ROUTES,
  )
  await userEvent.click(await screen.findByRole('button', { name: '3 empty fields' }))
  expect(screen.getByText('Active').nextSibling?.textContent).toBe('No')
  expect(screen.getByText('Used').nextSibling?.textContent).toBe('0')
})

test('what belongs to a row elsewhere is named with links; who may not read it does not see the card', async () => {
  const asked: string[] = []
  serve((call) => {
    if (call.method === 'OPTIONS') return labelServer(call)
    if (call.path.startsWith('/api/v1/refused/')) return { status: 403, body: { detail: 'no' } }
    if (call.path.startsWith('/api/v1/machines/')) {
      asked.push(String(call.query))
      return { body: { count: 1, next: null, previous: null, results: [{ id: 'm1', name: 'web-1' }] } }
    }
    return { body: { id: ID, name: 'env', value: 'prod', comment: '' } }
  })
  const list = (title: string, path: string) => ({
    title,
    path,
    query: { label: ID },
    words: (row: Row) => String(row.name),
    address: ({ id }: Row) => `/machines/${id}`,
    note: () => '10.0.0.1',
  })
  const detail: DetailView = {
    fields: ['name'],
    related: () => [list('Machines', '/api/v1/machines/'), list('Secrets', '/api/v1/refused/')],
  }
  show(
    <DetailPage pages={{ ...labelPages, detail }} base="Label" title="Label detail" />,
    `/labels/${ID}`,
    '/labels/:id',
    ROUTES,
  )
  const link = await screen.findByRole('link', { name: 'web-1' })
  expect(link.getAttribute('href')).toBe('/machines/m1')
  screen.getByText('10.0.0.1')
  await vi.waitFor(() => expect(screen.queryByRole('heading', { name: 'Secrets' })).toBeNull())
  expect(screen.queryByRole('button', { name: /Remove|Add/ })).toBeNull()
  expect(asked[0]).toContain(`label=${ID}`)
})

test('[B8.06] a row that is gone is reported as lost', async () => {
  serve((call) => answer(call))
  answer = () => undefined
  open()
  await screen.findByText('Resource lost or deleted')
})
