/**
 * What holds for every further provider with pages of its own, whatever its protocol: one test file of each
 * kind calls this, with a real provider at each end.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestBrowser } from '../../../../test/browser.ts'
import { openTestServer, type TestServer } from '../../../../test/server.ts'
import { type OutsideTest, outsideTest, settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'

export const SITE = 'http://sallyport.example'
const RULES = '/api/v1/authentication/group-mappings/'
const PROFILE = '/api/v1/users/profile/'

/** A person as a provider knows them. */
export interface Known {
  /** By what the provider knows them, whatever they are called. */
  subject: string
  username: string
  groups?: readonly string[]
}

/** A provider of the tests, and where it is at. */
export interface Provided {
  /** The values by which an administrator makes it a further provider. */
  values: object
  /** Signs somebody in who has come there by this address; answers what the browser brings back. */
  answer(address: string, who: Known): Promise<Answer>
  close(): Promise<void>
}

/** How a browser comes back: to an address, or by a form that the page of the provider posts. */
export interface Answer {
  address: string
  form?: Record<string, string>
}

export interface FurtherKind {
  source: 'saml2' | 'cas'
  path: string
  /** The fields of a rule. */
  one: string
  all: string
  /** Where the pages of the first are. */
  firstPages: string
  /** The name of the first one on the sign-in page, and of the kind in messages. */
  name: string
  tooMany: string
  start(): Promise<Provided>
  /** Sets the first one up in the settings. */
  setFirst(server: TestServer, first: Provided): Promise<void>
  /** Values of one more, that is not there. */
  another: object
  /** Values that are refused, by field. */
  bad: object
}

/** What tests of a kind may use besides those of all. */
export interface FurtherTest {
  server: TestServer
  outside: OutsideTest
  first: Provided
  second: Provided
  /** The id of the further one, and its pages. */
  partner: string
  pages: string
  begin(browser: TestBrowser, at: string): Promise<string>
  /** Brings an answer to our pages; answers where that leads. */
  bring(browser: TestBrowser, answer: Answer): Promise<string>
  signIn(at: string, who: Known): Promise<TestBrowser & { to: string; refusal: string | undefined }>
  change(values: object): Promise<{ headers: Record<string, unknown> }>
}

export function testFurtherProviders(kind: FurtherKind): FurtherTest {
  const here = {} as FurtherTest
  const { path, firstPages: FIRST, source } = kind
  beforeAll(async () => {
    here.server = await openTestServer()
    here.outside = outsideTest(here.server, SITE)
    ;[here.first, here.second] = await Promise.all([kind.start(), kind.start()])
    await here.server.admin.patch(settingsAt('basic'), { SITE_URL: SITE })
    await kind.setFirst(here.server, here.first)
    const made = await here.server.admin.post(path, {
      name: 'Partner',
      groups_attribute: 'groups',
      ...here.second.values,
    })
    expect([made.status, made.body]).toEqual([201, expect.anything()])
    here.partner = made.body.id
    here.pages = `${FIRST}providers/${here.partner}/`
  })
  afterAll(async () => {
    await here.server?.close()
    await Promise.all([here.first?.close(), here.second?.close()])
  })
  here.begin = (browser, at) => here.outside.visit(browser, `${at}login/`)
  here.bring = async (browser, { address, form }) => {
    if (!form) return here.outside.visit(browser, address)
    const posted = await here.outside.post(address, form)
    expect(posted.status).toBe(303)
    return here.outside.visit(browser, posted.location)
  }
  here.signIn = async (at, who) => {
    const browser = here.outside.aBrowser()
    const provider = at === FIRST ? here.first : here.second
    const to = await here.bring(browser, await provider.answer(await here.begin(browser, at), who))
    return Object.assign(browser, { to, refusal: to === '/ui/' ? undefined : await here.outside.refusalOf(browser) })
  }
  here.change = async (values) => {
    const answer = await here.server.admin.patch(`${path}${here.partner}/`, values)
    expect([answer.status, answer.body]).toEqual([200, expect.anything()])
    return answer
  }
  const undo = (answer: { headers: Record<string, unknown> }) =>
    here.server.admin.post(`/api/v1/audits/undo/${answer.headers['x-change']}/`, {})
  const isIn = async (browser: TestBrowser) => (await browser.call('GET', PROFILE)).status === 200

  test('each provider has its button in their order, and its own people; one name there is two people here', async () => {
    const methods = async () => (await here.server.call('GET', '/api/v1/settings/public/')).body.data.LOGIN_METHODS
    const earlier = await here.server.admin.post(path, { name: 'Zulu', priority: 1, ...kind.another })
    expect(await methods()).toEqual([
      expect.objectContaining({ name: kind.name, url: `${FIRST}login/` }),
      expect.objectContaining({ name: 'Zulu' }),
      expect.objectContaining({ name: 'Partner', url: `${here.pages}login/` }),
    ])
    await here.server.admin.delete(`${path}${earlier.body.id}/`)
    const a = await here.signIn(FIRST, { subject: 's-1', username: 'anna' })
    const b = await here.signIn(here.pages, { subject: 's-1', username: 'berta' })
    expect([await here.outside.whoIs(a), await here.outside.whoIs(b)]).toEqual(['anna', 'berta'])
    expect(await here.outside.userRow('anna')).toMatchObject({ source, directory: '' })
    expect(await here.outside.userRow('berta')).toMatchObject({ source, directory: 'Partner', is_directory_off: false })
    expect((await here.server.admin.get(`${path}${here.partner}/`)).body).toMatchObject({ people_amount: 1 })
  })

  test('nobody is taken over by a name that another provider, or this server, knows somebody by', async () => {
    await here.signIn(FIRST, { subject: 's-both', username: 'both' })
    for (const subject of ['s-both', 's-other']) {
      const taken = await here.signIn(here.pages, { subject, username: 'both' })
      expect(taken.refusal).toBe('The person of this name belongs to another account of the sign-in provider')
      expect(await isIn(taken)).toBe(false)
    }
    await here.server.aPerson('locally')
    for (const username of ['admin', 'locally'])
      expect((await here.signIn(here.pages, { subject: `s-${username}`, username })).refusal).toBe(
        'A user with this name comes from another source',
      )
    // Someone whom an administrator entered is of the provider of the settings.
    const entered = { username: 'entered', name: 'E', email: 'entered@corp.example', source }
    expect((await here.server.admin.post('/api/v1/users/users/', entered)).status).toBe(201)
    expect((await here.signIn(here.pages, { subject: 's-entered', username: 'entered' })).refusal).toBe(
      'A user with this name comes from another sign-in provider',
    )
    expect(await here.outside.userRow('both')).toMatchObject({ directory: '' })
  })

  test('an answer counts at the pages of the provider that was asked, and for the browser that asked it', async () => {
    const who = { subject: 's-1', username: 'anna' }
    const other = { [FIRST]: here.pages, [here.pages]: FIRST }
    for (const [at, elsewhere] of Object.entries(other)) {
      const [asked, unasked] = at === FIRST ? [here.first, here.second] : [here.second, here.first]
      const refused = async (browser: TestBrowser, { address, ...rest }: Answer) => {
        await here.bring(browser, { address, ...rest })
        expect([at, await here.outside.refusalOf(browser)]).toEqual([
          at,
          expect.stringMatching(/did not sign you in|too long/),
        ])
        expect(await isIn(browser)).toBe(false)
      }
      // The answer of the provider that was asked, brought to the pages of the other one.
      let browser = here.outside.aBrowser()
      const right = await asked.answer(await here.begin(browser, at), who)
      await refused(browser, { ...right, address: right.address.replace(at, elsewhere) })
      // The other provider answers the very start that was for this one.
      browser = here.outside.aBrowser()
      await refused(browser, await unasked.answer(await here.begin(browser, at), who))
      // The answer that another browser has asked for.
      browser = here.outside.aBrowser()
      await refused(browser, await asked.answer(await here.begin(here.outside.aBrowser(), at), who))
    }
  })

  test('with nobody new, only people of the provider come in', async () => {
    await here.change({ existing_only: true })
    expect((await here.signIn(here.pages, { subject: 's-late', username: 'late' })).refusal).toBe(
      'There is no such user, and new users are not created',
    )
    expect(await isIn(await here.signIn(here.pages, { subject: 's-1', username: 'berta' }))).toBe(true)
    await here.change({ existing_only: false })
  })

  test('people of a provider that is switched off or deleted are shut out at once, and stay its own', async () => {
    const a = await here.signIn(FIRST, { subject: 's-1', username: 'anna' })
    const b = await here.signIn(here.pages, { subject: 's-1', username: 'berta' })
    const late = here.outside.aBrowser()
    const begun = await here.second.answer(await here.begin(late, here.pages), { subject: 's-1', username: 'berta' })
    const off = await here.change({ is_active: false })
    expect([await isIn(a), await isIn(b)]).toEqual([true, false])
    expect(await here.outside.userRow('berta')).toMatchObject({
      is_active: true,
      is_valid: false,
      is_directory_off: true,
    })
    await here.bring(late, begun)
    expect([await here.outside.refusalOf(late), await isIn(late)]).toEqual([
      `Sign-in by ${kind.name} is not enabled`,
      false,
    ])
    expect([(await undo(off)).status, await isIn(b)]).toEqual([200, false])
    const back = await here.signIn(here.pages, { subject: 's-1', username: 'berta' })
    expect(await here.outside.whoIs(back)).toBe('berta')
    const deleted = await here.server.admin.delete(`${path}${here.partner}/`)
    expect([deleted.status, await isIn(back)]).toEqual([204, false])
    expect((await here.signIn(FIRST, { subject: 's-berta', username: 'berta' })).refusal).toMatch(
      /belongs to another account/,
    )
    const undone = await undo(deleted)
    expect([undone.status, undone.body]).toEqual([200, expect.anything()])
    expect(await isIn(await here.signIn(here.pages, { subject: 's-1', username: 'berta' }))).toBe(true)
  })

  test('a rule about groups holds for one provider, unless it says all', async () => {
    const roles = async () => {
      await here.signIn(FIRST, { subject: 's-1', username: 'anna', groups: ['ops'] })
      await here.signIn(here.pages, { subject: 's-1', username: 'berta', groups: ['ops'] })
      return [(await here.outside.userRow('anna'))?.role, (await here.outside.userRow('berta'))?.role]
    }
    const rule = (name: string, more: object) => here.server.admin.post(RULES, { name, source, value: 'ops', ...more })
    const ofFirst = await rule('first', { system_role: 'Admin' })
    expect([ofFirst.status, await roles()]).toEqual([201, ['Admin', 'User']])
    const ofAll = await rule('all', { system_role: 'Auditor', [kind.all]: true })
    expect([ofAll.status, await roles()]).toEqual([201, ['Admin', 'Auditor']])
    const ofSecond = await rule('second', { system_role: 'Admin', [kind.one]: here.partner })
    expect([ofSecond.status, await roles()]).toEqual([201, ['Admin', 'Admin']])
    expect((await rule('x', { system_role: 'Admin', [kind.all]: true })).body).toHaveProperty('system_role')
    expect((await rule('x', { [kind.all]: true, [kind.one]: here.partner })).body).toHaveProperty(kind.one)
    expect((await rule('x', { source: 'openid', [kind.one]: here.partner })).body).toHaveProperty(kind.one)
    expect((await here.server.admin.delete(`${path}${here.partner}/`)).status).toBe(400)
    for (const { body } of [ofFirst, ofAll, ofSecond]) await here.server.admin.delete(`${RULES}${body.id}/`)
    expect(await roles()).toEqual(['User', 'User'])
  })

  test('bad values are refused by field; there are 20 at most, for system administrators alone', async () => {
    const { status, body } = await here.server.admin.post(path, { name: 'Bad', ...kind.another, ...kind.bad })
    expect([status, Object.keys(body).toSorted()]).toEqual([400, Object.keys(kind.bad).toSorted()])
    expect((await here.server.admin.post(path, { name: 'Partner', ...kind.another })).body).toHaveProperty('name')
    const org = await here.server.aPerson('org-admin', { orgRoles: ['Admin'] })
    expect([
      (await org.get(path)).status,
      (await org.post(path, { name: 'Of org', ...kind.another })).status,
      (await org.post(`${path}test/`, kind.another)).status,
    ]).toEqual([403, 403, 403])
    const made: string[] = []
    for (let n = 2; n <= 20; n++) {
      const one = await here.server.admin.post(path, { name: `P${n}`, ...kind.another })
      expect(one.status).toBe(201)
      made.push(one.body.id)
    }
    expect((await here.server.admin.post(path, { name: 'P21', ...kind.another })).body.detail).toBe(kind.tooMany)
    for (const id of made) await here.server.admin.delete(`${path}${id}/`)
  })

  return here
}
