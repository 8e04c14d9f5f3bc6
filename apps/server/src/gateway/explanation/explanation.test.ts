import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { AccessExplanation, StepName } from '@sallyport/contract/resources/perms/explanation.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCompany, storeCompany } from '../../../test/random-company.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { addConnector } from '../connectors/index.ts'
import { type Gateway, openGateway } from '../gateway.ts'
import { SessionRefusal } from '../session/refusal.ts'

const URL = '/api/v1/perms/explanations/'
const REACHED = 'The machine was reached'

let server: TestServer
let gateway: Gateway
let person: Caller
let asset: string
let account: string
let permission: string

beforeAll(async () => {
  // Opening goes its whole way, up to the machine.
  for (const protocol of ['ssh', 'rdp', 'vnc'])
    addConnector({
      protocol,
      kind: 'statements',
      open: () => Promise.reject(new SessionRefusal(REACHED)),
    })
  server = await openTestServer()
  gateway = await openGateway(server.kernel)
  person = await server.aPerson('walker')
  asset = await made('/api/v1/assets/assets/', {
    hostname: 'web-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: ['ssh/22'],
  })
  account = await made('/api/v1/assets/system-users/', {
    name: 'root',
    username: 'root',
    password: 'word of root',
    protocol: 'ssh',
    login_mode: 'auto',
    auto_push: false,
  })
  permission = await made('/api/v1/perms/asset-permissions/', {
    name: 'web',
    users: [person.id],
    assets: [asset],
    system_users: [account],
    actions: ['connect'],
  })
})
afterAll(async () => {
  await gateway?.close()
  await server?.close()
})

async function made(path: string, draft: object): Promise<string> {
  const { status, body } = await server.admin.post(path, draft)
  expect([status, body]).toMatchObject([201, {}])
  return body.id
}

interface Asked {
  user_id: string
  asset_id: string
  system_user_id?: string
  action?: string
}
const asked = (more: Partial<Asked> = {}): Asked => ({ user_id: person.id, asset_id: asset, ...more })

async function explained(question: Asked, by = server.admin): Promise<AccessExplanation> {
  const { status, body } = await by.get(`${URL}?${new URLSearchParams({ ...question })}`)
  expect([status, body]).toMatchObject([200, {}])
  return body
}

const failedSteps = ({ steps }: AccessExplanation) => steps.filter(({ state }) => state === 'failed')
const stepOf = ({ steps }: AccessExplanation, name: StepName) => steps.find(({ step }) => step === name)

/** Why a session of theirs does not open; undefined where it comes to the machine. */
async function refusal(userId: string, assetId: string, systemUserId: string): Promise<string | undefined> {
  const opening = gateway.open(
    {
      kind: 'statements',
      person: {
        ...{ id: userId, name: userId, username: userId, language: 'en' },
        ...{ remoteAddress: '127.0.0.1', loginFrom: 'ST' },
      },
      target: { family: 'asset', id: assetId },
      systemUserId,
      dialogue: { ask: async () => 'typed' },
      owner: { write: () => true, refuse: () => {}, tell: () => {}, close: () => {} },
    },
    new AbortController().signal,
  )
  const reason = await opening.then(
    () => 'it opened',
    (error: Error) => error.message,
  )
  return reason === REACHED ? undefined : reason
}

test('an explanation says what a session that is opened at the same moment meets: of each person, machine and system user of a random company', async () => {
  const root = server.admin.in(ROOT_ORG_ID)
  const verdicts = { allowed: 0, refused: 0 }
  for (const seed of [3, 4]) {
    const company = makeCompany(seed)
    // Else few pairs would be allowed.
    for (const one of company.permissions.filter((_, at) => at % 2)) {
      const nodes = company.nodes.filter(({ org }) => org === one.org).slice(0, 1)
      Object.assign(one, { actions: 1, nodes: nodes.map(({ id }) => id), users: company.users.map(({ id }) => id) })
    }
    await storeCompany(server.kernel.pool, company)
    for (const { id: user_id } of company.users)
      for (const { id: asset_id, org } of company.assets.filter((_, at) => at % 3 === 0))
        for (const { id: system_user_id } of company.systemUsers.filter((one) => one.org === org)) {
          const answer = await explained({ user_id, asset_id, system_user_id }, root)
          const reason = await refusal(user_id, asset_id, system_user_id)
          const where = { seed, reason, failed: failedSteps(answer).map(({ text }) => text) }
          expect({ ...where, verdict: answer.verdict }).toEqual({
            ...where,
            verdict: reason === undefined ? 'allowed' : 'refused',
          })
          // Permissions that lack nothing are there exactly where the permission step has passed.
          const granting = answer.permissions.filter(({ lacks }) => !lacks.length)
          if (stepOf(answer, 'permission')?.state === 'failed')
            expect(failedSteps(answer).length + granting.length).toBeGreaterThan(0)
          else expect(granting.length).toBeGreaterThan(0)
          verdicts[answer.verdict as 'allowed' | 'refused']++
        }
  }
  // Both have happened often enough.
  expect(Math.min(...Object.values(verdicts))).toBeGreaterThan(20)
})

test('each condition that fails is named, with the way out', async () => {
  const { pool } = server.kernel
  expect(await explained(asked())).toMatchObject({
    verdict: 'allowed',
    user: { id: person.id, name: 'walker of test' },
    target: { family: 'asset', id: asset, name: 'web-1' },
    system_user: { id: account, name: 'root' },
    permissions: [
      {
        ...{ id: permission, name: 'web', lacks: [] },
        people: [{ kind: 'user', id: person.id, name: 'walker of test' }],
        targets: [{ kind: 'target', id: asset, name: 'web-1' }],
      },
    ],
  })
  const cases: [string, string, StepName, RegExp, object | null][] = [
    [
      `UPDATE perms_permission SET is_active = false WHERE id = '${permission}'`,
      `UPDATE perms_permission SET is_active = true WHERE id = '${permission}'`,
      'permission',
      /^No permission grants it\. web comes nearest: it is switched off$/,
      { text: 'Edit web', resource: 'asset_permission', id: permission },
    ],
    [
      `UPDATE perms_permission SET date_expired = '2026-11-01' WHERE id = '${permission}'`,
      `UPDATE perms_permission SET date_expired = '2096-11-01' WHERE id = '${permission}'`,
      'permission',
      /web comes nearest: it ended on 2026-11-01$/,
      { resource: 'asset_permission' },
    ],
    [
      `UPDATE assets_asset SET is_active = false WHERE id = '${asset}'`,
      `UPDATE assets_asset SET is_active = true WHERE id = '${asset}'`,
      'target',
      /^web-1 is switched off/,
      { text: 'Edit the target', resource: 'asset', id: asset },
    ],
    [
      `UPDATE assets_asset SET protocols = '{rdp/3389}' WHERE id = '${asset}'`,
      `UPDATE assets_asset SET protocols = '{ssh/22}' WHERE id = '${asset}'`,
      'account',
      /^root logs in by ssh, which web-1 does not have$/,
      { resource: 'asset', id: asset },
    ],
    [
      `UPDATE users_user SET is_active = false WHERE id = '${person.id}'`,
      `UPDATE users_user SET is_active = true WHERE id = '${person.id}'`,
      'person',
      /^walker of test is switched off$/,
      { text: 'Edit the person', resource: 'user', id: person.id },
    ],
    [
      `UPDATE users_user SET date_expired = '2026-11-01' WHERE id = '${person.id}'`,
      `UPDATE users_user SET date_expired = NULL WHERE id = '${person.id}'`,
      'person',
      /^walker of test has expired$/,
      { resource: 'user' },
    ],
  ]
  for (const [change, back, step, text, remedy] of cases) {
    await pool.query(change)
    const answer = await explained(asked({ system_user_id: account }))
    expect(answer.verdict).toBe('refused')
    expect(stepOf(answer, step)).toMatchObject({ state: 'failed', text: expect.stringMatching(text), remedy })
    await pool.query(back)
  }
  // Others are named in it: to add the person would give them all of its machines.
  const newcomer = await server.aPerson('newcomer')
  expect(stepOf(await explained(asked({ user_id: newcomer.id })), 'permission')).toMatchObject({
    state: 'failed',
    text: 'No permission grants it. web comes nearest: it names neither the person nor a group of theirs',
    remedy: { text: 'Create a permission', resource: 'asset_permission', id: null },
  })
  expect(stepOf(await explained(asked({ action: 'upload_file' })), 'action')).toMatchObject({
    state: 'failed',
    text: 'No permission grants the action: Upload file',
    remedy: { text: 'Edit web', id: permission },
  })
})

test('a connection that must be confirmed is explained by its reviewers, and nobody is asked', async () => {
  const reviewer = await server.aPerson('reviewer')
  const rule = await made('/api/v1/acls/login-asset-acls/', {
    ...{ name: 'two eyes more', users: {}, system_users: {}, assets: {} },
    reviewers: [reviewer.id],
  })
  const answer = await explained(asked())
  expect(answer.verdict).toBe('confirm')
  expect(stepOf(answer, 'review')).toMatchObject({
    state: 'asks',
    text: 'Connecting to this asset must be confirmed by: reviewer of test (reviewer)',
  })
  const { body } = await server.admin.get('/api/v1/tickets/tickets/?limit=1')
  expect(body.count).toBe(0)
  expect((await server.admin.delete(`/api/v1/acls/login-asset-acls/${rule}/`)).status).toBe(204)
})

test('a login that the person typed ahead is not used up by an explanation, only by the session', async () => {
  const typing = await made('/api/v1/assets/system-users/', {
    ...{ name: 'typed', username: 'typed', protocol: 'ssh', login_mode: 'manual', auto_push: false },
  })
  expect(
    (await server.admin.patch(`/api/v1/perms/asset-permissions/${permission}/`, { system_users: [account, typing] }))
      .status,
  ).toBe(200)
  const typed = { instance_id: asset, username: 'typed', password: 'word that was typed' }
  expect((await person.post(`/api/v1/assets/system-users/${typing}/temp-auth/`, typed)).status).toBe(201)
  const kept = async () =>
    (await server.kernel.pool.query('SELECT 1 FROM assets_temporary_auth WHERE systemuser = $1', [typing])).rowCount
  expect(stepOf(await explained(asked({ system_user_id: typing })), 'secret')?.state).toBe('asks')
  expect(await kept()).toBe(1)
  expect(await refusal(person.id, asset, typing)).toBeUndefined()
  expect(await kept()).toBe(0)
})

test('administrators of another organization learn nothing; unreadable questions are refused at their field', async () => {
  const elsewhere = await server.anOrg('elsewhere')
  const stranger = await server.aPerson('stranger', { org: elsewhere, orgRoles: ['Admin'] })
  const foreign = await stranger.in(elsewhere).get(`${URL}?${new URLSearchParams({ ...asked() })}`)
  expect([foreign.status, foreign.body]).toMatchObject([400, { user_id: ['Not found.'] }])
  const own = await stranger.in(elsewhere).get(`${URL}?${new URLSearchParams({ ...asked({ user_id: stranger.id }) })}`)
  expect([own.status, own.body]).toMatchObject([400, { asset_id: ['Not found.'] }])
  expect((await person.get(`${URL}?${new URLSearchParams({ ...asked() })}`)).status).toBe(403)
  for (const [query, field] of [
    ['', 'user_id'],
    ['user_id=nobody', 'user_id'],
    [`user_id=${person.id}`, 'asset_id'],
    [`user_id=${person.id}&asset_id=1`, 'asset_id'],
    [`user_id=${person.id}&asset_id=${asset}&application_id=${asset}`, 'application_id'],
    [`user_id=${person.id}&asset_id=${asset}&action=fly`, 'action'],
    [`user_id=${person.id}&asset_id=${asset}&system_user_id=${asset}`, 'system_user_id'],
  ]) {
    const { status, body } = await server.admin.get(`${URL}?${query}`)
    expect([query, status, Object.keys(body)]).toEqual([query, 400, [field]])
  }
})
