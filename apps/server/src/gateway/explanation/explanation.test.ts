import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { AccessExplanation, StepName } from '@sallyport/contract/resources/perms/explanation.ts'
import type { OwnExplanation } from '@sallyport/contract/resources/perms/own-explanation.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCompany, storeCompany } from '../../../test/random-company.ts'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { translate } from '../../kernel/i18n/translate.ts'
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
  permission_id?: string
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
    (error: Error) => (error instanceof SessionRefusal ? translate('en', error.message, error.values) : error.message),
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

test('sign-in rules, second factor, host key and the last test are said, and a session is not refused by them', async () => {
  const { pool } = server.kernel
  const steps = async (names: StepName[]) => {
    const answer = await explained(asked({ system_user_id: account }))
    expect(answer.verdict).toBe('allowed')
    return names.map((name) => {
      const { state, text } = stepOf(answer, name) ?? {}
      return [state, text]
    })
  }
  expect(await steps(['sign_in', 'second_factor', 'host_key', 'reachable'])).toEqual([
    ['passed', 'No sign-in rule is about walker of test'],
    ['passed', 'No second factor is asked for'],
    ['passed', 'No host key is known yet: the first one that is shown counts'],
    [undefined, undefined],
  ])
  const rule = await made('/api/v1/acls/login-acls/', {
    ...{ name: 'From the office', user: person.id, action: 'allow', reviewers: [] },
    rules: { ip_group: ['10.0.0.0/8'], time_period: [{ id: 1, value: '09:00~18:00' }] },
  })
  await pool.query('UPDATE users_user SET mfa_level = 1 WHERE id = $1', [person.id])
  await pool.query(
    `UPDATE assets_asset SET connectivity = 'failed', date_verified = '2026-11-02 03:04:05Z' WHERE id = $1`,
    [asset],
  )
  const key = (state: string, fingerprint: string, seen: string) =>
    pool.query(
      `INSERT INTO assets_host_key (org_id, asset, host, port, key_type, public_key, fingerprint, state, date_last_seen)
       SELECT org_id, id, ip, 22, 'ssh-ed25519', '', $2, $3, $4 FROM assets_asset WHERE id = $1`,
      [asset, fingerprint, state, seen],
    )
  await key('pinned', 'SHA256:first', '2026-11-01')
  expect(await steps(['sign_in', 'second_factor', 'host_key', 'reachable'])).toEqual([
    ['asks', 'Sign-in rules decide from where and when: From the office'],
    ['asks', 'A second factor is asked for, and is set up at the next sign-in'],
    ['passed', 'The host key is known: SHA256:first'],
    ['asks', expect.stringMatching(/^The last test, on 2026\/11\/02 .*, could not log in$/)],
  ])
  await key('refused', 'SHA256:other', '2026-11-02')
  expect(await steps(['host_key'])).toEqual([
    ['asks', 'web-1 has shown another host key. An administrator must accept it first'],
  ])
  await pool.query('DELETE FROM assets_host_key WHERE asset = $1', [asset])
  await pool.query('UPDATE users_user SET mfa_level = 0 WHERE id = $1', [person.id])
  await pool.query(`UPDATE assets_asset SET connectivity = 'unknown', date_verified = NULL WHERE id = $1`, [asset])
  expect((await server.admin.delete(`/api/v1/acls/login-acls/${rule}/`)).status).toBe(204)
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

test('the people who reach a target and the targets of a person are lists with every path, searched, paged and exported; an expired person is in neither', async () => {
  const { pool } = server.kernel
  const group = await made('/api/v1/users/groups/', { name: 'Operators' })
  const colleague = await server.aPerson('colleague')
  await server.admin.patch(`/api/v1/users/groups/${group}/`, { users: [colleague.id] })
  const root = (await server.admin.get('/api/v1/assets/nodes/?limit=1')).body.results[0]
  const whole = await made('/api/v1/perms/asset-permissions/', {
    ...{ name: 'whole', user_groups: [group], nodes: [root.id], system_users: [account], actions: ['all'] },
  })
  const list = async (path: string, query: object) => {
    const { status, body } = await server.admin.get(`${path}?${new URLSearchParams({ ...query })}`)
    expect([status, body]).toMatchObject([200, {}])
    return body
  }
  const page = { limit: '10', offset: '0' }
  const people = await list('/api/v1/perms/access-people/', { asset_id: asset, ...page })
  expect(people.count).toBe(2)
  expect(people.results[0]).toMatchObject({
    ...{ id: colleague.id, name: 'colleague of test', accounts: 'root' },
    ways: `colleague of test → Operators → whole → ${root.full_value} → web-1 → root`,
    paths: [
      {
        user: { id: colleague.id },
        user_group: { id: group, name: 'Operators' },
        permission: { id: whole, name: 'whole', family: 'asset' },
        node: { id: root.id, name: root.full_value },
        target: { id: asset, name: 'web-1', family: 'asset' },
        system_users: [{ id: account, name: 'root' }],
      },
    ],
  })
  expect(people.results[1]).toMatchObject({ id: person.id, paths: [{ user_group: null, node: null }] })
  const targets = await list('/api/v1/perms/access-targets/', { user_id: colleague.id, search: 'web-1', ...page })
  expect(targets).toMatchObject({ count: 1, results: [{ id: asset, family: 'asset', paths: people.results[0].paths }] })
  // By a permission: its people without targets, its targets without people.
  expect(await list('/api/v1/perms/access-people/', { permission_id: whole, ...page })).toMatchObject({
    count: 1,
    results: [{ id: colleague.id, paths: [{ target: null }] }],
  })
  expect(await list('/api/v1/perms/access-targets/', { permission_id: whole, search: 'web-1', ...page })).toMatchObject(
    {
      count: 1,
      results: [{ id: asset, paths: [{ user: null, node: { id: root.id } }] }],
    },
  )
  const file = await server.admin.get(`/api/v1/perms/access-people/?asset_id=${asset}&format=csv`)
  expect([file.status, String(file.body)]).toMatchObject([
    200,
    expect.stringContaining('colleague of test,colleague,root'),
  ])
  await pool.query(`UPDATE users_user SET date_expired = '2026-11-01' WHERE id = $1`, [colleague.id])
  expect(await list('/api/v1/perms/access-people/', { asset_id: asset, ...page })).toMatchObject({ count: 1 })
  expect(await list('/api/v1/perms/access-targets/', { user_id: colleague.id, ...page })).toMatchObject({ count: 0 })
  await pool.query('UPDATE users_user SET date_expired = NULL WHERE id = $1', [colleague.id])
  // A permission that is asked about is looked at first, though it lacks everything.
  const answer = await explained({ ...asked({ user_id: person.id }), permission_id: whole })
  expect(answer.permissions[0]).toMatchObject({
    id: whole,
    lacks: ['it names neither the person nor a group of theirs'],
  })
  for (const [path, query, field] of [
    ['people', '', 'asset_id'],
    ['people', `asset_id=${asset}&permission_id=${whole}`, 'permission_id'],
    ['people', 'asset_id=1', 'asset_id'],
    ['targets', '', 'user_id'],
    ['targets', 'permission_id=1', 'permission_id'],
  ]) {
    const { status, body } = await server.admin.get(`/api/v1/perms/access-${path}/?${query}`)
    expect([query, status, Object.keys(body)]).toEqual([query, 400, [field]])
  }
  const elsewhere = await server.anOrg('far away')
  const stranger = await server.aPerson('farstranger', { org: elsewhere, orgRoles: ['Admin'] })
  for (const query of [
    `people/?asset_id=${asset}`,
    `people/?permission_id=${whole}`,
    `targets/?user_id=${colleague.id}`,
    `targets/?permission_id=${whole}`,
  ])
    expect([query, (await stranger.in(elsewhere).get(`/api/v1/perms/access-${query}`)).body]).toEqual([query, []])
  expect((await person.get(`/api/v1/perms/access-people/?asset_id=${asset}`)).status).toBe(403)
  expect((await server.admin.delete(`/api/v1/perms/asset-permissions/${whole}/`)).status).toBe(204)
})

test('people ask about themselves: the reason is said as far as it is theirs, and of what is not theirs nothing, not even that it exists', async () => {
  const { pool } = server.kernel
  const OWN = '/api/v1/perms/users/explanation/'
  const own = async (by: Caller, question: Omit<Asked, 'user_id'>): Promise<OwnExplanation> => {
    const { status, body } = await by.get(`${OWN}?${new URLSearchParams({ ...question })}`)
    expect([status, body]).toMatchObject([200, {}])
    return body
  }
  const mine = { asset_id: asset, system_user_id: account }
  expect(await own(person, mine)).toEqual({ verdict: 'allowed', reasons: [], wants_permission: false })
  const says = async (text: string, question: Omit<Asked, 'user_id'> = mine) => {
    const answer = await own(person, question)
    expect([answer.verdict, answer.reasons.map((one) => one.text)]).toEqual(['refused', [text]])
    // The words of a session that is refused at the same moment.
    if (!question.action) expect(await refusal(person.id, asset, question.system_user_id ?? '')).toBe(text)
    return answer
  }
  const permissionIs = (change: string) =>
    pool.query(`UPDATE perms_permission SET ${change} WHERE id = '${permission}'`)
  const NO = 'You have no permission to connect to this asset'
  await permissionIs("date_expired = '2026-11-01'")
  expect(await says(`${NO}: yours ended on 2026-11-01`)).toMatchObject({ wants_permission: true })
  await permissionIs("date_start = '2095-11-01', date_expired = '2096-11-01'")
  await says(`${NO}: yours begins on 2095-11-01`)
  await permissionIs("date_start = '2026-01-01', is_active = false")
  await says(`${NO}: yours is switched off`)
  await permissionIs('is_active = true, actions = 6')
  await says(`${NO}: yours is for other actions`)
  await permissionIs('actions = 1')
  expect(
    await says('Your permission does not allow the action: Upload file', { ...mine, action: 'upload_file' }),
  ).toMatchObject({
    wants_permission: true,
  })
  await pool.query('UPDATE assets_asset SET is_active = false WHERE id = $1', [asset])
  expect(await says('This asset is switched off')).toMatchObject({ wants_permission: false })
  await pool.query('UPDATE assets_asset SET is_active = true WHERE id = $1', [asset])
  const reviewer = await server.aPerson('secretary')
  const rule = await made('/api/v1/acls/login-asset-acls/', {
    ...{ name: 'a rule nobody may read', users: {}, system_users: {}, assets: {}, reviewers: [reviewer.id] },
  })
  expect(await own(person, mine)).toMatchObject({
    verdict: 'confirm',
    reasons: [{ step: 'review', state: 'asks', text: 'Somebody must confirm the connection' }],
  })
  expect((await server.admin.delete(`/api/v1/acls/login-asset-acls/${rule}/`)).status).toBe(204)
  // An account that no permission of theirs has, an asset of others, one of nobody: the same words.
  const foreign = await made('/api/v1/assets/system-users/', {
    ...{ name: 'of others', username: 'oracle', protocol: 'ssh', login_mode: 'auto', auto_push: false },
  })
  await says(`${NO} with this account`, { ...mine, system_user_id: foreign })
  const nothing = await own(person, { asset_id: crypto.randomUUID() })
  expect(nothing).toEqual({
    verdict: 'refused',
    reasons: [{ step: 'permission', state: 'failed', text: NO }],
    wants_permission: true,
  })
  const theirs = await made('/api/v1/assets/assets/', { hostname: 'vault', ip: '127.0.0.9', platform: 'Linux' })
  const away = await server.aPerson('away', { org: await server.anOrg('another world') })
  for (const [by, question] of [
    [person, { asset_id: theirs }],
    [person, { asset_id: theirs, system_user_id: account }],
    [person, { asset_id: theirs, system_user_id: crypto.randomUUID() }],
    [away, { asset_id: asset }],
    [away, mine],
  ] as const)
    expect(await own(by, question)).toEqual(nothing)
  // A person who has left the organization knows no more than one who never was in it.
  await pool.query(`DELETE FROM orgs_member WHERE "user" = $1`, [person.id])
  expect(await own(person, mine)).toEqual(nothing)
  expect(await refusal(person.id, asset, account)).toBe(NO)
  await pool.query(
    `INSERT INTO orgs_member (org, "user", role) VALUES ('00000000-0000-0000-0000-000000000002', $1, 'User')`,
    [person.id],
  )
  expect((await person.get(`${OWN}?asset_id=1`)).status).toBe(400)
  expect((await person.get(OWN)).body).toEqual({ asset_id: ['This field is required.'] })
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
    [`user_id=${person.id}&asset_id=${asset}&permission_id=${asset}`, 'permission_id'],
  ]) {
    const { status, body } = await server.admin.get(`${URL}?${query}`)
    expect([query, status, Object.keys(body)]).toEqual([query, 400, [field]])
  }
})
