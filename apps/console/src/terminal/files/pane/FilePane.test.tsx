import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FolderChanges } from '../folder/folder-changes.ts'
import { TransferEngine } from '../transfer/transfer-engine.ts'
import { FilePane } from './FilePane.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** A pane with one file in it; the list that has the keyboard. */
async function openPane(): Promise<HTMLElement> {
  const entries = [{ name: 'letter', kind: 'file', size: 5, modified: 0, mode: 0o644 }]
  const listing = {
    is_machine: true,
    machine: 'vault',
    top: '/Default/vault',
    may_upload: true,
    may_download: true,
    entries,
  }
  vi.stubGlobal(
    'fetch',
    async () => new Response(JSON.stringify(listing), { headers: { 'content-type': 'application/json' } }),
  )
  const changes = new FolderChanges()
  render(
    <FilePane
      label="Left pane"
      isActive
      path="/Default/vault"
      other={undefined}
      engine={new TransferEngine({ userId: 'me', onChanged: changes.say, onSignedOut: () => {} })}
      changes={changes}
      onPath={() => {}}
      onActive={() => {}}
      onContent={() => {}}
    />,
  )
  await screen.findByText('Entries: 1')
  const list = screen.getByRole('listbox')
  list.focus()
  return list
}

test('after a dialog the keyboard goes on in the list of files', async () => {
  const list = await openPane()
  await userEvent.keyboard('{ArrowDown}{F2}')
  const field = await screen.findByDisplayValue('letter')
  field.focus()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(document.activeElement).toBe(list))
})

test('the menu key is for the chosen file, a right click beside the files for the folder', async () => {
  const list = await openPane()
  await userEvent.keyboard('{ArrowDown}')
  fireEvent.contextMenu(list, { button: 0 })
  expect(screen.getByRole('option', { selected: true }).textContent).toContain('letter')
  fireEvent.contextMenu(list, { button: 2 })
  expect(screen.queryByRole('option', { selected: true })).toBeNull()
})
