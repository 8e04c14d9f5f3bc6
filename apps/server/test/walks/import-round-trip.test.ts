import { user } from '@sallyport/contract/resources/users/user.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestServer, PASSWORD, type TestServer } from '../server.ts'
import { makeOneOfEach, type OneOfEach, ofOrganisations, type Row } from './one-of-each.ts'

let server: TestServer
let rows: OneOfEach
const warnings: string[] = []
const hear = ({ message }: Error) => warnings.push(message)

beforeAll(async () => {
  process.on('warning', hear)
  server = await openTestServer()
  rows = await makeOneOfEach(server, server.admin)
  rows.user = (await server.admin.get(`/api/v1/users/users/${(await server.aPerson('somebody')).id}/`)).body
})
afterAll(async () => {
  process.off('warning', hear)
  await server?.close()
})

const imported = [...ofOrganisations, user].filter(
  ({ operations }) => operations.includes('import') && operations.includes('update'),
)

/** The rows of a template, as the console gets them to send. */
async function render(path: string, query: string): Promise<Row[]> {
  const headers = { authorization: `Bearer ${server.admin.token}`, cookie: 'django_language=en' }
  const template = await server.kernel.app.inject({ method: 'GET', url: `${path}?format=csv&${query}`, headers })
  const answer = await server.kernel.app.inject({
    method: 'POST',
    url: `${path}render-to-json/`,
    headers: { ...headers, 'content-type': 'text/csv' },
    payload: template.rawPayload,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

describe.each(imported.map((definition) => [definition.name, definition] as const))('%s', (name, { path, fields }) => {
  test('[B7.43 B7.45] a row that is exported to be updated is imported unchanged', async () => {
    const before = (await server.admin.get(`${path}${rows[name]?.id}/`)).body
    const [values] = await render(path, `template=update&ids=${before.id}`)
    const answer = await server.admin.put(`${path}${before.id}/`, values)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    // A file knows no difference between nothing and an empty text.
    const plain = (row: Row) =>
      Object.fromEntries(
        Object.entries(row).filter(
          ([key, value]) => key in fields && value !== null && value !== '' && key !== 'date_updated',
        ),
      )
    expect(plain(answer.body)).toEqual(plain(before))
  })
})

test('[B7.43] an update file does not hold passwords, and importing it leaves them as they are', async () => {
  await server.aPerson('keeps-password')
  const [values] = await render(user.path, 'template=update&search=keeps-password')
  expect(values).toMatchObject({ username: 'keeps-password', password: '' })
  expect((await server.admin.put(`${user.path}${values?.id}/`, values)).status).toBe(200)
  expect((await server.signIn('keeps-password', PASSWORD)).username).toBe('keeps-password')
})

test('[B7.42] an export, which runs on one connection, asks it one question at a time', async () => {
  for (const { path } of imported) expect((await server.admin.get(`${path}?format=csv`)).status, path).toBe(200)
  expect(warnings).toEqual([])
})
