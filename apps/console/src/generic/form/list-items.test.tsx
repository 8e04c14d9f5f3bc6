import { defineResource } from '@sallyport/contract/define.ts'
import { CRUD } from '@sallyport/contract/operations.ts'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Call, metadataFor, serve, show, signIn } from '../../test/harness.tsx'
import { definePages } from '../view/define-pages.ts'
import { FormPage } from './FormPage.tsx'

const recipe = defineResource({
  name: 'recipe',
  path: '/api/v1/test/recipes/',
  label: 'Recipe',
  scope: 'org',
  operations: [...CRUD],
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID', readOnly: true },
    name: { type: 'string', label: 'Name', required: true, maxLength: 64 },
    steps: {
      type: 'list',
      label: 'Steps',
      required: true,
      fields: {
        key: { type: 'string', label: 'Key', required: true, maxLength: 8, pattern: '^[a-z]+$' },
        note: { type: 'string', label: 'Note', default: 'none', maxLength: 32 },
      },
    },
  },
  search: [],
  filters: [],
  ordering: [],
  defaultOrder: ['name'],
})
const pages = definePages(recipe, {
  list: { columns: ['name'] },
  form: { groups: [{ title: '', fields: ['name', { name: 'steps', item: 'Step' }] }] },
})
const stored = { id: 'r1', name: 'soup', steps: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] }

const open = async (refusal?: Record<string, unknown>) => {
  const calls = serve(({ method, body }: Call) => {
    if (method === 'OPTIONS') return { body: metadataFor(recipe) }
    if (method === 'GET') return { body: stored }
    return refusal ? { status: 400, body: refusal } : { body: { ...stored, ...(body as object) } }
  })
  show(
    <FormPage pages={pages} base="Recipe" title="Recipe update" mode="update" />,
    '/recipes/r1/update',
    '/recipes/:id/update',
    { RecipeList: '/recipes' },
  )
  await screen.findByRole('group', { name: 'Step 1' })
  return calls
}
const step = (at: number) => within(screen.getByRole('group', { name: `Step ${at}` }))
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const keysShown = () => screen.getAllByLabelText<HTMLInputElement>('Key').map(({ value }) => value)
const sent = (calls: readonly Call[]) => (calls.find(({ method }) => method === 'PUT')?.body as typeof stored)?.steps

beforeEach(() => signIn())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('items of a list are added, removed and moved, and the cursor goes with them', async () => {
  const calls = await open()
  await press('Move Step 3 up')
  expect(keysShown()).toEqual(['a', 'c', 'b'])
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move Step 2 up' }))
  await userEvent.keyboard('{Enter}')
  expect(keysShown()).toEqual(['c', 'a', 'b'])
  // At the top there is no further up: the other way is what is left.
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move Step 1 down' }))
  await press('Remove Step 2')
  // Enter twice removes no second one.
  expect(document.activeElement).toBe(step(1).getByLabelText('Key'))
  await press('Add: Step')
  await userEvent.keyboard('new')
  expect(keysShown()).toEqual(['c', 'b', 'new'])
  await press('Submit')
  await waitFor(() => expect(sent(calls)).toBeDefined())
  expect(sent(calls)).toEqual([{ key: 'c' }, { key: 'b' }, { key: 'new', note: 'none' }])
})

test('[A5.28 B5.09] the fault of an item, or of the list, is shown there, before and after it is sent', async () => {
  const calls = await open({ steps: [{}, { key: ['is taken'] }] })
  await userEvent.clear(step(1).getByLabelText('Key'))
  await userEvent.type(step(1).getByLabelText('Key'), 'A B')
  await press('Submit')
  step(1).getByText('This value is not in the expected format')
  expect(sent(calls)).toBeUndefined()
  await userEvent.clear(step(1).getByLabelText('Key'))
  await userEvent.type(step(1).getByLabelText('Key'), 'x')
  await press('Submit')
  await waitFor(() => step(2).getByText('is taken'))
  // It is said of no other item.
  await press('Remove Step 2')
  expect(screen.queryByText('is taken')).toBeNull()
  for (const _ of [1, 2]) await press('Remove Step 1')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add: Step' }))
  await press('Submit')
  expect(screen.getByText('This field is required').closest('[data-field]')?.getAttribute('data-field')).toBe('steps')
})

test('[B5.09] a text about the list as a whole is below it', async () => {
  await open({ steps: ['holds too much'] })
  await press('Submit')
  expect((await screen.findByText('holds too much')).closest('[data-field]')?.getAttribute('data-field')).toBe('steps')
})
