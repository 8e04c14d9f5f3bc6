import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'

const FLOWS = '/api/v1/tickets/flows/'

let server: TestServer
let root: Caller
let member: Caller
let orgAdmin: Caller
let elsewhere: string
let stranger: Caller

beforeAll(async () => {
  server = await openTestServer()
  root = server.admin.in(ROOT_ORG_ID)
  elsewhere = await server.anOrg('Elsewhere')
  member = await server.aPerson('member')
  orgAdmin = await server.aPerson('keeper', { orgRoles: ['Admin'] })
  stranger = await server.aPerson('stranger', { orgRoles: ['Admin'], org: elsewhere })
})
afterAll(() => server?.close())

type Flow = { id: string; type: string; org_id: string; rules: Record<string, unknown>[] }
const flowsOf = async (caller: Caller): Promise<Flow[]> => (await caller.get(FLOWS)).body
const flowOf = async (caller: Caller, type: string) => (await flowsOf(caller)).find((flow) => flow.type === type)
const aFlow = (type: string, ...rules: object[]) => ({ type, approval_level: rules.length, rules })

test('[A3.21] two global flows exist from the start, which the system administrators decide', async () => {
  const flows = await flowsOf(server.admin.in(elsewhere))
  expect(flows.map(({ type }) => type).sort()).toEqual(['apply_application', 'apply_asset'])
  expect(flows[0]).toMatchObject({
    approval_level: 1,
    created_by: 'System',
    org_id: ROOT_ORG_ID,
    rules: [
      {
        level: 1,
        strategy: 'super_admin',
        strategy_display: 'Super admin',
        assignees_read_only: [],
        assignees_display: ['Administrator(admin)'],
      },
    ],
  })
  expect(flows[0]?.rules[0]).not.toHaveProperty('assignees')
})

test('[A2.54] changing a global flow makes the organization its own, which others do not see; the global one stays', async () => {
  const global = await flowOf(server.admin, 'apply_asset')
  const rules = [{ strategy: 'org_admin' }, { strategy: 'custom_user', assignees: [member.id] }]
  const { status, body } = await server.admin.put(`${FLOWS}${global?.id}/`, {
    type: 'apply_asset',
    approval_level: 2,
    rules,
  })
  expect([status, body.org_id, body.id === global?.id]).toEqual([200, DEFAULT_ORG_ID, false])
  expect(body.rules).toMatchObject([
    {
      level: 1,
      strategy: 'org_admin',
      assignees_read_only: [],
      assignees_display: ['Administrator(admin)', 'keeper of test(keeper)'],
    },
    {
      level: 2,
      strategy: 'custom_user',
      assignees_read_only: [member.id],
      assignees_display: ['member of test(member)'],
    },
  ])
  expect((await flowsOf(server.admin)).filter(({ type }) => type === 'apply_asset')).toMatchObject([{ id: body.id }])
  expect((await server.admin.get(`${FLOWS}${global?.id}/`)).status).toBe(404)
  expect(await flowOf(server.admin.in(elsewhere), 'apply_asset')).toEqual(global)
  expect((await stranger.get(`${FLOWS}${body.id}/`)).status).toBe(404)
  expect((await server.admin.in(elsewhere).patch(`${FLOWS}${body.id}/`, { approval_level: 1 })).status).toBe(404)
  expect((await flowsOf(root)).filter(({ type }) => type === 'apply_asset').length).toBe(2)
  const other = await flowOf(server.admin, 'apply_application')
  for (const odd of [null, [], 'x'])
    expect((await server.admin.patch(`${FLOWS}${other?.id}/`, odd)).status, 'no object').toBe(400)
  expect(await flowOf(server.admin, 'apply_application')).toEqual(other)
  // Its own is changed where it is; what is not sent stays.
  const patched = await server.admin.patch(`${FLOWS}${body.id}/`, {
    rules: [{ strategy: 'super_org_admin' }],
    approval_level: 1,
  })
  expect([patched.status, patched.body.id, patched.body.rules.length]).toEqual([200, body.id, 1])
  expect(patched.body.rules[0].assignees_display).toEqual(['Administrator(admin)', 'keeper of test(keeper)'])
  // From the root organization its own is changed in place, a global one not at all.
  expect((await root.patch(`${FLOWS}${body.id}/`, { rules: [{ strategy: 'org_admin' }] })).status).toBe(200)
  expect((await root.put(`${FLOWS}${global?.id}/`, aFlow('apply_asset', { strategy: 'org_admin' }))).status).toBe(400)
})

test('[A3.21] a fault of a flow is reported at its place: one flow a type, people for a choice of people, of the organization', async () => {
  const made = await server.admin.post(FLOWS, aFlow('general', { strategy: 'super_admin' }))
  expect(made.status).toBe(201)
  const refusalOf = async (body: unknown) => {
    const answer = await server.admin.post(FLOWS, body)
    return [answer.status, answer.body]
  }
  expect(await refusalOf(aFlow('general', { strategy: 'super_admin' }))).toEqual([400, { type: [expect.any(String)] }])
  for (const assignees of [undefined, []])
    expect(
      await refusalOf(aFlow('login_confirm', { strategy: 'super_admin' }, { strategy: 'custom_user', assignees })),
    ).toEqual([400, { rules: [[], { assignees: [expect.any(String)] }] }])
  for (const foreign of [stranger.id, '00000000-0000-4000-8000-000000000001', 'nobody'])
    expect(
      await refusalOf(aFlow('login_confirm', { strategy: 'custom_user', assignees: [server.admin.id, foreign] })),
    ).toEqual([400, { rules: [{ assignees: [[], [expect.stringContaining(foreign)]] }] }])
  expect(await refusalOf(aFlow('login_confirm', { strategy: 'custom_user', assignees: [stranger.id] }))).toEqual([
    400,
    { rules: [{ assignees: [[expect.stringContaining(stranger.id)]] }] },
  ])
  for (const rules of [[], [{}], [{ strategy: 'everybody' }], Array(3).fill({ strategy: 'super_admin' }), 'x', [null]])
    expect(await refusalOf({ type: 'login_confirm', approval_level: 1, rules })).toEqual([
      400,
      { rules: expect.anything() },
    ])
  expect((await server.admin.delete(`${FLOWS}${made.body.id}/`)).status).toBe(404)
})

test('[A2.54 A6.15] administrators of an organization read its flows and change none; others read nothing', async () => {
  expect((await orgAdmin.get(FLOWS)).status).toBe(200)
  const draft = aFlow('command_confirm', { strategy: 'org_admin' })
  const [flow] = await flowsOf(orgAdmin)
  for (const answer of [
    await orgAdmin.post(FLOWS, draft),
    await orgAdmin.put(`${FLOWS}${flow?.id}/`, draft),
    await member.get(FLOWS),
  ])
    expect(answer.status).toBe(403)
  expect(Object.keys((await server.admin.options(FLOWS)).body.actions).sort()).toEqual(['GET', 'PATCH', 'POST', 'PUT'])
  expect(Object.keys((await orgAdmin.options(FLOWS)).body.actions)).toEqual(['GET'])
})

test('[A3.21] administrators of an organization are its own; those of all organizations decide where the rule names them', async () => {
  const org = await server.anOrg('With a chief')
  const chief = await server.aPerson('chief', { orgRoles: ['Admin'], org })
  const { body } = await server.admin
    .in(org)
    .post(FLOWS, aFlow('general', { strategy: 'org_admin' }, { strategy: 'super_admin' }))
  const decided = body.rules.map(({ assignees_display }: { assignees_display: string[] }) => assignees_display)
  expect(decided).toEqual([expect.arrayContaining(['chief of test(chief)']), ['Administrator(admin)']])
  await server.kernel.pool.query('DELETE FROM orgs_member WHERE org = $1 AND "user" <> $2', [org, chief.id])
  expect((await server.admin.in(org).get(`${FLOWS}${body.id}/`)).body.rules[0].assignees_display).toEqual([
    'chief of test(chief)',
  ])
  // A PATCH alone takes unsent fields over from a global flow.
  const global = await flowOf(server.admin.in(org), 'apply_asset')
  const draft = { rules: [{ strategy: 'org_admin' }] }
  expect((await server.admin.in(org).put(`${FLOWS}${global?.id}/`, draft)).status).toBe(400)
  const own = await server.admin.in(org).patch(`${FLOWS}${global?.id}/`, draft)
  expect([own.status, own.body.type, own.body.org_id, own.body.approval_level]).toEqual([200, 'apply_asset', org, 1])
})

test('a person who leaves the organization decides nothing in it any more, and flows go with their organization', async () => {
  const chosen = await server.aPerson('chosen')
  const rules = [{ strategy: 'custom_user', assignees: [chosen.id, member.id] }]
  const { body } = await server.admin.post(FLOWS, { type: 'command_confirm', approval_level: 1, rules })
  expect((await server.admin.post(`/api/v1/users/users/${chosen.id}/remove/`)).status).toBeLessThan(300)
  expect((await server.admin.get(`${FLOWS}${body.id}/`)).body.rules[0].assignees_display).toEqual([
    'member of test(member)',
  ])
  const short = await server.anOrg('Short')
  const own = await server.admin.in(short).post(FLOWS, aFlow('general', { strategy: 'super_admin' }))
  expect((await server.admin.delete(`/api/v1/orgs/orgs/${short}/`)).status).toBe(204)
  expect((await root.get(`${FLOWS}${own.body.id}/`)).status).toBe(404)
})
