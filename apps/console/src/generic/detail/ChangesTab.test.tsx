import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serve, show, signIn } from '../../test/harness.tsx'
import { ChangesTab } from './ChangesTab.tsx'

beforeEach(() => {
  signIn()
})
afterEach(cleanup)

test('the changes of an object are listed on its page, each with what can be undone of it', async () => {
  const change = { label: 'Comment', before: 'old', after: 'new', added: [], removed: [], is_secret: false }
  const row = { id: 'o1', user: 'Ada(ada)', action: 'update', action_display: 'Update', changes: [change] }
  const calls = serve(({ path }) =>
    path === '/api/v1/audits/operate-logs/'
      ? {
          body: {
            count: 2,
            results: [
              { ...row, undo_state: 'open' },
              { ...row, id: 'o0', undo_state: 'done' },
            ],
          },
        }
      : { body: { is_possible: false, reason: 'Only a test.', objects: [] } },
  )
  show(<ChangesTab id="a1" />, '/', '/')
  const [, first, second] = await screen.findAllByRole('row')
  expect(calls[0]?.query.get('object_id')).toBe('a1')
  within(first as HTMLElement).getByText('Comment: old → new')
  within(second as HTMLElement).getByText('Undone')
  await userEvent.click(within(first as HTMLElement).getByRole('button', { name: 'Undo' }))
  await screen.findByText('Only a test.')
})
