import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MFA_PATH } from '../../lib/api.ts'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from '../list/ListPage.tsx'
import { MfaVerifyHost } from '../second-factor/MfaVerifyDialog.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import { ExportDialog } from './ExportDialog.tsx'

/** Names of the files that were handed to the browser. */
let saved: string[]
let refuse: string | undefined

function server({ method, path, query }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (path === '/api/v1/common/resources/cache/') return { body: { spm: 'spm-1' } }
  if (path === MFA_PATH) return { status: 400, body: { detail: 'First', code: 'mfa_verify_required' } }
  if (query.get('format')) return refuse ? { status: 400, body: { detail: refuse, code: 'too_large' } } : { body: {} }
  return {
    body: { count: 1, next: null, previous: null, results: [{ id: 'l1', name: 'env', value: 'prod', assets: [] }] },
  }
}

beforeEach(() => {
  localStorage.clear()
  signIn()
  saved = []
  refuse = undefined
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download)
  })
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

async function openExport(address = '/l', pages: ResourcePages = labelPages) {
  const calls = serve(server)
  show(
    <>
      <ListPage pages={pages} base="Label" title="Labels" />
      <MfaVerifyHost />
    </>,
    address,
    '/l',
  )
  await screen.findByText('prod')
  return { calls, open: () => userEvent.click(screen.getByRole('button', { name: 'Export' })) }
}
const dialog = async () => within(await screen.findByRole('dialog', { name: 'Export' }))
const radio = (inside: ReturnType<typeof within>, name: string) =>
  inside.getByRole('radio', { name }) as HTMLInputElement
const asked = (calls: readonly Call[]) =>
  Object.fromEntries(calls.find(({ query }) => query.has('format'))?.query ?? [])

test('[A4.23 A5.16 A2.97 B2.16 B5.02 B9.33] without a filter all rows are exported, as CSV or XLSX, and the file is handed over', async () => {
  const { calls, open } = await openExport()
  await open()
  const inside = await dialog()
  expect(radio(inside, 'Export all').checked).toBe(true)
  expect([
    radio(inside, 'Export only selected items').disabled,
    radio(inside, 'Export only filtered').disabled,
  ]).toEqual([true, true])
  await userEvent.click(radio(inside, 'XLSX'))
  await userEvent.click(inside.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(asked(calls)).toEqual({ format: 'xlsx' })
  expect(saved).toEqual(['file'])
})

test('[A5.17 A5.18 B7.39 B7.42] a filter turns all off and filtered on; ticked rows go by a reference', async () => {
  const { calls, open } = await openExport('/l?search=pro&order=-name&page=1')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select row' }))
  await open()
  const inside = await dialog()
  expect(radio(inside, 'Export all').disabled).toBe(true)
  inside.getByText('Clear the search and filters to export everything.')
  await userEvent.click(radio(inside, 'Export only selected items'))
  await userEvent.click(inside.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(saved).toHaveLength(1))
  expect(asked(calls)).toEqual({ format: 'csv', order: '-name', spm: 'spm-1' })
  expect(calls.find(({ path }) => path.includes('cache'))?.body).toEqual({ resources: ['l1'] })
})

test('[A5.15] a time span is no filter; the dialog says that it applies to the file, and it does, but not to ticked rows', async () => {
  const calls = serve(server)
  const chosen = { date_from: '2026-11-01', date_to: '2026-11-08', limit: 15, offset: 30 }
  show(
    <ExportDialog listed={{ path: '/api/v1/x/', fixed: {}, chosen, selected: ['l1'] }} onClose={() => {}} />,
    '/',
    '/',
  )
  const inside = await dialog()
  const hint = () => inside.queryByText('Only rows within the chosen time span are in the file.') !== null
  expect(radio(inside, 'Export only selected items').checked).toBe(true)
  expect([radio(inside, 'Export all').disabled, radio(inside, 'Export only filtered').disabled]).toEqual([false, true])
  expect(hint()).toBe(false)
  await userEvent.click(radio(inside, 'Export all'))
  expect(hint()).toBe(true)
  await userEvent.click(inside.getByRole('button', { name: 'Confirm' }))
  await waitFor(() => expect(saved).toHaveLength(1))
  expect(asked(calls)).toEqual({ format: 'csv', date_from: '2026-11-01', date_to: '2026-11-08' })
})

test('a refused export says why in the dialog, which stays', async () => {
  const { open } = await openExport()
  await open()
  const inside = await dialog()
  refuse = 'An export holds at most 200000 rows: narrow it by filters.'
  await userEvent.click(inside.getByRole('button', { name: 'Confirm' }))
  expect((await inside.findByRole('alert')).textContent).toBe(refuse)
  expect(saved).toEqual([])
})

test('[A4.23 B4.06] where rows hold secrets the second factor comes first', async () => {
  const { open } = await openExport('/l', {
    ...labelPages,
    list: { ...labelPages.list, columns: ['name', 'value'], exportNeedsMfa: true },
  })
  await open()
  await screen.findByRole('dialog', { name: 'Verify MFA' })
  expect(screen.queryByRole('dialog', { name: 'Export' })).toBeNull()
})

test('[B2.07] a resource whose definition has no files has no buttons for them', async () => {
  serve(server)
  const bare = {
    ...labelPages,
    definition: { ...label, operations: ['list', 'create', 'update'] as const },
  }
  show(<ListPage pages={bare} base="Label" title="Labels" />, '/l', '/l')
  await screen.findByText('prod')
  expect(screen.queryByRole('button', { name: /Import|Export/ })).toBeNull()
})
