// Class 22: time-of-check races: user creation, tokens, codes, tickets, quota; what many do at once
// ends as if they had come one after the other. Reset links and MFA codes: 10-codes.spec.ts;
// sign-in guesses on two nodes, tickets and connection limits: README.md.
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  aGuarded,
  aJar,
  aName,
  anAddress,
  anOrganization,
  aPerson,
  call,
  codeOf,
  fine,
  LOGIN,
  PASSWORD,
  type Person,
  place,
  ROOT_ORG,
} from './visitor.ts'

let keeper: Person
beforeAll(async () => {
  keeper = await admin()
})
const many = <T>(work: (n: number) => Promise<T>, count = 8) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

test('a name or address is taken once, however many people are made with it at once', async () => {
  const username = aName('twin')
  const draft = (n: number) => ({
    name: username,
    username,
    email: `${username}-${n}@example.com`,
    password_strategy: 'custom',
    password: PASSWORD,
  })
  const answers = await many((n) => keeper.call('POST', '/api/v1/users/users/', draft(n)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)])
  for (const { status, body } of answers) if (status === 400) expect(Object.keys(body)).toEqual(['username'])
  expect(fine(await keeper.call('GET', `/api/v1/users/users/?search=${username}&limit=10`)).count).toBe(1)
})

/** One of many was made, the others got the answer that it is there. */
const onlyOneMade = (answers: { status: number }[]) =>
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(answers.length - 1).fill(400)])

test('a service account, an organization and a membership are made once', async () => {
  const name = aName('once')
  const bootstrap = { authorization: `BootstrapToken ${place.bootstrapToken}` }
  onlyOneMade(await many(() => call('POST', '/api/v1/users/service-account-registrations/', { name }, bootstrap)))
  const orgs = await many(() => keeper.call('POST', '/api/v1/orgs/orgs/', { name }))
  onlyOneMade(orgs)
  const org = orgs.find(({ status }) => status === 201)?.body.id
  const person = await aPerson()
  const membership = { org, user: person.id, role: 'Auditor' }
  onlyOneMade(await many(() => keeper.call('POST', '/api/v1/orgs/org-member-relation/', membership)))
  const members = fine(
    await keeper.call('GET', `/api/v1/orgs/org-member-relation/?org=${org}&user=${person.id}&limit=10`),
  )
  expect(members.count).toBe(1)
  expect(fine(await keeper.call('GET', `/api/v1/orgs/orgs/?name=${name}&limit=10`)).count).toBe(1)
})

test('an organization that is deleted while something is put into it keeps it, or is gone with nothing left behind', async () => {
  for (let n = 0; n < 8; n++) {
    const org = await anOrganization()
    const name = aName('thing')
    const put = async () => {
      const made = await many(
        () => keeper.in(org).call('POST', '/api/v1/assets/labels/', { name: aName(name), value: 'x' }),
        3,
      )
      return [...made, await keeper.in(org).call('POST', '/api/v1/users/groups/', { name })]
    }
    const [gone, made] = await Promise.all([keeper.call('DELETE', `/api/v1/orgs/orgs/${org}/`), put()])
    for (const { status } of [gone, ...made]) expect(status).toBeLessThan(500)
    const stands = (await keeper.call('GET', `/api/v1/orgs/orgs/${org}/`)).status === 200
    expect(stands).toBe(gone.status !== 204)
    // The organization that spans all sees what any holds; what came when this one was gone already
    // went where the call fell back to.
    const held = async (path: string) =>
      fine(await keeper.in(ROOT_ORG).call('GET', `${path}?search=${name}&limit=10`)).results
    const left = [...(await held('/api/v1/assets/labels/')), ...(await held('/api/v1/users/groups/'))]
    const own = made.filter(({ status, body }) => status === 201 && body.org_id === org).map(({ body }) => body.id)
    const leftHere = left.filter(({ org_id }) => org_id === org).map(({ id }) => id)
    expect(leftHere.toSorted()).toEqual(stands ? own.toSorted() : [])
  }
})

test('a proven sign-in becomes one token or one session, however many ask for it at once', async () => {
  const { username, secret } = await aGuarded()
  const client = aJar()
  await client.call('POST', '/api/v1/authentication/tokens/', { username, password: PASSWORD })
  fine(await client.call('POST', '/api/v1/authentication/mfa/challenge/', { type: 'otp', code: codeOf(secret) }))
  const cookie = client.cookies()
  const asked = await many(() =>
    call(
      'POST',
      '/api/v1/authentication/tokens/',
      { username, password: 'x' },
      { cookie, 'x-forwarded-for': anAddress() },
    ),
  )
  expect(asked.filter(({ status }) => status === 201)).toHaveLength(1)
})

test('roles that are given and taken at once leave a person with one of the sets that were asked for, never a mixture', async () => {
  const wanted = [['User'], ['Admin'], ['Auditor', 'User'], ['Admin', 'Auditor']]
  for (let round = 0; round < 4; round++) {
    const person = await aPerson()
    const path = `/api/v1/users/users/${person.id}/`
    const answers = await many((n) => keeper.call('PATCH', path, { org_roles: wanted[n % 4] }))
    const sets = wanted.map((roles) => roles.toSorted().join())
    const left = await keeper.call('GET', path)
    for (const { status, body } of [...answers, left]) {
      expect(status).toBe(200)
      expect(sets).toContain(body.org_roles.toSorted().join())
    }
    expect(fine(await keeper.call('PATCH', path, { org_roles: ['Auditor'] })).org_roles).toEqual(['Auditor'])
  }
})

test('a person who signs in while being disabled ends up outside', async () => {
  const person = await aPerson()
  const browsers = Array.from({ length: 6 }, () => aJar())
  const credentials = { username: person.username, password: PASSWORD }
  const signIns = browsers.map((browser) => browser.call('POST', LOGIN, credentials))
  // One is in, the others are on their way.
  await Promise.race(signIns)
  expect((await keeper.call('PATCH', `/api/v1/users/users/${person.id}/`, { is_active: false })).status).toBe(200)
  for (const { status } of await Promise.all(signIns)) expect(status).toBeLessThan(500)
  for (const browser of browsers) expect((await browser.call('GET', '/api/v1/users/profile/')).status).toBe(401)
})
