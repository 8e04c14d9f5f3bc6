import type { UndoAnswer } from '@sallyport/contract/resources/audits/undo.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { noteChange, offerUndo } from '../../design/dialogs/last-change.ts'
import { forgetMessages } from '../../design/dialogs/Messages.tsx'
import { api, onApi } from '../../lib/api.ts'
import { serve, show, signIn } from '../../test/harness.tsx'
import { takeBack } from './take-back.tsx'

const UNDO = '/api/v1/audits/undo/c1/'
const ANSWER: UndoAnswer = {
  id: 'c1',
  is_possible: true,
  reason: null,
  total: 1,
  left: 0,
  change: 'c2',
  objects: [
    {
      object_type: 'asset',
      object_id: 'a1',
      resource_type: 'Asset',
      resource: 'web-1',
      action: 'update',
      changes: [],
      conflicts: [{ field: 'comment', label: 'Comment', before: 'first', after: 'second', now: 'third' }],
      notes: ['A secret has been changed since. It stays as it is.'],
    },
  ],
}

function Page() {
  const act = async (method: 'delete' | 'get') => {
    await api[method]('/api/v1/assets/assets/a1/')
    showSuccess(method === 'delete' ? 'Deleted' : 'Read')
  }
  return (
    <>
      <Button onClick={() => void act('delete')}>Delete it</Button>
      <Button onClick={() => void act('get')}>Read it</Button>
    </>
  )
}

beforeEach(() => {
  signIn()
  onApi({ changed: noteChange })
  offerUndo((id) => void takeBack(id))
})
afterEach(() => {
  cleanup()
  forgetMessages()
})

test('the message after a change offers to undo it, by keyboard too, and the undo can be undone', async () => {
  const calls = serve(({ method, path }) =>
    method === 'DELETE'
      ? { status: 204, headers: { 'x-change': 'c1' } }
      : path === UNDO
        ? { body: ANSWER, headers: { 'x-change': 'c2' } }
        : { body: {} },
  )
  show(<Page />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Read it' }))
  expect(within(await screen.findByRole('status')).queryByRole('button')).toBeNull()
  forgetMessages()
  await userEvent.click(screen.getByRole('button', { name: 'Delete it' }))
  const undo = await screen.findByRole('button', { name: 'Undo' })
  for (let steps = 0; steps < 5 && document.activeElement !== undo; steps++) await userEvent.tab()
  expect(document.activeElement).toBe(undo)
  await userEvent.keyboard('{Enter}')
  await screen.findByText('Undone')
  expect(calls.at(-1)).toMatchObject({ method: 'POST', path: UNDO, body: {} })
  expect(screen.queryByText('Deleted')).toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(calls.at(-1)?.path).toBe('/api/v1/audits/undo/c2/'))
})

test('fields that have changed since are shown side by side; a field that is to stay is named in the call', async () => {
  const conflict = { ...ANSWER, detail: 'It has been changed since.', code: 'conflict' }
  const calls = serve(({ method, path, body }) => {
    if (method === 'DELETE') return { status: 204, headers: { 'x-change': 'c1' } }
    if (path !== UNDO) return { body: {} }
    const isAnswered = method === 'GET' || (body as { force?: boolean }).force
    return isAnswered ? { body: ANSWER } : { status: 409, body: conflict }
  })
  show(<Page />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Delete it' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Undo' }))
  const table = within(await dialog.findByRole('table'))
  const [, row] = table.getAllByRole('row')
  expect([...(row?.children ?? [])].slice(0, 4).map(({ textContent }) => textContent)).toEqual([
    'Comment',
    'first',
    'second',
    'third',
  ])
  dialog.getByText('A secret has been changed since. It stays as it is.')
  await userEvent.click(dialog.getByRole('radio', { name: 'Leave as it is' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Undone')
  expect(calls.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    {},
    { force: true, keep: ['comment'] },
  ])
})

test('a refusal is said in the words of the server', async () => {
  serve(({ method, path }) =>
    method === 'DELETE'
      ? { status: 204, headers: { 'x-change': 'c1' } }
      : path === UNDO
        ? { status: 409, body: { detail: 'It has been taken back already.', code: 'conflict' } }
        : { body: {} },
  )
  show(<Page />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Delete it' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await screen.findByText('Undo failed: It has been taken back already.')
})
