import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FeedbackDialogs } from '../../design/dialogs/FeedbackDialogs.tsx'
import { Messages } from '../../design/dialogs/Messages.tsx'
import { serve } from '../../test/harness.tsx'
import { WaitingSessions } from './WaitingSessions.tsx'

afterEach(cleanup)

const waiting = {
  id: 's1',
  asset: 'web-1(10.0.0.1)',
  asset_id: 'a1',
  system_user: 'Deploy(deploy)',
  system_user_id: 'u1',
  protocol: 'ssh',
  is_waiting: true,
}

/** The list as the server answers it now. */
function show(list: () => object[]) {
  const onResume = vi.fn()
  serve(({ path }) => (path === '/koko/sessions/' ? { body: list() } : undefined))
  render(
    <>
      <Messages />
      <FeedbackDialogs />
      <WaitingSessions known={[]} onResume={onResume} />
    </>,
  )
  return onResume
}

test('[A6.15] a session that waits is gone on with', async () => {
  const onResume = show(() => [waiting])
  await userEvent.click(await screen.findByRole('button', { name: 'Resume' }))
  await waitFor(() =>
    expect(onResume).toHaveBeenCalledExactlyOnceWith(
      { targetId: 'a1', targetName: 'web-1', systemUserId: 'u1', systemUserName: 'Deploy', protocol: 'ssh' },
      's1',
    ),
  )
})

test('[A6.15] one that was ended since the list was read opens nothing: it is taken away, and said to be over', async () => {
  let list: object[] = [waiting]
  const onResume = show(() => list)
  const button = await screen.findByRole('button', { name: 'Resume' })
  list = []
  await userEvent.click(button)
  await screen.findByText('The session has ended in the meantime.')
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
  expect(onResume).not.toHaveBeenCalled()
})

test('[A6.15] several are counted in one line, which opens where there is little room', async () => {
  show(() => [waiting, { ...waiting, id: 's2', asset: 'web-2(10.0.0.2)' }])
  const line = await screen.findByRole('button', { name: 'Sessions waiting for you: 2', hidden: true })
  const region = screen.getByRole('region', { name: 'Sessions waiting for you' })
  const isOpen = () => [line.getAttribute('aria-expanded'), region.dataset.open]
  expect([...isOpen(), region.dataset.several]).toEqual(['false', 'false', 'true'])
  await userEvent.click(line)
  expect(isOpen()).toEqual(['true', 'true'])
})
