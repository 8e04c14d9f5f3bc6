import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { signIn } from '../test/harness.tsx'
import { confirmDanger, FeedbackHost } from './feedback.tsx'
import { forgetMessages } from './Messages.tsx'

afterEach(() => {
  cleanup()
  forgetMessages()
})

test('a confirmed action that fails says why and stays open, to be tried again', async () => {
  signIn()
  render(<FeedbackHost />)
  const work = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('The disk is full'))
  work.mockResolvedValueOnce()
  confirmDanger({ title: 'Do it?', content: 'Really?', okText: 'Do it', onOk: work })
  await userEvent.click(await screen.findByRole('button', { name: 'Do it' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full')
  screen.getByText('Really?')
  await userEvent.click(screen.getByRole('button', { name: /Do it$/ }))
  await waitFor(() => expect(work).toHaveBeenCalledTimes(2))
})
