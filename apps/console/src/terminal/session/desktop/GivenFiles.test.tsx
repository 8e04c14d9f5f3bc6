import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { FIRST_PART } from '../../files/transfer/queue.ts'
import { GivenFilesButton } from './GivenFiles.tsx'
import type { GivenFile } from './given-files.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useGivenFiles } from './use-given-files.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const file = (id: number, name: string, more: Partial<GivenFile> = {}): GivenFile => ({
  ...{ id, name, path: name, size: 2048, modified: 0, is_own: true, is_open: false },
  ...more,
})

const reported: string[] = []
const onClipboard = vi.fn()

function Panel({ version }: { version: number }) {
  const files = useGivenFiles('s1', version, (words) => reported.push(words))
  return <GivenFilesButton session="s1" files={files} isOpen onOpen={() => {}} onClipboard={onClipboard} />
}

function OpenedByButton() {
  const files = useGivenFiles('s1', 1, () => {})
  const [isOpen, setOpen] = useState(false)
  return <GivenFilesButton session="s1" files={files} isOpen={isOpen} onOpen={setOpen} />
}

function DropPanel() {
  const pane = useRef<HTMLDivElement>(null)
  const files = useGivenFiles('s1', 1, () => {})
  const { handlers } = useFileDrop(pane, files.give)
  return (
    <div ref={pane} data-testid="pane" {...handlers}>
      <GivenFilesButton session="s1" files={files} isOpen onOpen={() => {}} />
    </div>
  )
}

test('[A1.06] a file that the machine puts there is listed, and can be downloaded once it is whole', async () => {
  reported.length = 0
  const answer = { may_upload: true, may_download: true, bytes_left: 1, copied: [], entries: [file(1, 'plan.txt')] }
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
  expect([screen.queryByRole('link', { name: 'Download report.csv' }), reported]).toEqual([null, []])

  answer.entries[1] = file(2, 'report.csv', { is_own: false })
  shown.rerender(<Panel version={3} />)
  const link = await screen.findByRole('link', { name: 'Download report.csv' })
  expect(within(link.closest('li') as HTMLElement).getByText('From the machine')).toBeTruthy()
  expect(reported).toEqual(['The machine has put report.csv into Files.'])
  fireEvent.click(screen.getByRole('button', { name: 'Remove plan.txt' }))
  await vi.waitFor(() =>
    expect(fetch.mock.calls.map(([address, options]) => [options?.method, address])).toContainEqual([
      'DELETE',
      '/koko/desktops/s1/files/1/',
    ]),
  )
})

test("[A2.64] the person's files go to the clipboard of the machine where both rights are there", async () => {
  const answer = { may_upload: true, may_download: true, may_paste: true, bytes_left: 1, copied: [] }
  const entries = [file(1, 'plan.txt'), file(2, 'report.csv', { is_own: false })]
  const fetch = vi.fn(async () => Response.json({ ...answer, entries }))
  vi.stubGlobal('fetch', fetch)
  const shown = render(<Panel version={1} />)
  fireEvent.click(await screen.findByRole('button', { name: 'Put plan.txt on the clipboard of the machine' }))
  expect([onClipboard.mock.calls, screen.getAllByRole('button', { name: /on the clipboard/ })]).toMatchObject([
    [[[1]]],
    { length: 1 },
  ])
  answer.may_paste = false
  shown.rerender(<Panel version={2} />)
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: /on the clipboard/ })).toBeNull())
})

test('[A1.06] an answer that was asked for earlier and comes later does not hide what is there by now', async () => {
  const answers: ((entries: GivenFile[]) => void)[] = []
  const fetch = async () =>
    new Promise<Response>((resolve) => {
      answers.push((entries) =>
        resolve(Response.json({ may_upload: true, may_download: true, bytes_left: 1, copied: [], entries })),
      )
    })
  vi.stubGlobal('fetch', fetch)
  const shown = render(<Panel version={1} />)
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  shown.rerender(<Panel version={2} />)
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[1]?.([file(1, 'plan.txt'), file(2, 'new.txt')])
  await screen.findByText('new.txt')
  await act(async () => {
    answers[0]?.([file(1, 'plan.txt')])
  })
  // The next answer is shown after whatever the old one did.
  shown.rerender(<Panel version={3} />)
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  expect(screen.getByText('new.txt')).toBeTruthy()
})

test('[A1.06] Escape leads from the files back to their button', async () => {
  const answer = { may_upload: true, may_download: true, bytes_left: 1, copied: [], entries: [] }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  render(<OpenedByButton />)
  const button = screen.getByRole('button', { name: 'Files' })
  button.focus()
  fireEvent.click(button)
  const box = await screen.findByRole('dialog', { name: 'Files' })
  await vi.waitFor(() => expect(document.activeElement).toBe(box))
  fireEvent.keyDown(box, { key: 'Escape' })
  expect(document.activeElement).toBe(button)
})

test('[A1.06] a large file goes in parts, which are one upload', async () => {
  const answer = { may_upload: true, may_download: true, bytes_left: 1e9, copied: [], entries: [] }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  const sent: { query: Record<string, string>; size: number }[] = []
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      upload = {}
      status = 202
      responseText = '{"upload":"u1"}'
      #address = ''
      abort() {}
      onload() {}
      onloadend() {}
      setRequestHeader() {}
      open(_method: string, address: string) {
        this.#address = address
      }
      send(body: Blob) {
        sent.push({ query: Object.fromEntries(new URL(this.#address, 'http://gate').searchParams), size: body.size })
        queueMicrotask(() => {
          this.onload()
          this.onloadend()
        })
      }
    },
  )
  render(<Panel version={1} />)
  const large = new File([], 'film.mkv')
  const size = FIRST_PART + 10
  Object.defineProperties(large, {
    size: { value: size },
    slice: { value: (from: number, to: number) => ({ size: Math.min(to, size) - from }) },
  })
  fireEvent.change(await screen.findByLabelText('Upload files', { selector: 'input' }), { target: { files: [large] } })
  await vi.waitFor(() =>
    expect(sent).toEqual([
      { query: { name: 'film.mkv', more: '1' }, size: FIRST_PART },
      { query: { name: 'film.mkv', upload: 'u1', offset: String(FIRST_PART) }, size: 10 },
    ]),
  )
})

test('a right that is missing is said, and nothing is offered that needs it', async () => {
  const answer = { may_upload: false, may_download: false, bytes_left: 1, copied: [], entries: [file(1, 'plan.txt')] }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  render(<Panel version={1} />)
  expect(await screen.findByText('You have no permission to upload to this machine.')).toBeTruthy()
  expect(screen.getByText('You have no permission to download from this machine.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Upload files' })).toBeNull()
  expect(screen.queryByRole('link')).toBeNull()
})

test('[A2.64] files copied on the machine are announced once, and downloaded file by file until something else is copied', async () => {
  reported.length = 0
  const copied = [
    { id: 4, name: 'plan.txt', path: 'work/plan.txt', size: 2048 },
    { id: 5, name: 'notes', path: 'notes', size: null },
  ]
  const answer = { may_upload: true, may_download: true, bytes_left: 1, entries: [], copied: [] as typeof copied }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  const shown = render(<Panel version={1} />)
  await screen.findByText('Nothing is there yet.')
  answer.copied = copied
  shown.rerender(<Panel version={2} />)
  const list = await screen.findByRole('list', { name: 'Copied on the machine' })
  expect(within(list).getByText('work/plan.txt')).toBeTruthy()
  expect(within(list).getByRole('link', { name: 'Download plan.txt' })).toHaveProperty(
    'pathname',
    '/koko/desktops/s1/files/copied/4/',
  )
  expect(within(list).getAllByRole('link')).toHaveLength(2)
  shown.rerender(<Panel version={3} />)
  // A page that is loaded again finds them there.
  cleanup()
  const again = render(<Panel version={1} />)
  await screen.findByRole('list', { name: 'Copied on the machine' })
  answer.copied = []
  again.rerender(<Panel version={2} />)
  await vi.waitFor(() => expect(screen.queryByRole('list', { name: 'Copied on the machine' })).toBeNull())
  expect(reported).toEqual(['2 files were copied on the machine: take what you need under Files.'])
})

test('[A1.06] a file without room, and a folder, is not sent, and says why in its place', async () => {
  const answer = { may_upload: true, may_download: true, bytes_left: 4, entries: [], copied: [] }
  vi.stubGlobal('fetch', async () => Response.json(answer))
  vi.stubGlobal('XMLHttpRequest', function sent() {
    throw new Error('it was sent')
  })
  render(<DropPanel />)
  await screen.findByRole('button', { name: 'Upload files' })
  const [large, holiday] = [new File(['12345'], 'large.txt'), new File([], 'holiday')]
  const items = [false, true].map((isDirectory) => ({ kind: 'file', webkitGetAsEntry: () => ({ isDirectory }) }))
  fireEvent.drop(screen.getByTestId('pane'), { dataTransfer: { types: ['Files'], files: [large, holiday], items } })
  const rowOf = (name: string) => screen.getByText(name).closest('li') as HTMLElement
  expect(within(rowOf('large.txt')).getByRole('alert').textContent).toBe('There is room for 4 B more in this session.')
  expect(within(rowOf('holiday')).getByRole('alert').textContent).toBe('Folders can’t be given: give their files.')
  fireEvent.click(screen.getByRole('button', { name: 'Remove holiday' }))
  expect(screen.queryByText('holiday')).toBeNull()
})
