import type { Fields } from '@sallyport/contract/define.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
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

/** What a file may hold: everything that spreadsheet programs and CSV make something else of. */
const AWKWARD = '=1+1, "two"\nlines; ＝3 是'

/** The rows of a file of the list, as the console gets them to send. */
async function render(path: string, query: string, format = 'csv', language = 'en'): Promise<Row[]> {
  const headers = { authorization: `Bearer ${server.admin.token}`, cookie: `django_language=${language}` }
  const template = await server.kernel.app.inject({ method: 'GET', url: `${path}?format=${format}&${query}`, headers })
  const answer = await server.kernel.app.inject({
    method: 'POST',
    url: `${path}render-to-json/`,
    headers: { ...headers, 'content-type': `text/${format}` },
    payload: template.rawPayload,
  })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

/** The fields that a file can bring back. A file knows no difference between nothing and an empty text. */
function broughtBack(row: Row, fields: Fields): Row {
  const isWritten = (name: string) =>
    name === 'id' || (fields[name] && !fields[name].readOnly && !fields[name].writeOnly)
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => isWritten(name) && value !== null && value !== ''),
  )
}

/** A workbook, which takes a worker of its own to write and to read, holds the cells of the CSV file: one of each list. */
const FILES = [
  ...['export', 'update'].flatMap((template) => ['en', 'cn'].map((language) => [template, 'csv', language] as const)),
  ['export', 'xlsx', 'cn'],
] as const

describe.each(imported.map((definition) => [definition.name, definition] as const))('%s', (name, { path, fields }) => {
  test('[B7.42 B7.43 B7.45] a file of rows, of either kind and language, is imported as update and changes nothing', async () => {
    const address = `${path}${rows[name]?.id}/`
    if ('comment' in fields) expect((await server.admin.patch(address, { comment: AWKWARD })).status).toBe(200)
    const before = (await server.admin.get(address)).body
    for (const [template, format, language] of FILES) {
      const file = `${template} as ${format} in ${language}`
      const [values] = await render(path, `template=${template}&ids=${before.id}`, format, language)
      const answer = await server.admin.put(address, values)
      expect(answer.status, `${file}: ${JSON.stringify(answer.body)}`).toBe(200)
      const { date_updated: _, ...after } = (await server.admin.get(address)).body
      expect({ file, ...before, ...after }).toEqual({ file, ...before })
    }
  })
})

test('[B7.42 B7.45] rows that were exported and deleted are made again by an import of the file', async () => {
  const lost: unknown[] = []
  let made = 0
  // The last first: others refer to those that were made before, and some go with them.
  for (const name of Object.keys(rows).toReversed()) {
    const definition = imported.find((one) => one.name === name)
    if (!definition?.operations.includes('destroy')) continue
    const { path, fields } = definition
    const before = (await server.admin.get(`${path}${rows[name]?.id}/`)).body
    const [values] = await render(path, `ids=${before.id}`, 'xlsx', 'cn')
    expect((await server.admin.delete(`${path}${before.id}/`)).status, name).toBe(204)
    const { status, body } = await server.admin.post(path, values)
    if (status !== 201) lost.push({ name, body })
    else expect(broughtBack(body, fields)).toEqual(broughtBack(before, fields))
    made += 1
  }
  expect(lost).toEqual([])
  expect(made).toBeGreaterThan(10)
})

test('[B7.42 B7.45] a file exported when labels had other names is imported by them, in either language', async () => {
  const read = async (payload: string) => {
    const headers = { authorization: `Bearer ${server.admin.token}`, 'content-type': 'text/csv' }
    const url = `${systemUser.path}render-to-json/`
    return (await server.kernel.app.inject({ method: 'POST', url, headers, payload })).json().data
  }
  const meant = { name: 'deploy', login_mode: 'manual', auto_push: 'true', username_same_with_user: 'false' }
  expect(
    await read('Name,Login mode,Auto push,Username same with user\ndeploy,Manually input,true,false'),
  ).toMatchObject([meant])
  expect(await read('名称,登录方式,自动推送\ndeploy,手动输入,true')).toMatchObject([
    { name: 'deploy', login_mode: 'manual' },
  ])
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
