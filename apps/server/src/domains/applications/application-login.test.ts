import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, component, type DomainServer, OTHER_ORG_ID, openDomainServer } from '../../../test/domain-server.ts'

let server: DomainServer
let app: { id: string }
let user: { id: string }

beforeAll(async () => {
  server = await openDomainServer()
  const attrs = { host: '10.0.0.8', database: 'orders' }
  app = await server.make('applications/applications', { name: 'orders', category: 'db', type: 'mysql', attrs })
  user = await server.make('assets/system-users', {
    name: 'clerk',
    username: 'clerk',
    protocol: 'mysql',
    password: 'identity',
  })
})
afterAll(() => server?.close())

const address = (id: string) => `/api/v1/assets/system-users/${user.id}/applications/${id}/auth-info/`
const read = (id = app.id, headers = component) => server.call('GET', address(id), undefined, headers)
const account = (columns: string, ...values: unknown[]) =>
  server.pool.query(`INSERT INTO applications_account (app, ${columns}, password_sealed) VALUES ($1, $2, $3)`, [
    app.id,
    ...values,
  ])

test('a component logs in on an application with the account of that user name, then the linked one, then the identity', async () => {
  const password = async () => (await read()).body.password
  expect(await password()).toBe('identity')
  await account('systemuser', user.id, server.kernel.secrets.seal('linked'))
  expect(await password()).toBe('linked')
  await account('username', 'clerk', server.kernel.secrets.seal('own'))
  expect((await read()).body).toMatchObject({ id: user.id, username: 'clerk', password: 'own', protocol: 'mysql' })
  await server.pool.query('UPDATE applications_account SET password_sealed = NULL WHERE app = $1', [app.id])
  expect(await password()).toBe('identity')
})

test('secrets for an application are for components alone, each look leaves a row, and of nothing found there is none', async () => {
  const looks = async () =>
    (await server.pool.query('SELECT reason, owner FROM kernel_secret_look WHERE owner_id = $1', [user.id])).rows
  await server.pool.query('DELETE FROM kernel_secret_look')
  expect((await read(app.id, admin)).status).toBe(403)
  expect((await read('33333333-3333-4333-8333-333333333333')).status).toBe(404)
  expect((await read(app.id, { ...component, 'x-jms-org': OTHER_ORG_ID })).status).toBe(404)
  expect(await looks()).toEqual([])
  await read()
  expect(await looks()).toEqual([{ reason: `application ${app.id}`, owner: 'clerk(clerk)' }])
})

test('nothing is handed out for an application that was moved and not confirmed', async () => {
  await server.call('PATCH', `/api/v1/applications/applications/${app.id}/`, {
    attrs: { host: '10.6.6.6', database: 'orders' },
  })
  const { status, body } = await read()
  expect([status, JSON.stringify(body)]).toEqual([400, expect.not.stringContaining('identity')])
})
