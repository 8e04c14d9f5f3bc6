import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signIn } from '../../test/harness.tsx'
import { Button } from '../Button.tsx'
import { Dialog } from './Dialog.tsx'
import { DialogButtons } from './DialogButtons.tsx'
import { useDialogGuard } from './dialog-guard.ts'
import { ask, confirmDanger, FeedbackHost, openDialog, showError } from './feedback.tsx'
import { forgetMessages } from './Messages.tsx'

beforeEach(() => {
  signIn()
})
afterEach(() => {
  cleanup()
  forgetMessages()
})

/** A page with a button that opens a dialog. */
function Page({ children, onSubmit }: { children?: React.ReactNode; onSubmit?: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <main>
      <h1 tabIndex={-1}>Machines</h1>
      <Button onClick={() => setOpen(true)}>Open</Button>
      {isOpen && (
        <Dialog
          title="web-1"
          onClose={close}
          {...(onSubmit ? { onSubmit, foot: <DialogButtons okText="Save" onCancel={close} /> } : {})}
        >
          {children}
        </Dialog>
      )}
      <FeedbackHost />
    </main>
  )
}
const open = async () => userEvent.click(screen.getByRole('button', { name: 'Open' }))
const dialog = () => screen.queryByRole('dialog', { name: 'web-1' })
/** What covers the page, beside the dialog. */
const beside = () => screen.getByRole('dialog').parentElement as HTMLElement

test('a dialog has its first field in focus, Enter submits it, and Escape gives the focus back to what opened it', async () => {
  const submit = vi.fn()
  render(
    <Page onSubmit={submit}>
      <input aria-label="Name" />
    </Page>,
  )
  await open()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' })))
  await userEvent.keyboard('web-2{Enter}')
  expect(submit).toHaveBeenCalledOnce()
  await userEvent.keyboard('{Escape}')
  expect(dialog()).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' }))
})

test('a press beside a dialog closes it, unless something in it can be filled in', async () => {
  const { rerender } = render(<Page>Only to be read</Page>)
  await open()
  await userEvent.click(beside())
  expect(dialog()).toBeNull()
  rerender(
    <Page>
      <textarea aria-label="Comment" />
    </Page>,
  )
  await open()
  await userEvent.click(beside())
  expect(dialog()).not.toBeNull()
})

test('Escape closes the upper of two dialogs alone, wherever they are drawn', async () => {
  render(<Page>Below</Page>)
  await open()
  const answer = ask({ title: 'Sure?', okText: 'Yes' })
  await screen.findByRole('dialog', { name: 'Sure?' })
  await userEvent.keyboard('{Escape}')
  expect(await answer).toBe(false)
  expect(dialog()).not.toBeNull()
  await userEvent.keyboard('{Escape}')
  expect(dialog()).toBeNull()
})

function Guarded({ close }: { close: () => void }) {
  useDialogGuard(close)
  return 'Half a form'
}

test('a dialog that is asked for before there is a place for it waits; Escape and the cross ask content that would lose input', async () => {
  const guarded = vi.fn()
  openDialog({ title: 'Account', content: () => <Guarded close={guarded} /> })
  render(<FeedbackHost />)
  const box = await screen.findByRole('dialog', { name: 'Account' })
  await userEvent.click(within(box).getByRole('button', { name: 'Close' }))
  await userEvent.keyboard('{Escape}')
  expect(guarded).toHaveBeenCalledTimes(2)
  expect(screen.getByRole('dialog', { name: 'Account' })).toBe(box)
})

test('a confirmed action that fails says why in the dialog, once, and stays open, to be tried again', async () => {
  render(<FeedbackHost />)
  const work = vi.fn<() => Promise<void>>().mockImplementationOnce(async () => {
    // As the client of the API does for calls that are not quiet.
    showError('The disk is full')
    throw new Error('The disk is full')
  })
  work.mockResolvedValueOnce()
  confirmDanger({ title: 'Do it?', content: 'Really?', okText: 'Do it', onOk: work })
  const box = await screen.findByRole('alertdialog', { name: 'Do it?' })
  expect(document.activeElement?.textContent).toBe('Cancel')
  await userEvent.click(within(box).getByRole('button', { name: 'Do it' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full')
  expect(box.contains(screen.getByRole('alert'))).toBe(true)
  await userEvent.click(within(box).getByRole('button', { name: 'Do it' }))
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(work).toHaveBeenCalledTimes(2)
})

test('a greyed button is reached by the keyboard, does nothing, and says why to eyes and screen readers', async () => {
  const press = vi.fn()
  render(
    <>
      <Button whyDisabled="The root organization is read-only" onClick={press}>
        Update
      </Button>
      <FeedbackHost />
    </>,
  )
  await userEvent.tab()
  const button = screen.getByRole('button', { name: 'Update' })
  expect([document.activeElement, button.getAttribute('aria-disabled')]).toEqual([button, 'true'])
  expect(button.getAttribute('aria-description')).toBe('The root organization is read-only')
  expect(screen.getByRole('tooltip').textContent).toBe('The root organization is read-only')
  await userEvent.keyboard('{Enter}')
  await userEvent.click(button)
  expect(press).not.toHaveBeenCalled()
  fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(screen.queryByRole('tooltip')).toBeNull()
  fireEvent.pointerOver(button)
  expect((await screen.findByRole('tooltip')).textContent).toBe('The root organization is read-only')
})
