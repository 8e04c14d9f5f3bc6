import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../../../lib/query.ts'
import { labelPages } from '../../../pages/assets/label.page.tsx'
import { metadataFor, serve, show, signIn } from '../../../test/harness.tsx'
import { ListPage } from '../ListPage.tsx'

const ROUTES = {
  LabelList: '/labels',
  LabelCreate: '/labels/create',
  LabelUpdate: '/labels/:id/update',
  LabelDetail: '/labels/:id',
}

let names: string[]
beforeEach(async () => {
  localStorage.clear()
  signIn()
  names = ['env', 'team', 'zone']
  serve(({ method }) => {
    if (method === 'OPTIONS') return { body: metadataFor(label) }
    const results = names.map((name) => ({ id: name, name, value: 'prod', assets: [] }))
    return { body: { count: results.length, next: null, previous: null, results } }
  })
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, '/labels', '/labels', ROUTES)
  await screen.findByRole('link', { name: 'env' })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const focused = () => document.activeElement
const link = (name: string) => screen.getByRole('link', { name })
const inRow = (name: string) => within(link(name).closest('tr') as HTMLElement)
const more = (name: string) => inRow(name).getByRole('button', { name: /^More/ })

test('the rows of a list are one stop of the Tab key, which begins at the first name, and its heads are another', async () => {
  const table = screen.getByRole('table')
  const stops = [...table.querySelectorAll<HTMLElement>('a, button, input')].filter(({ tabIndex }) => tabIndex === 0)
  expect(stops).toEqual([screen.getByRole('checkbox', { name: 'Select all rows of this page' }), link('env')])
  link('env').focus()
  await userEvent.tab({ shift: true })
  expect(focused()).toBe(stops[0])
  await userEvent.keyboard('{ArrowRight}')
  expect(focused()?.textContent).toContain('Name')
  await userEvent.tab()
  expect(focused()).toBe(link('env'))
  await userEvent.tab()
  expect(table.contains(focused())).toBe(false)
})

test('arrows lead from row to row in the same column and within a row; the Tab key comes back to where they led', async () => {
  link('env').focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(focused()).toBe(link('team'))
  await userEvent.keyboard('{ArrowLeft}')
  expect(focused()).toBe(inRow('team').getByRole('checkbox'))
  await userEvent.keyboard(' {ArrowUp}')
  expect(inRow('team').getByRole<HTMLInputElement>('checkbox').checked).toBe(true)
  expect(focused()).toBe(inRow('env').getByRole('checkbox'))
  await userEvent.keyboard('{End}')
  expect(focused()).toBe(more('env'))
  // A menu opens by Enter alone, so that the arrows go on.
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  expect(focused()).toBe(more('zone'))
  await userEvent.tab()
  await userEvent.tab({ shift: true })
  expect(focused()).toBe(more('zone'))
  await userEvent.keyboard('{Control>}{Home}{/Control}')
  expect(focused()).toBe(more('env'))
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(focused()?.getAttribute('role')).toBe('menuitem'))
  await userEvent.keyboard('{Escape}')
  expect(focused()).toBe(more('env'))
})

test('when the row with the keyboard goes away by itself, the row in its place has it', async () => {
  more('team').focus()
  names = ['env', 'zone']
  await queryClient.invalidateQueries()
  await waitFor(() => expect(screen.queryByRole('link', { name: 'team' })).toBeNull())
  await waitFor(() => expect(focused()).toBe(more('zone')))
  // A focus that is elsewhere stays there.
  const search = screen.getByRole('textbox', { name: 'Search' })
  more('env').focus()
  search.focus()
  names = ['zone']
  await queryClient.invalidateQueries()
  await waitFor(() => expect(screen.queryByRole('link', { name: 'env' })).toBeNull())
  expect(focused()).toBe(search)
})
