import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { label } from '@sallyport/contract/resources/assets/label.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { labelPages } from '../../pages/assets/label.page.tsx'
import { type Call, isGreyed, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { ListPage } from '../list/ListPage.tsx'

type Values = Record<string, unknown>

/** The server's reading of the file. */
let rendered:
  | { title: [string, string][]; data: Values[]; ignored?: string[] }
  | { error: string; encodings?: object[] }
let calls: Call[]
/** Answers to rows wait for this. */
let gate: Promise<void>

const TITLE: [string, string][] = [
  ['Name', 'name'],
  ['Value', 'value'],
  ['Comment', 'comment'],
]

/** The comment is a secret in this resource. */
let secretive: boolean

function server({ method, path, query, body }: Call) {
  if (method === 'OPTIONS') {
    const { comment, ...fields } = label.fields
    return { body: metadataFor({ ...label, fields: { ...fields, comment: { ...comment, writeOnly: secretive } } }) }
  }
  if (path.endsWith('/render-to-json/')) return { status: 'error' in rendered ? 400 : 200, body: rendered }
  if (path.includes('/resources/cache/')) return { body: { spm: 'spm-1' } }
  if (query.get('template')) return { body: {} }
  if (path.includes('/import-jobs/'))
    return method === 'POST'
      ? { status: 202, body: { id: 'job' } }
      : { body: { status: 'done', finished: true, results: [{ index: 0, errors: null }, ...failures(1)] } }
  if (method === 'POST' || method === 'PUT')
    return (body as Values).name === 'taken'
      ? { status: 400, body: { name: ['Must be unique'], other: ['Odd'] } }
      : { status: 201, body: {} }
  return {
    body: { count: 1, next: null, previous: null, results: [{ id: 'l1', name: 'env', value: 'listed', assets: [] }] },
  }
}
const failures = (from: number) =>
  Array.from({ length: 600 - from }, (_, n) => ({ index: from + n, errors: { value: ['Long'] } }))

beforeEach(() => {
  localStorage.clear()
  signIn({ settings: { IMPORT_FILE_LIMIT_MB: 12 } })
  rendered = {
    title: TITLE,
    data: [
      { name: 'a', value: '1', comment: '' },
      { name: 'taken', value: '2', comment: '' },
    ],
  }
  gate = Promise.resolve()
  secretive = false
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Opens the dialog of the labels' list. */
async function openImport(before: () => Promise<void> = async () => {}) {
  calls = serve(server)
  const answered = globalThis.fetch
  vi.stubGlobal('fetch', async (...given: Parameters<typeof fetch>) => {
    if (given[1]?.method === 'POST' && typeof given[1].body === 'string') await gate
    return answered(...given)
  })
  const shown = show(<ListPage pages={labelPages} base="Label" title="Labels" />, '/l', '/l')
  await screen.findByText('listed')
  await before()
  await userEvent.click(screen.getByRole('button', { name: 'Import' }))
  await screen.findByRole('dialog')
  return shown
}
const input = () => document.querySelector('input[type=file]') as HTMLInputElement
const upload = (name = 'labels.csv') => userEvent.upload(input(), new File(['Name\na'], name), { applyAccept: false })
const press = (name: string) => userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name }))
const cell = (name: RegExp) => screen.findByRole('button', { name })
const counts = () =>
  within(screen.getByRole('group', { name: 'Status' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent)
const imported = () =>
  calls.filter(({ method, path }) => ['POST', 'PUT'].includes(method) && !/render|cache|jobs/.test(path))

test('[A5.13 A5.14 B5.01 B9.04] the hint names the limit in force, and turns into an alert for what cannot be read', async () => {
  await openImport()
  screen.getByText('One CSV or XLSX file of at most 12 MB')
  expect(screen.queryByRole('alert')).toBeNull()
  await upload('labels.xls')
  expect((await screen.findByRole('alert')).textContent).toContain('This is another type of file.')
  expect(calls.some(({ path }) => path.includes('render'))).toBe(false)
})

test('[A5.11] a file is looked at before it is sent: two at once, another type, another content and too much go nowhere', async () => {
  await openImport()
  const small = (name: string) => new File(['Name\na'], name)
  const refused: [words: string, files: File[]][] = [
    ['Choose one file at a time.', [small('a.csv'), small('b.csv')]],
    ['This is another type of file.', [small('a.xls')]],
    ['The content of this file does not match its name.', [small('a.xlsx')]],
    ['This file is larger.', [new File([new Uint8Array(12 * 2 ** 20 + 1)], 'a.csv')]],
  ]
  for (const [words, files] of refused) {
    fireEvent.drop(input(), { dataTransfer: { files } })
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain(words))
  }
  expect(calls.filter(({ path }) => path.includes('render'))).toEqual([])
})

test('[A5.12] a file that could be of several encodings shows what it says in each, and is read in the one that is chosen', async () => {
  const read = rendered
  rendered = {
    error: 'Several ways',
    encodings: [
      { encoding: 'gb18030', label: 'Simplified Chinese', sample: ['M黮ler'] },
      { encoding: 'windows-1252', label: 'Western European', sample: ['Müller', 'Zürich'] },
    ],
  }
  await openImport()
  await upload('people.csv')
  const group = within(await screen.findByRole('group', { name: /people\.csv/ }))
  const choices = group.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)
  expect(choices).toEqual(['Simplified ChineseM黮ler', 'Western EuropeanMüller\nZürich'])
  expect(group.getByRole('button').hasAttribute('disabled')).toBe(true)
  await userEvent.click(group.getByRole('radio', { name: /Western European/ }))
  rendered = read
  await userEvent.click(group.getByRole('button', { name: 'Read the file' }))
  await cell(/^Name, row 1: a/)
  const asked = calls.filter(({ path }) => path.endsWith('/render-to-json/')).map(({ query }) => query.get('encoding'))
  expect(asked).toEqual([null, 'windows-1252'])
})

test('[A3.10 B2.16 B3.06 B7.44 B9.05] a file is rendered by the server and shown in pages of ten, without columns that hold nothing', async () => {
  rendered = { title: TITLE, data: Array.from({ length: 23 }, (_, n) => ({ name: `n${n}`, value: 'v', comment: '' })) }
  await openImport()
  await upload()
  await cell(/^Name, row 1: n0/)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['Status', 'Name', 'Value']),
  )
  const table = within(screen.getByRole('region', { name: 'Rows of the file' }))
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Status', 'Name', 'Value'])
  expect(table.getAllByRole('row')).toHaveLength(11)
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: '3' }))
  expect(table.getAllByRole('row')).toHaveLength(4)
  expect(counts()).toEqual(['Total 23', 'Success 0', 'Failed 0', 'Pending 23'])
  expect(imported()).toEqual([])
})

test('rows are looked through before anything is sent: what is missing is marked, and corrected in its cell', async () => {
  rendered = {
    title: TITLE,
    data: [
      { name: 'a', value: '1', comment: '' },
      { name: 'b', value: '', comment: '' },
    ],
  }
  await openImport()
  await upload()
  await screen.findByText('1 row would be refused: correct the marked cells.')
  screen.getByText('Value: This field is required')
  expect(imported()).toEqual([])
  await userEvent.click(await cell(/^Value, row 2/))
  await userEvent.keyboard('2{Enter}')
  await screen.findByText('Checked: nothing is missing in these rows.')
})

test('[A3.10 B3.06 A4.18 A4.19 A4.20 A4.21 A2.97 B2.16 B4.03 B7.45 B8.12] Import sends row by row; a failed row names its fields, is mended in its cell, and Continue ends in Finished', async () => {
  await openImport()
  await upload()
  await cell(/^Name, row 1: a/)
  await press('Import')
  await within(screen.getByRole('dialog')).findByRole('button', { name: 'Continue' })
  expect(imported().map(({ body }) => body)).toEqual([
    { name: 'a', value: '1' },
    { name: 'taken', value: '2' },
  ])
  expect(counts()).toEqual(['Total 2', 'Success 1', 'Failed 1', 'Pending 0'])
  // Stored rows stay: a person who leaves now is done, and cancels nothing.
  const inside = within(screen.getByRole('dialog'))
  inside.getByRole('button', { name: 'Done' })
  expect(inside.queryByRole('button', { name: 'Cancel' })).toBeNull()
  await screen.findByText('Some rows failed to import. See why in the table, correct the cells and continue.')
  screen.getByText('Name: Must be unique')
  screen.getByText('other: Odd')
  await userEvent.click(screen.getByRole('button', { name: 'Failed 1' }))
  await userEvent.click(await cell(/^Name, row 2: taken/))
  await userEvent.keyboard('{Control>}a{/Control}free{Enter}')
  expect(counts()).toEqual(['Total 2', 'Success 1', 'Failed 0', 'Pending 1'])
  await press('Continue')
  await within(screen.getByRole('dialog')).findByRole('button', { name: 'Finished' })
  expect(imported().at(-1)?.body).toEqual({ name: 'free', value: '2' })
  expect(inside.queryByRole('button', { name: /Cancel|Done/ })).toBeNull()
  const lists = calls.length
  await press('Finished')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() =>
    expect(calls.slice(lists).some(({ method, path }) => method === 'GET' && path === label.path)).toBe(true),
  )
})

test('Escape takes back what was typed in a cell and leaves the dialog open', async () => {
  await openImport()
  await upload()
  await userEvent.click(await cell(/^Value, row 1: 1/))
  await userEvent.keyboard('234{Escape}')
  await cell(/^Value, row 1: 1$/)
})

test('passwords and keys of a file are not shown; a text of several lines keeps them while it is edited', async () => {
  secretive = true
  rendered = { title: TITLE, data: [{ name: 'a', value: 'one\ntwo', comment: 'hunter2' }] }
  await openImport()
  await upload()
  const hidden = await cell(/^Comment, row 1: ••••••$/)
  expect(screen.getByRole('dialog').innerHTML).not.toContain('hunter2')
  await userEvent.click(hidden)
  await userEvent.keyboard('3{Enter}')
  await userEvent.click(await cell(/^Value, row 1/))
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}three{Enter}')
  await press('Import')
  await waitFor(() =>
    expect(imported().map(({ body }) => body)).toEqual([{ name: 'a', value: 'one\ntwo\nthree', comment: 'hunter23' }]),
  )
})

test('[A4.18] Cancel while rows go stops at once and asks before it closes', async () => {
  let open = () => {}
  await openImport()
  await upload()
  await cell(/^Name, row 1: a/)
  gate = new Promise((resolve) => {
    open = resolve
  })
  await press('Import')
  await within(screen.getByRole('dialog')).findByRole('button', { name: 'Stop' })
  await press('Cancel')
  await screen.findByText('0 rows are stored already. 2 rows still wait and are not imported.')
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }))
  open()
  await waitFor(() => expect(counts()).toEqual(['Total 2', 'Success 1', 'Failed 0', 'Pending 1']))
  expect(imported()).toHaveLength(1)
  screen.getByRole('button', { name: 'Continue' })
})

test('leaving the page while rows go asks first', async () => {
  const { router } = await openImport()
  await upload()
  await cell(/^Name, row 1: a/)
  gate = new Promise(() => {})
  await press('Import')
  await within(screen.getByRole('dialog')).findByRole('button', { name: 'Stop' })
  void router.navigate('/elsewhere')
  await screen.findByText('Leave without saving?')
  expect(router.state.location.pathname).toBe('/l')
})

test('[A4.22 B4.05] switching the mode hides the preview; update puts each row to its id', async () => {
  await openImport()
  await upload()
  await cell(/^Name, row 1: a/)
  await userEvent.click(screen.getByRole('radio', { name: 'Update' }))
  expect(screen.queryByRole('region', { name: 'Rows of the file' })).toBeNull()
  screen.getByRole('dialog', { name: 'Import and update' })
  rendered = { title: [['ID', 'id'], ...TITLE], data: [{ id: 'l1', name: 'b', value: '', comment: '' }] }
  await upload()
  await cell(/^ID, row 1: l1/)
  await press('Import')
  await within(screen.getByRole('dialog')).findByRole('button', { name: 'Finished' })
  expect(imported()).toMatchObject([
    { method: 'PUT', path: `${label.path}l1/`, body: { id: 'l1', name: 'b', value: '', comment: '' } },
  ])
})

test('[B8.12] a file that the server cannot read is reported below the uploader, which is ready for the next one', async () => {
  rendered = { error: 'The file holds no rows.' }
  await openImport()
  await upload()
  expect((await screen.findByRole('alert')).textContent).toBe('The file holds no rows.')
  expect(input().value).toBe('')
  rendered = { title: TITLE, data: [{ name: 'a', value: '1' }] }
  await upload()
  await cell(/^Name, row 1: a/)
})

test('[B7.43] templates: empty to create; to update with ticked rows by reference, one row, or all', async () => {
  await openImport(() => userEvent.click(screen.getByRole('checkbox', { name: 'Select row' })))
  const asked = () => Object.fromEntries(calls.filter(({ query }) => query.has('template')).at(-1)?.query ?? [])
  await userEvent.click(screen.getByRole('button', { name: 'Download CSV template' }))
  await waitFor(() => expect(asked()).toEqual({ format: 'csv', template: 'import', limit: '1' }))
  await userEvent.click(screen.getByRole('radio', { name: 'Update' }))
  await userEvent.click(screen.getByRole('button', { name: 'Download XLSX with rows' }))
  await waitFor(() => expect(asked()).toEqual({ format: 'xlsx', template: 'update', spm: 'spm-1' }))
  await userEvent.click(screen.getByRole('radio', { name: 'One row as a sample' }))
  await userEvent.click(screen.getByRole('button', { name: 'Download XLSX with rows' }))
  await waitFor(() => expect(asked()).toEqual({ format: 'xlsx', template: 'update', limit: '1' }))
  await userEvent.click(screen.getByRole('radio', { name: 'All rows' }))
  await userEvent.click(screen.getByRole('button', { name: 'Download CSV with rows' }))
  await waitFor(() => expect(asked()).toEqual({ format: 'csv', template: 'update' }))
})

test('above 500 rows the server is offered, and its answers are shown like those of single rows', async () => {
  rendered = { title: TITLE, data: Array.from({ length: 600 }, (_, n) => ({ name: `n${n}`, value: 'v', comment: '' })) }
  await openImport()
  await upload()
  await userEvent.click(await screen.findByRole('button', { name: 'Import on the server' }))
  await waitFor(() => expect(counts()).toEqual(['Total 600', 'Success 1', 'Failed 599', 'Pending 0']))
  expect(calls.filter(({ path }) => path.endsWith('/import-jobs/'))).toHaveLength(1)
  expect(imported()).toEqual([])
  screen.getAllByText('Value: Long')
  screen.getByRole('button', { name: 'Download failed rows' })
})

test('[A6.32 B6.02] in the root organization nothing is imported', async () => {
  const root = { id: ROOT_ORG_ID, name: 'Global', is_root: true }
  signIn({ org: root, orgs: [root] })
  serve(server)
  show(<ListPage pages={labelPages} base="Label" title="Labels" />, '/l', '/l')
  await screen.findByText('listed')
  expect(isGreyed(screen.getByRole('button', { name: 'Import' }))).toBe(true)
})

test('columns that nobody knows are named before the import begins', async () => {
  rendered = { title: TITLE, data: [{ name: 'a', value: '1' }], ignored: ['Color', 'Reason', 'Size'] }
  await openImport()
  await upload()
  await screen.findByText('Columns that are not recognized and not imported: Color, Size')
})
