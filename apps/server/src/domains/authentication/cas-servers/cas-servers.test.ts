import { casServer } from '@sallyport/contract/resources/authentication/cas-server.ts'
import { expect, test } from 'vitest'
import { SITE, testFurtherProviders } from '../people-sources/further-fixture.ts'
import { type CasDouble, startCas } from '../single-sign-on/cas/cas-fixture.ts'
import { settingsAt } from '../single-sign-on/outside-sign-in-fixture.ts'

const FIRST = '/core/auth/cas/'
const { path } = casServer
const servers: CasDouble[] = []

const here = testFurtherProviders({
  source: 'cas',
  path,
  one: 'cas_server',
  all: 'all_cas_servers',
  firstPages: FIRST,
  name: 'CAS',
  tooMany: 'There are 20 CAS servers at most',
  async start() {
    const cas = await startCas()
    servers.push(cas)
    return {
      values: { server_url: cas.url },
      async answer(address, { subject, username, groups = [] }) {
        cas.attributes.set(subject, { uid: [username], groups: [...groups] })
        return { address: cas.signIn(address, subject) }
      },
      close: () => cas.close(),
    }
  },
  async setFirst({ admin }, { values }) {
    const { server_url } = values as { server_url: string }
    const set = {
      AUTH_CAS: true,
      CAS_SERVER_URL: server_url,
      CAS_ROOT_PROXIED_AS: SITE,
      CAS_GROUPS_ATTRIBUTE: 'groups',
    }
    expect((await admin.patch(settingsAt('cas'), set)).status).toBe(200)
  },
  another: { server_url: 'https://cas.example.com/cas/' },
  bad: { server_url: 'javascript:alert(1)' },
})

const casAt = (pages: string) => servers[here.pages === pages ? 1 : 0] as CasDouble

test('a ticket is for the service of one server, which its page names, and is redeemed there alone', async () => {
  expect((await here.server.admin.get(`${path}${here.partner}/`)).body.service_url).toBe(
    `${SITE}${here.pages}callback/`,
  )
  const browser = here.outside.aBrowser()
  const back = casAt(here.pages).signIn(await here.begin(browser, here.pages), 's-1')
  casAt(FIRST).asked.length = 0
  casAt(here.pages).asked.length = 0
  await here.outside.visit(browser, back.replace(here.pages, FIRST))
  expect([casAt(FIRST).asked, casAt(here.pages).asked]).toEqual([[], []])
  expect(await here.outside.whoIs(browser)).toBeUndefined()
})

test('a server ends the sessions that began with it, and none of another; signing out here leads to its own', async () => {
  const sign = async (pages: string, username: string) => {
    const browser = here.outside.aBrowser()
    const { address } = await (pages === FIRST ? here.first : here.second).answer(await here.begin(browser, pages), {
      subject: 's-1',
      username,
    })
    await here.outside.visit(browser, address)
    return { browser, ticket: new URL(address).searchParams.get('ticket') ?? '' }
  }
  const [a, b] = [await sign(FIRST, 'anna'), await sign(here.pages, 'berta')]
  const who = async () => [await here.outside.whoIs(a.browser), await here.outside.whoIs(b.browser)]
  const end = (pages: string, { ticket }: { ticket: string }) =>
    here.outside.post(`${pages}callback/`, casAt(pages).signOutBody(ticket), '')
  await end(FIRST, b)
  await end(here.pages, a)
  expect(await who()).toEqual(['anna', 'berta'])
  await end(here.pages, b)
  expect(await who()).toEqual(['anna', undefined])
  expect(await here.outside.visit(a.browser, '/core/auth/logout/')).toContain(`${casAt(FIRST).url}logout`)
  const again = await sign(here.pages, 'berta')
  expect(await here.outside.visit(again.browser, '/core/auth/logout/')).toContain(`${casAt(here.pages).url}logout`)
})

test('a server is tried before it is saved: it has to speak the protocol', async () => {
  const attempt = (form: object) => here.server.admin.post(`${path}test/`, form)
  const { url } = casAt(here.pages)
  for (const version of [1, 2, 3])
    expect(await attempt({ server_url: url, version })).toMatchObject({
      status: 200,
      body: { msg: `${new URL(url).origin} answers.` },
    })
  for (const server_url of [url.replace('/cas/', '/elsewhere/'), 'http://127.0.0.1:1/cas/', 'no address'])
    expect(await attempt({ server_url })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^The provider cannot be used: ./) },
    })
})
