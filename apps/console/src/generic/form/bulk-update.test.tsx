import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, metadataFor, questionTitled, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from '../list/ListPage.tsx'
import { bulkUpdate, byField } from './bulk-update.tsx'

const pages = {
  ...labelPages,
  list: { columns: ['name'], bulkActions: [bulkUpdate({ path: label.path, fields: ['name', 'value', 'comment'] })] },
}
let refusal: unknown

beforeEach(() => {
  localStorage.clear()
  refusal = undefined
  signIn()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function labels({ method }: Call) {
  if (method === 'OPTIONS') return { body: metadataFor(label) }
  if (method === 'PATCH') return refusal ? { status: 400, body: refusal } : { body: [] }
  const results = ['l1', 'l2'].map((id) => ({ id, name: `env-${id}` }))
  return { body: { count: 2, next: null, previous: null, results } }
}

const open = async () => {
  const calls = serve(labels)
  show(<ListPage pages={pages} base="Label" title="Labels" />, '/labels', '/labels')
  await screen.findByText('env-l1')
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }))
  const bar = within(screen.getByRole('toolbar', { name: 'Selected rows' }))
  await userEvent.click(bar.getByRole('button', { name: /^Update/ }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByRole('checkbox', { name: 'Value' })
  return { calls, dialog, patches: () => calls.filter(({ method }) => method === 'PATCH') }
}

test('[A2.97 B2.07 B2.16 B3.07 B7.35] only ticked fields are shown and sent, with the id of every selected row', async () => {
  const { dialog, patches } = await open()
  const boxes = dialog.getAllByRole('checkbox')
  expect(boxes.map((box) => (box as HTMLInputElement).checked)).toEqual([true, true, true])
  for (const box of boxes) await userEvent.click(box)
  expect(dialog.queryByRole('button', { name: 'Confirm' })).toBeNull()
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Comment' }))
  await userEvent.type(await dialog.findByLabelText('Comment', { selector: 'textarea' }), 'both')
  expect(dialog.queryByLabelText('Value', { selector: '[type=text]' })).toBeNull()
  await userEvent.click(dialog.getByRole('button', { name: 'Confirm' }))
  await waitFor(() =>
    expect(patches().map(({ body }) => body)).toEqual([['l1', 'l2'].map((id) => ({ id, comment: 'both' }))]),
  )
  await screen.findByText('Saved')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('what would be emptied in every selected row is asked about first', async () => {
  const { dialog, patches } = await open()
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Value' }))
  await userEvent.type(await dialog.findByLabelText('Name', { selector: '[type=text]' }), 'env')
  await userEvent.click(dialog.getByRole('button', { name: 'Confirm' }))
  const question = () => questionTitled('Clear these fields of all selected rows?')
  expect((await question()).getByText('Comment')).toBeDefined()
  await userEvent.click((await question()).getByRole('button', { name: 'Cancel' }))
  expect(patches()).toEqual([])
  // The library keeps its sign of work for a moment.
  await userEvent.click(dialog.getByRole('button', { name: /Confirm$/ }))
  await userEvent.click((await question()).getByRole('button', { name: 'Confirm' }))
  await waitFor(() =>
    expect(patches().map(({ body }) => body)).toEqual([['l1', 'l2'].map((id) => ({ id, name: 'env', comment: null }))]),
  )
})

test('[A5.30 B5.08] the dialog is checked before it is sent, and a refusal is shown at its field in the open dialog', async () => {
  const { dialog, patches } = await open()
  for (const name of ['Name', 'Comment']) await userEvent.click(dialog.getByRole('checkbox', { name }))
  await userEvent.click(await dialog.findByRole('button', { name: 'Confirm' }))
  await dialog.findByText('This field is required')
  expect(patches()).toEqual([])
  refusal = [{}, { value: ['is taken'] }]
  await userEvent.type(dialog.getByLabelText('Value', { selector: '[type=text]' }), 'prod')
  await userEvent.click(dialog.getByRole('button', { name: 'Confirm' }))
  await dialog.findByText('env-l2: is taken')
})

test('what all rows are refused for is said once, other messages name their rows', () => {
  expect(byField([{ ip: ['bad'] }, { ip: ['bad'] }], ['a', 'b'])).toEqual({ ip: ['bad'] })
  expect(byField([{}, { ip: 'bad', name: ['long', 'odd'] }, { ip: 'bad' }], ['a', 'b', 'c'])).toEqual({
    ip: ['b, c: bad'],
    name: ['b: long', 'b: odd'],
  })
})
