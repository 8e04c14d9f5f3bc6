import type { Fields, ResourceDefinition } from '@sallyport/contract/define.ts'
import { loginAcl } from '@sallyport/contract/resources/acls/login-acl.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { getTableColumns, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourcesOf } from '../../src/kernel/resource/registry.ts'
import { openTestServer, PASSWORD, type TestServer } from '../server.ts'
import { draftOf, makeOneOfEach, type OneOfEach, ofOrganizations, type Row } from './one-of-each.ts'

let server: TestServer
let rows: OneOfEach
const warnings: string[] = []
const hear = ({ message }: Error) => warnings.push(message)

beforeAll(async () => {
  process.on('warning', hear)
  server = await openTestServer()
  rows = await makeOneOfEach(server, server.admin)
  const { id } = await server.aPerson('somebody')
  rows.user = (await server.admin.get(`/api/v1/users/users/${id}/`)).body
  rows.login_acl = (await server.admin.post(loginAcl.path, { ...draftOf(loginAcl, rows, server.admin), user: id })).body
})
afterAll(async () => {
  process.off('warning', hear)
  await server?.close()
})

const imported = [...ofOrganizations, user, loginAcl].filter(
  ({ operations }) => operations.includes('import') && operations.includes('update'),
)

/** Difficult content of a file: everything that spreadsheet programs and CSV change. */
const AWKWARD = '=1+1, "two"\nlines; ＝3 是, 007\r\n\tand \'quotes\''

/** Rules are read by naming the person that they are for. */
const question = (name: string) => (name === loginAcl.name ? `user=${rows.login_acl?.user}` : '')

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

/** Gives each field of text, and each list of texts, the awkward value where it may hold that. */
async function fillAwkwardly(address: string, fields: Fields): Promise<void> {
  for (const [name, { type, readOnly, writeOnly }] of Object.entries(fields)) {
    if (readOnly || writeOnly || !['string', 'text', 'strings'].includes(type)) continue
    const { status } = await server.admin.patch(address, { [name]: type === 'strings' ? [AWKWARD, '1'] : AWKWARD })
    expect(status, name).toBeOneOf(name === 'comment' ? [200] : [200, 400])
  }
}

/** Gives all times of the row that can be written what no file holds: parts of a second. */
async function addFractions(name: string, id: unknown, fields: Fields): Promise<void> {
  const table = tableOf(name)
  const times = Object.entries(getTableColumns(table)).filter(
    ([key, { dataType }]) => dataType === 'date' && fields[key] && !fields[key].readOnly,
  )
  const changes = times.map(
    ([, column]) => sql`${sql.identifier(column.name)} = date_trunc('second', ${column}) + interval '0.123456 s'`,
  )
  if (changes.length)
    await server.kernel.db.execute(sql`UPDATE ${table} SET ${sql.join(changes, sql`, `)} WHERE id = ${id}`)
}

/** The row as it is stored, to the last digit. */
async function stored(name: string, id: unknown): Promise<unknown> {
  const { rows: found } = await server.kernel.db.execute<{ row: Row }>(
    sql`SELECT to_jsonb(t) - 'date_updated' AS row FROM ${tableOf(name)} t WHERE id = ${id}`,
  )
  return found[0]?.row
}

function tableOf(name: string): PgTable {
  const found = resourcesOf(server.kernel)
    .all()
    .find(({ definition }) => definition.name === name)
  if (!found) throw new Error(`nothing is mounted as ${name}`)
  return found.mount.table
}

/** The changes by updates of that kind of row in the operate log. */
async function loggedChanges({ label }: ResourceDefinition): Promise<unknown[]> {
  const { rows: found } = await server.kernel.pool.query(
    `SELECT changes FROM audits_operate_log WHERE resource_type = $1 AND action = 'update' AND changes <> '[]' ORDER BY id`,
    [label],
  )
  return found
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

describe.each(imported.map((definition) => [definition.name, definition] as const))('%s', (name, definition) => {
  const { path, fields } = definition
  test('[B7.42 B7.43 B7.45] a file of rows, of either kind and language, is imported as update and changes nothing', async () => {
    const address = `${path}${rows[name]?.id}/?${question(name)}`
    await fillAwkwardly(address, fields)
    await addFractions(name, rows[name]?.id, fields)
    const before = (await server.admin.get(address)).body
    const [storedBefore, loggedBefore] = [await stored(name, before.id), await loggedChanges(definition)]
    for (const [template, format, language] of FILES) {
      const file = `${template} as ${format} in ${language}`
      const [values] = await render(path, `template=${template}&ids=${before.id}&${question(name)}`, format, language)
      const answer = await server.admin.put(address, values)
      expect(answer.status, `${file}: ${JSON.stringify(answer.body)}`).toBe(200)
      const { date_updated: _, ...after } = (await server.admin.get(address)).body
      expect({ file, ...before, ...after }).toEqual({ file, ...before })
      expect({ file, row: await stored(name, before.id) }).toEqual({ file, row: storedBefore })
    }
    expect(await loggedChanges(definition)).toEqual(loggedBefore)
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
    const before = (await server.admin.get(`${path}${rows[name]?.id}/?${question(name)}`)).body
    const [values] = await render(path, `ids=${before.id}&${question(name)}`, 'xlsx', 'cn')
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

test('[A5.12] a file that a Chinese spreadsheet program saved in GBK is known by its titles', async () => {
  // 名称,登录方式,用户名, then 部署,手动输入,web, in GBK.
  const payload = Buffer.from('c3fbb3c62cb5c7c2bcb7bdcabd2cd3c3bba7c3fb0ab2bfcaf02ccad6b6afcae4c8eb2c776562', 'hex')
  const headers = { authorization: `Bearer ${server.admin.token}`, 'content-type': 'text/csv' }
  const url = `${systemUser.path}render-to-json/`
  const answer = await server.kernel.app.inject({ method: 'POST', url, headers, payload })
  expect(answer.json().data).toEqual([{ name: '部署', login_mode: 'manual', username: 'web' }])
})

test('[B7.43] an update file does not hold passwords, and importing it leaves them as they are', async () => {
  await server.aPerson('keeps-password')
  const [values] = await render(user.path, 'template=update&search=keeps-password')
  expect(values).toMatchObject({ username: 'keeps-password', password: '' })
  expect((await server.admin.put(`${user.path}${values?.id}/`, values)).status).toBe(200)
  expect((await server.signIn('keeps-password', PASSWORD)).username).toBe('keeps-password')
})

test('[B7.42] an export, which runs on one connection, asks it one question at a time', async () => {
  for (const { name, path } of imported)
    expect((await server.admin.get(`${path}?format=csv&${question(name)}`)).status, path).toBe(200)
  expect(warnings).toEqual([])
})
