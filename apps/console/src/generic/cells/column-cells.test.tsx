import { label } from '@sallyport/contract/resources/assets/label.ts'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onApi } from '../../lib/api.ts'
import { metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ResourceTable } from '../list/ResourceTable.tsx'
import { askForMfa, MfaVerifyHost } from '../second-factor/MfaVerifyDialog.tsx'
import { definePages } from '../view/define-pages.ts'
import type { ColumnView, ListView } from '../view/list-view.ts'

const ROWS = [
  { id: 'l1', name: 'env', value: 'prod', comment: 'old', assets: ['a1', 'a2'] },
  { id: 'l2', name: 'team', value: 'web', comment: '', assets: ['a2', 'gone'] },
]
const ASSETS = [
  { id: 'a1', hostname: 'db-1', ip: '10.0.0.1' },
  { id: 'a2', hostname: 'web-1', ip: '10.0.0.2' },
]
let stored: typeof ROWS
let refusal: object | undefined
let isProven: boolean
let calls: ReturnType<typeof serve>

function open(column: ColumnView | string, list: Partial<ListView> = {}) {
  const pages = definePages(label, { list: { columns: ['name', column], hasActions: false, ...list } })
  return show(
    <>
      <ResourceTable pages={pages} base="Label" inAddress={false} />
      <MfaVerifyHost />
    </>,
    '/',
    '/',
  )
}

beforeEach(() => {
  localStorage.clear()
  signIn()
  onApi({ proveSecondFactor: askForMfa, showError: () => {} })
  stored = structuredClone(ROWS)
  refusal = undefined
  isProven = true
  calls = serve(({ method, path, body, query }) => {
    if (method === 'OPTIONS') return { body: metadataFor(label) }
    if (path === '/api/v1/assets/assets/') {
      const results = ASSETS.filter(({ id }) => query.get('ids')?.split(',').includes(id))
      return { body: { count: results.length, next: null, previous: null, results } }
    }
    if (path.endsWith('/system-users/')) return { body: [{ name: 'root' }, { name: 'deploy' }] }
    if (path.endsWith('/otp/verify/'))
      return isProven ? { body: {} } : { status: 400, body: { detail: 'first', code: 'mfa_verify_required' } }
    if (method === 'PATCH') {
      if (refusal) return { status: 400, body: refusal }
      stored = stored.map((row) => (path.includes(row.id) ? { ...row, ...(body as object) } : row))
      return { body: {} }
    }
    return { body: { count: stored.length, next: null, previous: null, results: stored } }
  })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const patched = () => calls.filter(({ method }) => method === 'PATCH').map(({ path, body }) => [path, body])

test('an editable cell is saved by PATCH with Enter, taken back with Escape, and a refusal is at the cell and keeps what was typed', async () => {
  open({ field: 'comment', editable: true })
  await userEvent.click(await screen.findByRole('button', { name: 'old' }))
  const box = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Comment of env' })
  await userEvent.type(box(), 'typed{Escape}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'old' }))
  expect(patched()).toEqual([])

  refusal = { comment: ['Too rude.'] }
  await userEvent.click(screen.getByRole('button', { name: 'old' }))
  await userEvent.clear(box())
  await userEvent.type(box(), 'new{Enter}')
  expect((await within(box().closest('td') as HTMLElement).findByRole('alert')).textContent).toBe('Too rude.')
  expect(box().value).toBe('new')

  refusal = undefined
  await userEvent.type(box(), 'er{Enter}')
  await screen.findByRole('button', { name: 'newer' })
  expect(patched()).toEqual([
    ['/api/v1/assets/labels/l1/', { comment: 'new' }],
    ['/api/v1/assets/labels/l1/', { comment: 'newer' }],
  ])
})

test('leaving an editable cell saves it, and an unchanged one sends nothing; rows that may not be updated are plain text', async () => {
  open({ field: 'comment', editable: true }, { canUpdate: (row) => row.id === 'l1' || 'It is built in' })
  await userEvent.click(await screen.findByRole('button', { name: 'old' }))
  await userEvent.tab()
  expect(patched()).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'old' }))
  await userEvent.keyboard('left')
  await userEvent.tab()
  await screen.findByRole('button', { name: 'left' })
  expect(patched()).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Comment of team' })).toBeNull()
})

test('the names behind the ids of a whole page come by one call; what is gone keeps its id', async () => {
  open({ field: 'assets', names: true })
  await screen.findByText('db-1, web-1')
  await screen.findByText('web-1, gone')
  expect(calls.filter(({ path }) => path === '/api/v1/assets/assets/').map(({ query }) => query.get('ids'))).toEqual([
    'a1,a2,gone',
  ])
})

test('[B7.40] names behind Show are read when they are asked for', async () => {
  open({
    field: 'system_users',
    title: 'Accounts',
    lazyNames: (row) => `/api/v1/perms/users/assets/${row.id}/system-users/`,
  })
  const [button] = await screen.findAllByRole('button', { name: 'Show' })
  expect(calls.some(({ path }) => path.endsWith('/system-users/'))).toBe(false)
  await userEvent.click(button as HTMLElement)
  await screen.findByText('root, deploy')
  expect(screen.getAllByRole('button', { name: 'Show' })).toHaveLength(1)
})

test('[A4.16 B4.07] a secret is covered until it is asked for and the second factor proven, can be hidden again, and hides itself', async () => {
  isProven = false
  stored = stored.slice(0, 1)
  open({ field: 'value', secret: { needsMfa: true } })
  await userEvent.click(await screen.findByRole('button', { name: 'Show' }))
  await screen.findByRole('dialog')
  expect(screen.queryByText('prod')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByText('prod')).toBeNull()

  isProven = true
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime })
  await user.click(screen.getByRole('button', { name: 'Show' }))
  await screen.findByText('prod')
  await user.click(screen.getByRole('button', { name: 'Hide' }))
  expect(screen.queryByText('prod')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show' }))
  await screen.findByText('prod')
  vi.advanceTimersByTime(30_000)
  await waitFor(() => expect(screen.queryByText('prod')).toBeNull())
})

test('a detail cell opens a dialog with facts of the row', async () => {
  open({ field: 'value', dialog: { fields: ['name', 'comment'], title: (row) => `About ${row.name}` } })
  await userEvent.click(await screen.findByRole('button', { name: 'prod' }))
  const dialog = await screen.findByRole('dialog', { name: 'About env' })
  expect(
    within(dialog)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent),
  ).toEqual(['env', 'old'])
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('how long ago something was stays true while the list is open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: new Date('2026-01-31T09:00:30Z') })
  stored = [{ ...stored[0], date_created: '2026/01/31 08:58:30 +0000' } as never]
  open('date_created')
  const moment = await screen.findByText('2 minutes ago')
  expect(moment.title).toMatch(/2026/)
  act(() => void vi.advanceTimersByTime(3_600_000))
  expect(moment.textContent).toBe('1 hour ago')
})

test('numbers are as people write them, read from the right', async () => {
  stored = [{ ...stored[0], asset_count: 12_345 } as never]
  open('asset_count')
  const cell = await screen.findByRole('cell', { name: '12,345' })
  expect(cell.className).toContain('right')
})
