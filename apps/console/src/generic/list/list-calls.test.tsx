import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setRequestOrg } from '../../lib/api.ts'
import { queryClient } from '../../lib/query.ts'
import { type Call, metadataFor, serve, showRouter, signIn } from '../../test/harness.tsx'
import { definePages } from '../view/define-pages.ts'
import { ListPage } from './ListPage.tsx'
import { askForList } from './list-calls.ts'

const pages = definePages(label, { list: { columns: ['name', 'value'], query: { kind: 'plain' } } })

beforeEach(() => {
  queryClient.clear()
  localStorage.clear()
  signIn()
})
afterEach(() => {
  cleanup()
  setRequestOrg(undefined)
  history.replaceState(null, '', '/')
  vi.unstubAllGlobals()
})

/** The server, which tells rows of one address from those of another. */
const serveLabels = () =>
  serve(({ method, query }) => ({
    body:
      method === 'OPTIONS'
        ? metadataFor(label)
        : {
            count: 40,
            next: null,
            previous: null,
            results: [{ id: 'l1', name: `from ${query.get('offset')}`, value: 'x' }],
          },
  }))

/** Draws the list as it is at an address. */
function draw(address: string) {
  const element = <ListPage pages={pages} base="Label" title="Labels" />
  showRouter(createMemoryRouter([{ path: '/labels', element }], { initialEntries: [address] }))
}

/** Without that for the views of the person. */
const ofList = (calls: readonly Call[]) => calls.filter(({ path }) => path === label.path)

const ADDRESS = '/labels?search=a&page=2&size=30'

test('the rows of a list are asked for before it is drawn, with its own query and the address, and once', async () => {
  history.replaceState(null, '', ADDRESS)
  const calls = serveLabels()
  askForList(pages)
  const asked = calls.map(({ method, query }) => [method, query.get('search'), query.get('offset'), query.get('kind')])
  expect(asked).toEqual([
    ['OPTIONS', null, null, null],
    ['GET', 'a', '30', 'plain'],
  ])
  draw(ADDRESS)
  await screen.findByText('from 30')
  expect(ofList(calls)).toHaveLength(2)
})

test('rows that were there before the list was drawn are shown at once; a list at another address asks for its own', async () => {
  history.replaceState(null, '', ADDRESS)
  const calls = serveLabels()
  askForList(pages)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  draw(ADDRESS)
  screen.getByText('from 30')
  cleanup()
  draw('/labels')
  await screen.findByText('from 0')
  expect(ofList(calls)).toHaveLength(3)
})

test('rows that a change has made old are read again, however new they are', async () => {
  history.replaceState(null, '', ADDRESS)
  const calls = serveLabels()
  askForList(pages)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  await queryClient.invalidateQueries({ queryKey: [label.path, 'list'] })
  draw(ADDRESS)
  await waitFor(() => expect(ofList(calls)).toHaveLength(3))
})
