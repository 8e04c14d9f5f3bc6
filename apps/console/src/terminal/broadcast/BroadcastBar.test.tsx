import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { FeedbackDialogs } from '../../design/dialogs/FeedbackDialogs.tsx'
import { Messages } from '../../design/dialogs/Messages.tsx'
import type { Tab } from '../tabs/tabs.ts'
import { BroadcastBar } from './BroadcastBar.tsx'

const tab = (id: number, name: string): Tab => ({
  ...{ id, name, state: 'connected', attempt: 0, protocol: 'ssh' },
  ...{ targetId: name, targetName: name, systemUserId: 'u', systemUserName: 'deploy' },
})
const TABS = [tab(1, 'web-1'), tab(2, 'web-2'), tab(3, 'db-1')]

function Bar({ onSend }: { onSend: (text: string) => void }) {
  const [receivers, setReceivers] = useState(new Set([1, 2, 3]))
  return (
    <>
      <Messages />
      <FeedbackDialogs />
      <BroadcastBar
        isShown
        candidates={TABS}
        receivers={receivers}
        onReceive={(ids, isOn) =>
          setReceivers((now) => new Set(isOn ? [...now, ...ids] : [...now].filter((id) => !ids.includes(id))))
        }
        onWriting={() => {}}
        onSend={onSend}
      />
    </>
  )
}

afterEach(cleanup)

test('receivers of a broadcast are listed and chosen; without one nothing is sent', async () => {
  const onSend = vi.fn()
  const { container } = render(<Bar onSend={onSend} />)
  const line = screen.getByRole('textbox', { name: 'Batch command' })
  const names = () => container.querySelector('.wt-broadcast-names')?.textContent
  expect(names()).toBe('web-1, web-2, db-1')
  await userEvent.click(screen.getByRole('button', { name: 'To 3 of 3' }))
  const list = within(screen.getByRole('dialog', { name: 'Terminals that get it' }))
  await userEvent.click(list.getByRole('checkbox', { name: /db-1/ }))
  expect(names()).toBe('web-1, web-2')
  await userEvent.type(line, '  uptime {Enter}')
  expect(onSend).toHaveBeenCalledExactlyOnceWith('uptime')
  await userEvent.click(screen.getByRole('button', { name: 'To 2 of 3' }))
  await userEvent.click(screen.getByRole('button', { name: 'None' }))
  await userEvent.type(line, 'reboot{Enter}')
  await screen.findByText('Choose the terminals that get it first.')
  expect(onSend).toHaveBeenCalledOnce()
})

test('several lines are sent only after a question that names who runs them', async () => {
  const onSend = vi.fn()
  render(<Bar onSend={onSend} />)
  const line = screen.getByRole('textbox', { name: 'Batch command' })
  const paste = () => fireEvent.paste(line, { clipboardData: { getData: () => 'cd /srv\n\nrm -r old\n' } })
  paste()
  const dialog = within(
    await screen.findByRole('alertdialog', { name: /Run these lines in 3 terminals: web-1, web-2, db-1\?/ }),
  )
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(onSend).not.toHaveBeenCalled()
  paste()
  fireEvent.click((await screen.findAllByRole('button', { name: 'Paste' })).at(-1) as HTMLElement)
  await vi.waitFor(() => expect(onSend.mock.calls).toEqual([['cd /srv'], ['rm -r old']]))
})
