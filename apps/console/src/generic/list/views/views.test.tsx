import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetPreferences } from '../../../design/look/preferences.ts'
import { labelPages } from '../../../pages/assets/label.page.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../../test/harness.tsx'
import { ListPage } from '../ListPage.tsx'

const VIEWS = '/api/v1/users/list-views/'
const LIST = `Label_${label.path}`
interface Stored {
  id: string
  list: string
  name: string
  is_default: boolean
}
/** Views that the server has. */
let stored: Stored[]

function server({ method, path, body }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (!path.startsWith(VIEWS))
    return { body: { count: 1, next: null, previous: null, results: [{ id: 'l1', name: 'env', value: 'prod' }] } }
  const id = path.slice(VIEWS.length, -1)
  const draft = body as Stored
  if (method === 'GET') return { body: stored }
  if (method === 'DELETE') {
    stored = stored.filter((view) => view.id !== id)
    return { status: 204 }
  }
  if (method === 'PATCH') {
    stored = stored.map((view) => (view.id === id ? { ...view, ...draft } : view))
    return { body: stored.find((view) => view.id === id) }
  }
  if (stored.some(({ list, name }) => list === draft.list && name === draft.name))
    return { status: 400, body: { name: ['Exists'] } }
  const made = { ...PLAIN, ...draft, id: `v${stored.length + 1}` }
  stored = [...stored, made]
  return { status: 201, body: made }
}
const PLAIN = { is_default: false, search: [], filters: {}, order: '', columns: [], density: 'comfortable' }

const open = (address = '/assets/labels') =>
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, address, '/assets/labels', {
    LabelDetail: '/assets/labels/:id',
  })
/** In another browser nothing is kept here. */
const openElsewhere = (address?: string) => {
  cleanup()
  localStorage.clear()
  forgetPreferences()
  return open(address)
}
const lastList = (calls: readonly Call[]) =>
  calls.filter(({ method, path }) => method === 'GET' && path === label.path).at(-1)?.query
const choose = async (menu: string | RegExp, item: string) => {
  await userEvent.click(await screen.findByRole('button', { name: menu }))
  await userEvent.click(await screen.findByRole('menuitem', { name: item }))
}

afterEach(cleanup)
beforeEach(() => {
  localStorage.clear()
  forgetPreferences()
  signIn()
  stored = []
})

test('filters, order, columns and density are kept under a name, and come back by it in another browser', async () => {
  const calls = serve(server)
  open('/assets/labels?search=prod&order=-name')
  await screen.findByRole('link', { name: 'env' })
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  await userEvent.click(screen.getByRole('radio', { name: 'Compact' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Comment' }))
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }))
  await choose('Views', 'Save this view…')
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the view' }), 'Production{Enter}')
  await screen.findByRole('button', { name: 'Views: Production' })

  const { router } = openElsewhere()
  await screen.findByRole('columnheader', { name: 'Comment' })
  await choose('Views', 'Production')
  await waitFor(() => expect(lastList(calls)?.get('search')).toBe('prod'))
  expect(lastList(calls)?.get('order')).toBe('-name')
  expect(screen.queryByRole('columnheader', { name: 'Comment' })).toBeNull()
  expect(router.state.location.search).toContain('search=prod')
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
  expect(screen.getByRole('radio', { name: 'Compact' })).toHaveProperty('checked', true)
})

test('a view gets another name, not that of another one, and is deleted', async () => {
  stored = [
    { ...PLAIN, id: 'v1', list: LIST, name: 'Mine' },
    { ...PLAIN, id: 'v2', list: LIST, name: 'Prod', ...{ search: ['prod'] } },
    { ...PLAIN, id: 'v3', list: 'elsewhere', name: 'Far' },
  ]
  serve(server)
  open()
  await choose('Views: Mine', 'Rename the view "Mine"…')
  const name = screen.getByRole('textbox', { name: 'Name of the view' })
  await userEvent.clear(name)
  await userEvent.type(name, 'Prod')
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  await userEvent.type(name, 's{Enter}')
  await screen.findByRole('button', { name: 'Views: Prods' })
  expect(stored.map((view) => view.name)).toEqual(['Prods', 'Prod', 'Far'])
  await choose('Views: Prods', 'Delete the view "Prods"')
  await userEvent.click(await screen.findByRole('button', { name: 'Views' }))
  const items = screen.getAllByRole('menuitem').map(({ textContent }) => textContent)
  expect(items).toEqual(['Prod', 'Without a view', 'Save this view…'])
})

test('a list opens with the view that is shown first, unless its address names rows', async () => {
  stored = [{ ...PLAIN, id: 'v1', list: LIST, name: 'Prod', ...{ search: ['prod'] } }]
  const calls = serve(server)
  open('/assets/labels?search=prod')
  await choose('Views: Prod', 'Show this view first')
  await waitFor(() => expect(stored[0]?.is_default).toBe(true))

  cleanup()
  const { router } = open()
  await screen.findByRole('button', { name: 'Views: Prod' })
  expect(router.state.location.search).toBe('?search=prod')
  await choose('Views: Prod', 'Without a view')
  await waitFor(() => expect(router.state.location.search).toBe(''))
  await screen.findByRole('button', { name: 'Views' })

  openElsewhere('/assets/labels?search=test')
  await screen.findByRole('link', { name: 'env' })
  expect(lastList(calls)?.get('search')).toBe('test')
  openElsewhere()
  await screen.findByRole('button', { name: 'Views: Prod' })
})

test('views that were kept in this browser alone go to the server once; a name that is taken there stays', async () => {
  const former = { search: ['prod'], filters: {}, order: '' }
  localStorage.setItem(
    'tableViews_ada',
    JSON.stringify({
      [LIST]: [
        { ...former, name: 'Prod' },
        { ...former, name: 'Taken' },
      ],
    }),
  )
  stored = [{ ...PLAIN, id: 'v1', list: LIST, name: 'Taken' }]
  const calls = serve(server)
  open('/assets/labels?search=prod')
  await screen.findByRole('button', { name: 'Views: Prod' })
  expect(stored).toEqual([
    expect.objectContaining({ name: 'Taken', search: [] }),
    expect.objectContaining({ name: 'Prod', search: ['prod'] }),
  ])
  const sent = () => calls.filter(({ method }) => method === 'POST').length
  expect(sent()).toBe(1)
  cleanup()
  open()
  await screen.findByRole('button', { name: 'Views: Taken' })
  expect(sent()).toBe(1)
})
