import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { field, showForm } from '../../test/form.tsx'
import { signIn } from '../../test/harness.tsx'
import { type FormField, initialValues, rowValues } from '../view/form-groups.ts'
import type { FormContext } from '../view/form-view.ts'

beforeEach(() => {
  signIn()
})
afterEach(cleanup)

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Submit' }))
const choices = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ value: `c${at}`, display_name: `Choice ${at}` }))

test('[A5.22 B5.03] text without a limit is a text area of 3 rows, with one it is a line that takes no more', async () => {
  showForm([field('long'), field('short', { max_length: 8 })])
  const long = await screen.findByLabelText<HTMLTextAreaElement>('long')
  expect([long.tagName, long.rows]).toEqual(['TEXTAREA', 3])
  const short = screen.getByLabelText<HTMLInputElement>('short')
  expect([short.tagName, short.type, short.maxLength]).toEqual(['INPUT', 'text', 8])
})

test('[A5.23 A5.24 B5.03] secrets and fields named password hide what is typed; email and comment have their own kinds', async () => {
  showForm(
    ['password', 'email', 'comment']
      .map((name) => field(name, { max_length: 64 }))
      .concat(field('token', { write_only: true })),
  )
  const kind = (name: string) => {
    const input = screen.getByLabelText<HTMLInputElement>(name)
    return input.tagName === 'TEXTAREA' ? 'textarea' : input.type
  }
  await screen.findByLabelText('email')
  expect(['password', 'token', 'email', 'comment'].map(kind)).toEqual(['password', 'password', 'email', 'textarea'])
})

test('[A5.20] what edits a field comes from its name, else from being secret, else from its length', async () => {
  showForm([
    field('password'),
    field('comment', { write_only: true, max_length: 8 }),
    field('email'),
    field('key', { write_only: true }),
    field('note'),
    field('code', { max_length: 8 }),
  ])
  await screen.findByLabelText('note')
  const kind = (name: string) => {
    const input = screen.getByLabelText<HTMLInputElement>(name)
    return input.tagName === 'TEXTAREA' ? 'textarea' : input.type
  }
  expect(['password', 'comment', 'email', 'key', 'note', 'code'].map(kind)).toEqual([
    'password',
    'textarea',
    'email',
    'password',
    'textarea',
    'text',
  ])
})

test('[A5.25 B5.03] up to 4 choices are all in sight; of 5 one is looked for by typing', async () => {
  const sent = showForm([
    field('few', { type: 'choice', choices: choices(4) }),
    field('many', { type: 'choice', choices: choices(5) }),
  ])
  expect(await screen.findAllByRole('radio')).toHaveLength(4)
  await userEvent.click(screen.getByRole('radio', { name: 'Choice 1' }))
  await userEvent.type(await screen.findByRole('combobox'), '4')
  await userEvent.click(await screen.findByText('Choice 4'))
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ few: 'c1', many: 'c4' })
})

const context: FormContext = { mode: 'create', row: undefined, query: new URLSearchParams('protocol=rdp') }
const stored = (name: string, more: Partial<FormField> = {}): FormField =>
  ({ name, label: name, type: 'string', ...more }) as FormField

test('[A5.26 B5.03] a new form starts with the defaults of the metadata, unless the page says otherwise', () => {
  const fields = [
    stored('port', { default: 22 }),
    stored('protocol', { default: 'ssh', initial: ({ query }: FormContext) => query.get('protocol') }),
    stored('name'),
  ]
  expect(initialValues(fields, context)).toEqual({ port: 22, protocol: 'rdp' })
})

test('[A2.93 B2.13] a copy has the prefix before name and hostname and leaves secrets behind', () => {
  const fields = [stored('name'), stored('hostname'), stored('ip'), stored('password', { write_only: true })]
  const row = { id: 'a1', name: 'web', hostname: 'web.example', ip: '10.0.0.1', password: 'leaked' }
  expect(rowValues(row, fields, 'Clone from')).toEqual({
    name: 'Clone from web',
    hostname: 'Clone from web.example',
    ip: '10.0.0.1',
  })
})

test('[A5.27 B5.03] a field comes and goes with the value of another, and without it neither its rule nor its value counts', async () => {
  const sent = showForm([
    field('periodic', { type: 'boolean' }),
    field('every', { type: 'integer', required: true }, { visibleWhen: ({ periodic }) => periodic === true }),
  ])
  await userEvent.click(await screen.findByRole('switch'))
  await submit()
  await screen.findByText('This field is required')
  expect(sent).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('switch'))
  await waitFor(() => expect(screen.queryByLabelText('every')).toBeNull())
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ periodic: false })
})

test('[A5.03 B5.04] text that is not JSON is refused under its field', async () => {
  const sent = showForm([field('attrs', { type: 'nested object' })])
  await userEvent.type(await screen.findByLabelText('attrs'), '{{')
  await submit()
  expect((await screen.findAllByText('Not a valid json format')).length).toBeGreaterThan(0)
  expect(sent).not.toHaveBeenCalled()
})

test('[A5.29 B5.09] the fields of an object stand together and are sent as one', async () => {
  const sent = showForm([
    field('meta', {
      type: 'nested object',
      children: { host: { type: 'string', label: 'Host', max_length: 64 } } as never,
    }),
  ])
  await userEvent.type(await screen.findByLabelText('Host'), ' db ')
  expect(screen.getByRole('group', { name: 'meta' }).className).toBe('nested-fields')
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ meta: { host: 'db' } })
})

test('choices may follow from another field, and a value that they no longer have is taken back', async () => {
  const sent = showForm([
    field('cloud', { type: 'choice', choices: choices(2) }),
    field(
      'region',
      { type: 'choice', nullable: true },
      { widget: 'radio', depends: ({ cloud }) => ({ choices: cloud === 'c1' ? choices(2) : choices(1) }) },
    ),
  ])
  await userEvent.click((await screen.findAllByRole('radio', { name: 'Choice 1' }))[0] as HTMLElement)
  await userEvent.click((await screen.findAllByRole('radio', { name: 'Choice 1' }))[1] as HTMLElement)
  await userEvent.click(screen.getAllByRole('radio', { name: 'Choice 0' })[0] as HTMLElement)
  await submit()
  await waitFor(() => expect(sent).toHaveBeenCalled())
  expect(sent.mock.calls[0]?.[0]).toEqual({ cloud: 'c0', region: null })
})
