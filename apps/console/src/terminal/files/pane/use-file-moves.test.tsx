import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { FeedbackDialogs } from '../../../design/dialogs/FeedbackDialogs.tsx'
import type { Entry } from '../folder/entries.ts'
import type { Listing } from '../folder/files-api.ts'
import { FolderChanges } from '../folder/folder-changes.ts'
import type { TransferEngine } from '../transfer/transfer-engine.ts'
import { useFileMoves } from './use-file-moves.ts'

const LETTER: Entry = { name: 'letter', kind: 'file', size: 5, modified: null, mode: null }
const listingOf = (machine: string): Listing => ({
  is_machine: true,
  machine,
  top: `/@${machine}`,
  may_upload: true,
  may_download: true,
  entries: [],
})

afterEach(cleanup)

test('Ctrl-X and Ctrl-V on another machine ask first, as the file is copied and stays; what was cut is not lost by a no', async () => {
  render(<FeedbackDialogs />)
  const copy = vi.fn()
  const engine = { copy } as unknown as TransferEngine
  const paneOf = (machine: string, chosen: Entry[]) =>
    renderHook(() =>
      useFileMoves({ path: `/@${machine}`, listing: listingOf(machine), chosen, engine, changes: new FolderChanges() }),
    )
  const vault = paneOf('vault', [LETTER])
  const cellar = paneOf('cellar', [])
  const paste = () => act(() => expect(cellar.result.current.handleCommand('v')).toBe(true))

  act(() => expect(vault.result.current.handleCommand('x')).toBe(true))
  paste()
  expect(await screen.findByText(/stay where they are/)).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(copy).not.toHaveBeenCalled()

  paste()
  await userEvent.click(await screen.findByRole('button', { name: 'Copy' }))
  await waitFor(() => expect(copy).toHaveBeenCalled())
  expect(copy).toHaveBeenCalledExactlyOnceWith([{ from: '/@vault/letter', to: '/@cellar/letter', size: 5 }], undefined)
  act(() => expect(cellar.result.current.handleCommand('v')).toBe(false))
})
