import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ComponentType, useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { forgetMessages, Messages } from '../design/dialogs/Messages.tsx'
import { lazyDialog, lazyPane } from './lazy-parts.tsx'
import { EMPTY_ROOM } from './pane/room.ts'
import { SideMenu } from './session/SideMenu.tsx'

afterEach(() => {
  cleanup()
  forgetMessages()
})

const FAILED = 'This could not be loaded. Try again; if it fails again, load the page again.'

/** Code that comes when it is asked for the second time. */
function secondTime<P>(component: ComponentType<P>) {
  let tries = 0
  return async () => {
    if (++tries === 1) throw new TypeError('Failed to fetch dynamically imported module')
    return component
  }
}

function Close({ onClose }: { onClose: () => void }) {
  return (
    <button type="button" onClick={onClose}>
      Close
    </button>
  )
}

/** A terminal whose line is broken, and a button that opens a dialog beside it. */
function Beside({ Dialog }: { Dialog: typeof Close }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Messages />
      <p>Connection lost, trying again…</p>
      <button type="button" onClick={() => setOpen(true)}>
        Share
      </button>
      {open && <Dialog onClose={() => setOpen(false)} />}
    </>
  )
}

test('a dialog whose code does not come says so, beside what stays, and opens once it does', async () => {
  const Dialog = lazyDialog(secondTime(Close)) as typeof Close
  render(<Beside Dialog={Dialog} />)
  await userEvent.click(screen.getByRole('button', { name: 'Share' }))
  expect((await screen.findByRole('alert')).textContent).toBe(FAILED)
  screen.getByText('Connection lost, trying again…')
  await userEvent.click(screen.getByRole('button', { name: 'Share' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
})

test('a tab whose code does not come says so in its place, when it is shown, and tries again', async () => {
  const Pane = lazyPane(secondTime((_: { active: boolean }) => <p>screen</p>))
  const { rerender, container } = render(<Pane active={false} />)
  await act(async () => {})
  expect(container.textContent).toBe('')
  rerender(<Pane active />)
  expect((await screen.findByRole('alert')).textContent).toContain(FAILED)
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByText('screen')
  // A hidden terminal stays connected.
  rerender(<Pane active={false} />)
  screen.getByText('screen')
})

test('the dialog for sharing a session opens, and closes', async () => {
  const shared = { count: 0 }
  render(<SideMenu room={EMPTY_ROOM} mayShare onShare={() => {}} onShared={() => shared.count++} />)
  await userEvent.click(screen.getByRole('button', { name: 'Share' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Close' }))
  expect(shared.count).toBe(1)
})
