import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestBrowser } from '../../../../test/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { MESSENGER_NAMES, type MessengerName } from '../../notifications/messengers/messenger.ts'
import { type MessengerServer, startMessengerServer } from '../../notifications/messengers/messenger-server-fixture.ts'
import { settingsOf } from '../../settings/index.ts'
import { readAllDepartments } from '../single-sign-on/third-party/periodic-departments.ts'

const SITE = 'http://sallyport.example'
const RULES = '/api/v1/authentication/group-mappings/'
const ID = { wecom: 'id:3', dingtalk: 'id:3', feishu: 'id:od-3' }

let company: MessengerServer
let server: TestServer
beforeAll(async () => {
  company = await startMessengerServer()
  server = await openTestServer({ ...company.environment, SALLYPORT_SETTING_SITE_URL: SITE })
  for (const name of MESSENGER_NAMES) await settingsOf(server.kernel).change(company.settings[name] as never)
  for (const [id, name, parent] of [
    [2, 'IT', 1],
    [3, 'Platform', 2],
    [4, 'Sales/East', 1],
    [5, 'Round', 6],
    [6, 'About', 5],
  ] as const)
    company.departments.set(id, { name, parent })
})
afterAll(async () => {
  await server?.close()
  await company?.close()
})
beforeEach(async () => {
  company.failure.status = 0
  for (const { id } of (await server.admin.get(RULES)).body) await server.admin.delete(`${RULES}${id}/`)
})

/** Somebody of here who has bound their account in a messenger, of the same name. */
async function bound(username: string, names: readonly MessengerName[], ...departments: number[]) {
  const person = await server.aPerson(username)
  for (const name of names) {
    company.people[name].add(username)
    await server.kernel.pool.query(`UPDATE users_user SET ${name}_id = $2 WHERE id = $1`, [person.id, username])
  }
  company.memberships.set(username, departments)
  return person
}
async function signIn(name: MessengerName, username: string): Promise<void> {
  const browser = openTestBrowser(server)
  const go = async (path: string) =>
    String((await browser.call('GET', path.replace(SITE, ''), undefined, { accept: 'text/html' })).headers.location)
  expect(await go(company.scan(await go(`/core/auth/${name}/qr/login/`), username))).toBe('/ui/')
}
let count = 0
async function rule(draft: Record<string, unknown>) {
  const whole = { name: `rule ${++count}`, org_role: 'Auditor', ...draft }
  const { status, body } = await server.admin.post(RULES, whole)
  expect([status, body]).toEqual([201, expect.anything()])
}
const rolesOf = async (username: string): Promise<string[]> =>
  (await server.admin.get(`/api/v1/users/users/?username=${username}`)).body[0]?.given_org_roles ?? []
const knownIn = async (id: string) =>
  (await server.kernel.pool.query('SELECT groups FROM authentication_outside_groups WHERE user_id = $1', [id])).rows[0]
    ?.groups

test.each(MESSENGER_NAMES)(
  'departments of %s and those above, by path and id, give by rules at the sign-in; one that is left takes it',
  async (name) => {
    const username = `whole-${name}`
    const { id } = await bound(username, [name], 3, 4)
    await rule({ source: name, value: '/IT' })
    await signIn(name, username)
    const [top, two, four] = name === 'feishu' ? ['0', 'od-2', 'od-4'] : ['1', '2', '4']
    expect(await knownIn(id)).toEqual([
      `id:${top}`,
      `id:${two}`,
      '/IT',
      ID[name],
      '/IT/Platform',
      `id:${four}`,
      '/Sales\\/East',
    ])
    expect(await rolesOf(username)).toEqual(['Auditor'])
    const { body } = await server.admin.get(`/api/v1/audits/operate-logs/?resource_type=User&limit=1`)
    expect(body.results[0].user).toContain({ wecom: 'WeCom', dingtalk: 'DingTalk', feishu: 'FeiShu' }[name])
    company.memberships.set(username, [4])
    await signIn(name, username)
    expect(await rolesOf(username)).toEqual([])
    await rule({ source: name, value: ID[name] })
    company.memberships.set(username, [3])
    await signIn(name, username)
    expect(await rolesOf(username)).toEqual(['Auditor'])
    // Somebody of another messenger is not meant.
    const other = name === 'wecom' ? 'dingtalk' : 'wecom'
    await bound(`other-${name}`, [other], 3)
    await signIn(other, `other-${name}`)
    expect(await rolesOf(`other-${name}`)).toEqual([])
  },
)

test.each(MESSENGER_NAMES)('what %s cannot say leaves everything as it is, and lets the person in', async (name) => {
  const username = `quiet-${name}`
  const { id } = await bound(username, [name], 3)
  await rule({ source: name, value: '/IT' })
  await signIn(name, username)
  expect(await rolesOf(username)).toEqual(['Auditor'])
  const before = await knownIn(id)
  // A department that may not be read, and departments that are above each other.
  for (const departments of [[99], [4, 99], [5]]) {
    company.memberships.set(username, departments)
    await signIn(name, username)
    expect(await knownIn(id)).toEqual(before)
  }
  company.failure.status = 502
  await readAllDepartments(server.kernel)
  expect(await rolesOf(username)).toEqual(['Auditor'])
})

test('a person of several messengers has what each gives; unbinding one takes its part alone', async () => {
  const { id } = await bound('both', ['wecom', 'feishu'], 3)
  await rule({ source: 'wecom', value: '/IT', org_role: 'Auditor' })
  await rule({ source: 'feishu', value: '/IT', org_role: 'Admin' })
  await signIn('wecom', 'both')
  await signIn('feishu', 'both')
  expect((await rolesOf('both')).sort()).toEqual(['Admin', 'Auditor'])
  expect((await server.admin.post(`/api/v1/authentication/feishu/qr/unbind/${id}/`, {})).status).toBe(200)
  expect(await rolesOf('both')).toEqual(['Auditor'])
})

test('people who leave the company lose what its departments gave without a sign-in', async () => {
  for (const name of MESSENGER_NAMES) {
    const username = `leaver-${name}`
    await bound(username, [name], 3)
    await rule({ source: name, value: '/IT' })
    await readAllDepartments(server.kernel)
    expect(await rolesOf(username)).toEqual(['Auditor'])
    company.people[name].delete(username)
    await readAllDepartments(server.kernel)
    expect(await rolesOf(username)).toEqual([])
  }
})

test('people whose departments may not be read keep nobody else from losing theirs', async () => {
  await rule({ source: 'dingtalk', value: '/IT' })
  for (let n = 0; n < 12; n++) await bound(`unread-${n}`, ['dingtalk'], 99)
  await bound('behind', ['dingtalk'], 3)
  await readAllDepartments(server.kernel)
  expect(await rolesOf('behind')).toEqual(['Auditor'])
  company.memberships.set('behind', [4])
  await readAllDepartments(server.kernel)
  expect(await rolesOf('behind')).toEqual([])
})

test('the preview of a rule names whom it would give something; no department makes system administrators', async () => {
  await bound('looked', ['dingtalk'], 3)
  await signIn('dingtalk', 'looked')
  const draft = { name: 'looked at', source: 'dingtalk', value: '/IT/Platform', org_role: 'Auditor' }
  const preview = await server.admin.post(`${RULES}?preview=true&limit=100`, draft)
  expect(preview.status).toBe(200)
  expect(JSON.stringify(preview.body)).toContain('looked')
  expect(await rolesOf('looked')).toEqual([])
  const { status, body } = await server.admin.post(RULES, { ...draft, system_role: 'Admin' })
  expect([status, Object.keys(body)]).toEqual([400, ['system_role']])
})

test('nobody is asked for more departments than can be read at a sign-in', async () => {
  for (let id = 1000; id < 1200; id++) company.departments.set(id, { name: `d${id}`, parent: 1 })
  const all = Array.from({ length: 200 }, (_, n) => 1000 + n)
  const { id } = await bound('everywhere', ['wecom'], ...all)
  company.calls.length = 0
  await signIn('wecom', 'everywhere')
  expect(await knownIn(id)).toBeUndefined()
  expect(company.calls.length).toBeLessThan(110)
})
