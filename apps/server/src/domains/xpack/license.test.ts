import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { licenseSettings, privateKey } from '../../../test/license.ts'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { signed } from '../../../test/signed.ts'
import { addressOf } from '../../../test/walks/address-of.ts'
import type { RegisteredRoute } from '../../kernel/access/guard.ts'
import { issueLicense } from './issue-license.ts'
import { endOf, publicKeyOf, readLicense, signLicense } from './license-document.ts'
import { PUBLIC_KEY, SIGNING_KEY, signingKeyIn } from './license-keys.ts'

const DETAIL = '/api/v1/xpack/license/detail'
const BRANDING = '/api/v1/xpack/interface/setting'
const CLOUD = '/api/v1/xpack/cloud/accounts/'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer(licenseSettings())
})
afterAll(() => server?.close())

const publicSettings = async (one = server) => (await one.call('GET', '/api/v1/settings/public/')).body.data
const issued = (days: number, corporation = 'Harbour Ltd') => issueLicense(privateKey, { corporation, days })

/** Whether the profile offers the root organization. */
const listsRoot = async () =>
  (await server.admin.get('/api/v1/users/profile/')).body.admin_or_audit_orgs.some(
    ({ is_root }: { is_root: boolean }) => is_root,
  )

async function upload(document: string, token = server.admin.token, one = server) {
  const payload = `--x\r\nContent-Disposition: form-data; name="file"; filename="license.txt"\r\n\r\n${document}\r\n--x--\r\n`
  const answer = await one.kernel.app.inject({
    method: 'POST',
    url: '/api/v1/xpack/license/import',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=x',
      cookie: 'django_language=en',
    },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() }
}

test('[A4.06 A6.21 A6.24 B7.07] without a license: the community edition, nothing licensed, and the server refuses what needs one', async () => {
  expect(await publicSettings()).toMatchObject({
    XPACK_ENABLED: true,
    XPACK_LICENSE_IS_VALID: false,
    XPACK_LICENSE_INFO: { corporation: 'Sallyport contributors' },
  })
  const { status, body } = await server.admin.get(DETAIL)
  expect([status, body]).toEqual([
    200,
    { subscription_id: '', corporation: '', date_expired: null, asset_count: null, edition: 'Community edition' },
  ])
  expect((await server.admin.get(`${DETAIL}/`)).body).toEqual(body)
  const refused = await server.admin.get(BRANDING)
  expect([refused.status, refused.body.code]).toEqual([403, 'license_required'])
  expect(await listsRoot()).toBe(false)
})

test('[A2.43] jobs need no license: administrators read tasks, versions, runs and batch commands, system administrators periodic tasks too', async () => {
  const boss = await server.aPerson('boss-of-jobs', { orgRoles: ['Admin'] })
  const user = await server.aPerson('user-without-jobs')
  const lists = ['tasks', 'adhoc', 'adhoc-executions', 'command-executions', 'celery/period-tasks']
  const statuses = ({ get }: typeof boss) =>
    Promise.all(lists.map(async (name) => (await get(`/api/v1/ops/${name}/?limit=1`)).status))
  expect(await statuses(server.admin)).toEqual([200, 200, 200, 200, 200])
  expect(await statuses(boss)).toEqual([200, 200, 200, 200, 403])
  // Everybody has their own batch commands.
  expect(await statuses(user)).toEqual([403, 403, 403, 200, 403])
})

test('[B7.08] a document that is no license of this service is refused in words, and changes nothing', async () => {
  const stranger = generateKeyPairSync('ed25519').privateKey
  const valid = issued(30)
  const [prefix, payload = '', signature] = valid.split('.')
  const longer = Buffer.from(payload, 'base64url')
    .toString()
    .replace(/"date_expired":"\d{4}/, '"date_expired":"2999')
  const documents = {
    nothing: '',
    'any text': 'hello',
    'another key': issueLicense(stranger, { corporation: 'Harbour Ltd', days: 30 }),
    'a longer life under the old signature': [prefix, Buffer.from(longer).toString('base64url'), signature].join('.'),
    'under another name': ['sallyport-voucher', payload, signature].join('.'),
    'with something behind it': `${valid}.more`,
    'run out': issued(-2),
    'signed, but no license': signLicense({ corporation: 'x' } as never, privateKey),
    'far too much': 'x'.repeat(100_000),
  }
  for (const [what, document] of Object.entries(documents)) {
    const { status, body } = await upload(document)
    expect([what, status, body]).toEqual([
      what,
      200,
      { status: false, msg: 'This is not a valid license for this installation' },
    ])
  }
  expect(await publicSettings()).toMatchObject({ XPACK_LICENSE_IS_VALID: false })
  const person = await server.aPerson('clerk')
  expect((await upload(valid, person.token)).status).toBe(403)
})

test('[B7.08 A1.15 A1.20 A2.25 A3.03 A3.04] an imported license holds at once, is on record, and opens what needs one', async () => {
  const { status, body } = await upload(issued(30))
  expect([status, body]).toEqual([200, { status: true, msg: 'The license was imported' }])
  expect(await publicSettings()).toMatchObject({
    XPACK_LICENSE_IS_VALID: true,
    XPACK_LICENSE_INFO: { corporation: 'Harbour Ltd' },
  })
  const detail = await server.admin.get(DETAIL)
  const in30Days = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  expect(detail.body).toMatchObject({
    corporation: 'Harbour Ltd',
    date_expired: in30Days,
    edition: 'Enterprise edition',
    asset_count: null,
  })
  const inChinese = await server.kernel.app.inject({
    url: DETAIL,
    headers: { authorization: `Bearer ${server.admin.token}`, cookie: 'django_language=zh-hans' },
  })
  expect(inChinese.json().edition).toBe('企业版')
  for (const path of [BRANDING, CLOUD]) expect([path, (await server.admin.get(path)).status]).toEqual([path, 200])
  expect(await listsRoot()).toBe(true)
  expect((await server.admin.get('/api/v1/acls/login-asset-acls/')).status).toBe(200)
  for (const path of ACCOUNT_LISTS) expect([path, (await server.admin.get(path)).status]).toEqual([path, 200])
  const { body: log } = await server.admin
    .in('00000000-0000-0000-0000-000000000000')
    .get('/api/v1/audits/operate-logs/?resource_type=License')
  expect(log).toMatchObject([{ action: 'update', resource: `Harbour Ltd ${in30Days}` }])
  expect(log[0].changes).toContainEqual(
    expect.objectContaining({ label: 'Corporation', before: null, after: 'Harbour Ltd' }),
  )
})

/** The lists of the pages below /accounts. */
const ACCOUNT_LISTS = [
  '/api/v1/assets/accounts/',
  '/api/v1/applications/accounts/',
  '/api/v1/assets/gathered-users/',
  '/api/v1/xpack/gathered-user/tasks/',
  '/api/v1/xpack/change-auth-plan/plan/',
  '/api/v1/xpack/change-auth-plan/app-plan/',
  '/api/v1/assets/backup/',
]
/** The calls behind pages that need a license, by the rule of the page. */
const PAGES_WITH_LICENSE = [
  '/api/v1/assets/accounts/', // A2.26
  '/api/v1/assets/account-secrets/',
  '/api/v1/applications/accounts/', // A2.27
  '/api/v1/applications/account-secrets/',
  '/api/v1/assets/gathered-users/', // A2.28
  '/api/v1/xpack/gathered-user/',
  '/api/v1/xpack/change-auth-plan/', // A2.29
  '/api/v1/assets/backup', // A2.30
  '/api/v1/accounts/', // A2.25
  '/api/v1/acls/login-asset-acls/', // A2.35
  '/api/v1/tickets/flows/', // A2.54
  '/api/v1/tickets/tickets/open/', // A2.47
  '/api/v1/xpack/cloud/', // A2.58
  '/api/v1/xpack/interface/', // A2.59
  '/api/v1/orgs/orgs/', // A2.60
  '/api/v1/orgs/org-member-relation/',
  '/api/v1/xpack/system-monitor/', // A2.61
  '/api/v1/terminal/components/metrics/',
]
/**
 * In which organization one is; who had a secret, which is evidence; that a bundle was opened, after
 * which its secrets must change.
 */
const WITHOUT_LICENSE = /\/orgs\/orgs\/current\/$|\/looks\/$|\/opened\/$/

test('[A2.25 A4.06 A6.22] a license that has run out is reported, counts as none, and calls that need one are refused', async () => {
  const late = await openTestServer(licenseSettings(-3))
  try {
    expect(await publicSettings(late)).toMatchObject({ XPACK_LICENSE_IS_VALID: false })
    const { body } = await late.admin.get(DETAIL)
    expect(body).toMatchObject({ corporation: 'Harbour Ltd', edition: 'Enterprise edition' })
    expect(Date.parse(body.date_expired)).toBeLessThan(Date.now())
    for (const path of [BRANDING, CLOUD]) expect([path, (await late.admin.get(path)).status]).toEqual([path, 403])
    for (const method of ['get', 'options', 'post'] as const) {
      const answer = await late.admin[method]('/api/v1/acls/login-asset-acls/')
      expect([method, answer.status, answer.body.code]).toEqual([method, 403, 'license_required'])
    }
    // Not one call that needs a license, by any author.
    const licensed = resources.filter(({ needsLicense }) => needsLicense).map(({ path }) => path)
    const isForPeople = ({ method, access }: RegisteredRoute) =>
      method !== 'HEAD' && access.some((word) => word !== 'component')
    const below = [...licensed, ...PAGES_WITH_LICENSE]
    const routes = late.kernel.routes.filter(
      ({ url }) => below.some((path) => url.startsWith(path)) && !WITHOUT_LICENSE.test(url),
    )
    expect(routes.length).toBeGreaterThan(200)
    const headers = { authorization: `Bearer ${late.admin.token}` }
    const open: string[] = []
    for (const { method, url } of routes.filter(isForPeople)) {
      const { body } = await late.call(method, addressOf(url), { headers })
      if (body?.code !== 'license_required') open.push(`${method} ${url} ${body?.code}`)
    }
    expect(open).toEqual([])
    // Components carry on what was set up, and everybody knows where they are.
    const component = await late.call('POST', '/api/v1/terminal/terminal-registrations/', {
      body: { name: 'carries on', type: 'koko' },
      headers: { authorization: 'BootstrapToken bootstrap-token-of-tests' },
    })
    const key = component.body.service_account.access_key
    const orgs = '/api/v1/orgs/orgs/'
    expect((await late.call('GET', orgs, { headers: signed(orgs, key) })).status).toBe(200)
    expect((await late.admin.get('/api/v1/orgs/orgs/current/')).status).toBe(200)
  } finally {
    await late.close()
  }
})

/** Nothing is brought along: what an installation has that nobody gave a license. */
const NOTHING_GIVEN = { SALLYPORT_LICENSE: '' }
const SWITCHED_OFF = { ...NOTHING_GIVEN, SALLYPORT_COMMUNITY_LICENSE: 'false' }

test('[A4.06 A6.21 A6.24 B7.07] the first start makes one license for Community without end, also when two nodes start at once; it opens everything, and stays', async () => {
  const database = await createTestDatabase()
  const node = (settings = NOTHING_GIVEN) => openTestServer(settings, { ...database, drop: async () => {} })
  const open: TestServer[] = []
  try {
    open.push(...(await Promise.all([node(), node()])))
    const details = await Promise.all(open.map(async (one) => (await one.admin.get(DETAIL)).body))
    expect(details[0]).toEqual({
      subscription_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      corporation: 'Community',
      date_expired: '9999-12-31',
      asset_count: null,
      edition: 'Community edition',
    })
    expect(details[1]).toEqual(details[0])
    for (const one of open) {
      expect(await publicSettings(one)).toMatchObject({
        XPACK_LICENSE_IS_VALID: true,
        XPACK_LICENSE_INFO: { corporation: 'Community' },
      })
      for (const path of [BRANDING, CLOUD, '/api/v1/tickets/flows/', '/api/v1/acls/login-asset-acls/'])
        expect([path, (await one.admin.get(path)).status]).toEqual([path, 200])
    }
    const [first] = open as [TestServer]
    const attrs = { host: 'db.example.com', port: 5432, database: 'ledger' }
    const ledger = { name: 'ledger', category: 'db', type: 'postgresql', attrs }
    expect((await first.admin.post('/api/v1/applications/applications/', ledger)).status).toBe(201)
    expect((await first.admin.post('/api/v1/orgs/orgs/', { name: 'Second' })).status).toBe(201)

    const again = await node()
    open.push(again)
    expect((await again.admin.get(DETAIL)).body).toEqual(details[0])
    // It is worth nothing as a file: this service did not issue it to anybody.
    const { rows } = await again.kernel.pool.query<{ document: string }>('SELECT document FROM xpack_license')
    for (const document of [rows[0]?.document ?? '', rows[0]?.document.split(' ').at(-1) ?? ''])
      expect((await upload(document, again.admin.token, again)).body).toMatchObject({ status: false })
  } finally {
    await Promise.all(open.map((one) => one.close()))
    await database.drop()
  }
})

test('[A4.06 A6.22 B7.08] switched off, the license for Community is not made and counts no more; one that was given or imported goes before it, also when it has ended', async () => {
  const database = await createTestDatabase()
  const open: TestServer[] = []
  const node = async (settings: Record<string, string>) => {
    const opened = await openTestServer(settings, { ...database, drop: async () => {} })
    open.push(opened)
    return opened
  }
  const brandingOf = async ({ admin }: TestServer) => (await admin.get(BRANDING)).status
  const corporationOf = async ({ admin }: TestServer) => (await admin.get(DETAIL)).body.corporation
  const stored = async ({ kernel }: TestServer) => (await kernel.pool.query('SELECT 1 FROM xpack_license')).rowCount
  try {
    const gated = await node(SWITCHED_OFF)
    expect([await brandingOf(gated), await corporationOf(gated), await stored(gated)]).toEqual([403, '', 0])
    const free = await node(NOTHING_GIVEN)
    expect([await brandingOf(free), await corporationOf(free), await stored(free)]).toEqual([200, 'Community', 1])
    const gatedAgain = await node(SWITCHED_OFF)
    expect([await brandingOf(gatedAgain), await corporationOf(gatedAgain)]).toEqual([403, ''])
    const ended = await node({ SALLYPORT_LICENSE: issued(-3) })
    expect([await brandingOf(ended), await corporationOf(ended)]).toEqual([403, 'Harbour Ltd'])

    const { body } = await upload(issued(30, 'Boatyard Ltd'), free.admin.token, free)
    expect(body).toEqual({ status: true, msg: 'The license was imported' })
    expect([await brandingOf(free), await corporationOf(free)]).toEqual([200, 'Boatyard Ltd'])
    const { body: log } = await free.admin
      .in('00000000-0000-0000-0000-000000000000')
      .get('/api/v1/audits/operate-logs/?resource_type=License')
    expect(log[0].changes).toContainEqual(
      expect.objectContaining({ label: 'Corporation', before: 'Community', after: 'Boatyard Ltd' }),
    )
    for (const settings of [NOTHING_GIVEN, SWITCHED_OFF]) {
      const later = await node(settings)
      expect([await brandingOf(later), await corporationOf(later)]).toEqual([200, 'Boatyard Ltd'])
    }
    await free.kernel.pool.query('UPDATE xpack_license SET document = $1', [issued(-3, 'Boatyard Ltd')])
    const over = await node(NOTHING_GIVEN)
    expect([await brandingOf(over), await corporationOf(over)]).toEqual([403, 'Boatyard Ltd'])
  } finally {
    await Promise.all(open.map((one) => one.close()))
    await database.drop()
  }
})

test('a license holds until the end of its last day', () => {
  const today = () => new Date().toISOString().slice(0, 10)
  const before = today()
  const license = readLicense(issued(0), publicOf())
  // Midnight may lie between.
  expect([before, today()]).toContain(license?.date_expired)
  if (!license) throw new Error('no license')
  expect(new Date(endOf({ ...license, date_expired: '2026-12-31' })).toISOString()).toBe('2027-01-01T00:00:00.000Z')
})

test('the signing key is made once, for its owner only, and licenses are checked with the public one beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-keys-'))
  try {
    const document = issueLicense(signingKeyIn(folder), {
      corporation: '港口公司',
      days: 10,
      assetCount: 50,
      edition: 'ultimate',
    })
    expect(statSync(join(folder, SIGNING_KEY)).mode & 0o777).toBe(0o600)
    const key = publicKeyOf(readFileSync(join(folder, PUBLIC_KEY), 'utf8'))
    const again = issueLicense(signingKeyIn(folder), { corporation: 'again', days: 1 })
    if (!key) throw new Error('no public key')
    expect(readLicense(document, key)).toMatchObject({ corporation: '港口公司', asset_count: 50, edition: 'ultimate' })
    expect(readLicense(again, key)).toMatchObject({ corporation: 'again' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function publicOf() {
  const key = publicKeyOf(licenseSettings().SALLYPORT_LICENSE_PUBLIC_KEY ?? '')
  if (!key) throw new Error('no public key')
  return key
}
