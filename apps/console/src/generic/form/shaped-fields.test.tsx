import { defineResource, type Fields } from '@sallyport/contract/define.ts'
import { CRUD } from '@sallyport/contract/operations.ts'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, fieldMetadata, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { definePages } from '../view/define-pages.ts'
import { FormPage } from './FormPage.tsx'

const SHAPES: Readonly<Record<string, Fields>> = {
  folder: {
    host: { type: 'string', label: 'Host', required: true, maxLength: 32 },
    path: { type: 'string', label: 'Path', required: true, maxLength: 32 },
    quota: { type: 'integer', label: 'Quota', default: 10 },
  },
  bucket: {
    host: { type: 'string', label: 'Host', required: true, maxLength: 32 },
    secret_key: { type: 'string', label: 'Secret key', required: true, writeOnly: true, maxLength: 32 },
  },
}
const store = defineResource({
  name: 'store',
  path: '/api/v1/test/stores/',
  label: 'Store',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64 },
    type: {
      type: 'choice',
      label: 'Type',
      required: true,
      choices: { folder: 'Folder', bucket: 'Bucket', none: 'None' },
    },
    meta: { type: 'object', label: 'Meta', required: true, shapeBy: 'type', shapes: SHAPES },
  },
  search: [],
  filters: [],
  ordering: [],
  defaultOrder: ['name'],
})
const pages = definePages(store, {
  list: { columns: ['name'] },
  form: { groups: [{ title: '', fields: ['name', 'type', 'meta'] }] },
})
const bucket = { id: 's1', name: 'backups', type: 'bucket', meta: { host: 'a.test' } }

/** Describes `meta` as the server does: by the type that the address names. */
function storeServer(refusal?: Record<string, unknown>) {
  return ({ method, query, body }: Call) => {
    if (method === 'GET') return { body: bucket }
    if (method !== 'OPTIONS')
      return refusal ? { status: 400, body: refusal } : { body: { ...bucket, ...(body as object) } }
    const inside = Object.entries(SHAPES[query.get('type') ?? ''] ?? {})
    const metadata = metadataFor(store)
    const meta = metadata.actions.POST.meta
    if (meta)
      Object.assign(meta, {
        shape_by: 'type',
        children: Object.fromEntries(inside.map(([name, field]) => [name, fieldMetadata(field)])),
      })
    return { body: metadata }
  }
}
const ROUTES = { StoreList: '/stores' }
const create = () =>
  show(<FormPage pages={pages} base="Store" title="Store create" mode="create" />, '/create', '/create', ROUTES)
const update = () =>
  show(
    <FormPage pages={pages} base="Store" title="Store update" mode="update" />,
    '/stores/s1/update',
    '/stores/:id/update',
    ROUTES,
  )
const submit = () => userEvent.click(screen.getByRole('button', { name: 'Submit' }))
const sent = (calls: readonly Call[], method: string) => calls.find((call) => call.method === method)?.body

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('an object has the fields of the type that is chosen, and what types share keeps what was typed', async () => {
  const calls = serve(storeServer())
  create()
  await userEvent.type(await screen.findByLabelText('Name'), 'shelf')
  expect(screen.queryByRole('group', { name: 'Meta' })).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: 'Bucket' }))
  await userEvent.type(await screen.findByLabelText('Host'), 'a.test')
  expect(screen.getByLabelText<HTMLInputElement>('Secret key').type).toBe('password')
  await userEvent.type(screen.getByLabelText('Secret key'), 'sesame')
  await userEvent.click(screen.getByRole('radio', { name: 'Folder' }))
  await userEvent.type(await screen.findByLabelText('Path'), '/srv')
  expect(screen.getByLabelText<HTMLInputElement>('Host').value).toBe('a.test')
  expect(screen.queryByLabelText('Secret key')).toBeNull()
  await submit()
  await waitFor(() => expect(sent(calls, 'POST')).toBeDefined())
  expect(sent(calls, 'POST')).toEqual({
    name: 'shelf',
    type: 'folder',
    meta: { host: 'a.test', path: '/srv', quota: 10 },
  })
})

test('a type without fields is sent with an empty object', async () => {
  const calls = serve(storeServer())
  create()
  await userEvent.type(await screen.findByLabelText('Name'), 'shelf')
  await userEvent.click(screen.getByRole('radio', { name: 'None' }))
  await submit()
  await waitFor(() => expect(sent(calls, 'POST')).toEqual({ name: 'shelf', type: 'none', meta: {} }))
})

test('a stored secret is never shown, stays when its field is left empty, and is asked for under another type', async () => {
  const calls = serve(storeServer())
  update()
  const secret = await screen.findByLabelText<HTMLInputElement>('Secret key')
  expect(secret.value).toBe('')
  screen.getByText('Leave empty to keep what is stored')
  await userEvent.click(screen.getByRole('radio', { name: 'Folder' }))
  await screen.findByLabelText('Path')
  await userEvent.click(screen.getByRole('radio', { name: 'Bucket' }))
  await screen.findByLabelText('Secret key')
  await submit()
  await waitFor(() => expect(sent(calls, 'PUT')).toBeDefined())
  expect(sent(calls, 'PUT')).toEqual({ name: 'backups', type: 'bucket', meta: { host: 'a.test' } })
})

test('a row that becomes one of a type with a secret needs that secret', async () => {
  const calls = serve((call) =>
    call.method === 'GET' ? { body: { ...bucket, type: 'none', meta: {} } } : storeServer()(call),
  )
  update()
  await userEvent.click(await screen.findByRole('radio', { name: 'Bucket' }))
  await userEvent.type(await screen.findByLabelText('Host'), 'a.test')
  await submit()
  await screen.findByText('This field is required')
  expect(sent(calls, 'PUT')).toBeUndefined()
})

test('[A5.29] a refusal inside the object is shown beside its field', async () => {
  serve(storeServer({ meta: { host: ['This host is not reachable.'] } }))
  update()
  await screen.findByLabelText('Host')
  await submit()
  const refusal = await screen.findByText('This host is not reachable.')
  expect(refusal.closest('.form-field')?.querySelector('input')).toBe(screen.getByLabelText('Host'))
})
