import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { GivenFilesButton } from './GivenFiles.tsx'
import type { GivenFile } from './given-files.ts'
import { useGivenFiles } from './use-given-files.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const file = (id: number, name: string, more: Partial<GivenFile> = {}): GivenFile => ({
  ...{ id, name, path: name, size: 2048, modified: 0, is_own: true, is_open: false },
  ...more,
})

const arrived: string[] = []

function Panel({ version }: { version: number }) {
  const files = useGivenFiles('s1', version, (name) => arrived.push(name))
  return <GivenFilesButton session="s1" files={files} isOpen onOpen={() => {}} />
}

test('[A1.06] what the machine puts there is told and can be downloaded once it is whole', async () => {
  arrived.length = 0
  const answer = { may_upload: true, may_download: true, bytes_left: 1, entries: [file(1, 'plan.txt')] }
  const fetch = vi.fn(async (_address: string, _options?: RequestInit) => Response.json(answer))
  vi.stubGlobal('fetch', fetch)
  const shown = render(<Panel version={1} />)
  expect(await screen.findByRole('link', { name: 'Download plan.txt' })).toHaveProperty(
    'pathname',
    '/koko/desktops/s1/files/1/',
  )
  expect(screen.getByRole('button', { name: 'Upload files' })).toBeTruthy()

  answer.entries.push(file(2, 'report.csv', { is_own: false, is_open: true }))
  shown.rerender(<Panel version={2} />)
  expect(await screen.findByText('Being written by the machine')).toBeTruthy()
  expect([screen.queryByRole('link', { name: 'Download report.csv' }), arrived]).toEqual([null, []])

  answer.entries[1] = file(2, 'report.csv', { is_own: false })
  shown.rerender(<Panel version={3} />)
  const link = await screen.findByRole('link', { name: 'Download report.csv' })
  expect(within(link.closest('li') as HTMLElement).getByText('From the machine')).toBeTruthy()
  expect(arrived).toEqual(['report.csv'])
  fireEvent.click(screen.getByRole('button', { name: 'Remove plan.txt' }))
  await vi.waitFor(() =>
    expect(fetch.mock.calls.map(([address, options]) => [options?.method, address])).toContainEqual([
      'DELETE',
      '/koko/desktops/s1/files/1/',
    ]),
  )
})

test('a right that is missing is said, and nothing is offered that needs it', async () => {
  const answer = { may_upload: false, may_download: false, bytes_left: 1, entries: [file(1, 'plan.txt')] }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  render(<Panel version={1} />)
  expect(await screen.findByText('You have no permission to upload to this machine.')).toBeTruthy()
  expect(screen.getByText('You have no permission to download from this machine.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Upload files' })).toBeNull()
  expect(screen.queryByRole('link')).toBeNull()
})
