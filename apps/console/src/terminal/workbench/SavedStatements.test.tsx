import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { holdBack, serve, show, signIn } from '../../test/harness.tsx'
import { SavedStatements } from './SavedStatements.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('a statement is saved once however often that is asked, and deleted after a question', async () => {
  signIn()
  const calls = serve(({ method }) =>
    method === 'GET'
      ? { body: [{ id: 'i1', name: 'kept', statement: 'select 1' }] }
      : { status: method === 'POST' ? 201 : 204 },
  )
  const count = (wanted: string) => calls.filter(({ method }) => method === wanted).length
  const release = holdBack((method) => method === 'POST')
  show(<SavedStatements application="shop" text={() => 'select 2'} onChoose={() => {}} />, '/', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Saved statements' }))
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), 'other{Enter}{Enter}')
  release()
  await waitFor(() => expect(count('GET')).toBe(2))
  expect(count('POST')).toBe(1)

  await userEvent.click(await screen.findByRole('button', { name: 'Delete kept' }))
  const question = within(await screen.findByRole('alertdialog'))
  expect(count('DELETE')).toBe(0)
  await userEvent.click(question.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(count('DELETE')).toBe(1))
})
