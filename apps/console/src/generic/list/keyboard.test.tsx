import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from './ListPage.tsx'

const ROUTES = {
  LabelList: '/labels',
  LabelCreate: '/labels/create',
  LabelUpdate: '/labels/:id/update',
  LabelDetail: '/labels/:id',
}

beforeEach(() => {
  localStorage.clear()
  signIn()
  serve(({ method }) =>
    method === 'OPTIONS'
      ? { body: metadataFor(label) }
      : {
          body: {
            count: 1,
            next: null,
            previous: null,
            results: [{ id: 'l1', name: 'env', value: 'prod', assets: [] }],
          },
        },
  )
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, '/labels', '/labels', ROUTES)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const focused = () => document.activeElement

test('menus of a row and of the search box take the keyboard when they open, and give it back', async () => {
  const more = () => screen.getByRole('button', { name: /^More/ })
  await screen.findByRole('link', { name: 'env' })
  more().focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(focused()?.getAttribute('role')).toBe('menuitem'))
  expect(focused()?.textContent).toBe('Delete')
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(focused()).toBe(more()))

  screen.getByRole('button', { name: 'Filter by field' }).focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(focused()?.getAttribute('role')).toBe('menuitem'))
  await userEvent.click(screen.getByRole('menuitem', { name: 'Value' }))
  await waitFor(() => expect(focused()).toBe(screen.getByRole('textbox', { name: 'Search' })))
})

test('the column chooser and the dialogs of files begin at their first control and end where they were opened', async () => {
  const columns = await screen.findByRole('button', { name: 'Columns' })
  await userEvent.click(columns)
  await waitFor(() => expect(focused()).toBe(screen.getByRole('checkbox', { name: 'Value' })))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(focused()).toBe(columns))
  const button = screen.getByRole('button', { name: 'Export' })
  await userEvent.click(button)
  await screen.findByRole('dialog')
  await waitFor(() => expect(focused()).toBe(screen.getByRole('radio', { name: 'CSV' })))
  await userEvent.keyboard('{Escape}')
  expect(focused()).toBe(button)
  const importing = screen.getByRole('button', { name: 'Import' })
  await userEvent.click(importing)
  await screen.findByRole('dialog')
  await waitFor(() => expect(focused()).toBe(screen.getByRole('radio', { name: 'Create' })))
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(focused()).toBe(importing))
})

test('a word that is taken out of the search by a key leaves the keyboard in the box', async () => {
  const box = await screen.findByRole('textbox', { name: 'Search' })
  await userEvent.type(box, 'prod{Enter}')
  const remove = await screen.findByRole('button', { name: 'Remove filter prod' })
  remove.focus()
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove filter prod' })).toBeNull())
  expect(focused()).toBe(screen.getByRole('textbox', { name: 'Search' }))
})
