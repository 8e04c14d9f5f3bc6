import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { MEMBERSHIP_LOST } from '../../orgs/index.ts'
import { dnOf, entry, ldapSettings, ou } from '../ldap/people-fixture.ts'
import { importWhenDue } from '../ldap/periodic-import.ts'
import { type Slapd, SUFFIX, startSlapd } from '../ldap/slapd-fixture.ts'

const RULES = '/api/v1/authentication/group-mappings/'
const GROUPS = `ou=groups,${SUFFIX}`
const group = (name: string) => `cn=${name},${GROUPS}`
const PEOPLE = ['anna', 'bert', 'cora', 'dave', 'emma', 'finn', 'gina', 'hugo', 'ida', 'jack', 'kim', 'lena'] as const
const person = (uid: (typeof PEOPLE)[number]) => dnOf('people', PEOPLE.indexOf(uid) + 1)
const make = (kind: string, name: string, lines: string[]) =>
  `dn: ${group(name)}\nchangetype: add\nobjectClass: ${kind}\ncn: ${name}\n${lines.join('\n')}\n\n`

let slapd: Slapd
let server: TestServer
/** Somebody of here who has the user name of somebody in the directory. */
let local: Caller
/** Ids of user groups by name. */
const here = new Map<string, string>()
beforeAll(async () => {
  slapd = await startSlapd(
    ou('people') +
      ou('groups') +
      PEOPLE.map((uid, n) => entry('people', n + 1, { uid, mail: `${uid}@corp.example` })).join('') +
      entry('people', 90, { uid: 'locally' }),
  )
  server = await openTestServer()
  local = await server.aPerson('locally')
  // Made once the server runs: its overlay then writes memberOf into the entries.
  slapd.change(
    make('groupOfNames', 'ops', [`member: ${person('anna')}`, `member: ${person('bert')}`]) +
      make('groupOfUniqueNames', 'unique', [`uniqueMember: ${person('cora')}`]) +
      make('posixGroup', 'posix', ['gidNumber: 700', 'memberUid: dave']) +
      make('groupOfNames', 'outer', [`member: ${group('unique')}`, `member: ${group('ops')}`]) +
      make('groupOfNames', 'round', [`member: ${group('outer')}`, `member: ${group('round')}`]) +
      make('groupOfNames', 'roots', [`member: ${person('emma')}`, 'member: uid=locally,dc=elsewhere']) +
      make('groupOfNames', 'auditing', [`member: ${person('finn')}`]),
  )
  for (const name of ['Operators', 'Unix', 'Nested'])
    here.set(name, (await server.admin.post('/api/v1/users/groups/', { name })).body.id)
})
afterAll(async () => {
  await server?.close()
  await slapd?.close()
})
beforeEach(async () => {
  for (const { id, org_id } of (await server.admin.in('root').get(RULES)).body)
    expect((await server.admin.in(org_id).delete(`${RULES}${id}/`)).status).toBe(204)
  await configure({})
})

async function configure(changes: Record<string, unknown>) {
  const settings = { ...ldapSettings(slapd.url), AUTH_LDAP_GROUP_SEARCH_OU: GROUPS, ...changes }
  const { status, body } = await server.admin.patch('/api/v1/settings/setting/?category=ldap', settings)
  expect([status, body]).toEqual([200, expect.anything()])
}
let count = 0
async function rule(draft: Record<string, unknown>, admin = server.admin) {
  const { status, body } = await admin.post(RULES, { name: `rule ${++count}`, source: 'ldap', ...draft })
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}
const signIn = (username: string) =>
  server.call('POST', '/api/v1/authentication/tokens/', { body: { username, password: 'Directory-1' } })
async function comesIn(username: string) {
  const { status, body } = await signIn(username)
  expect([username, status, body]).toEqual([username, 201, expect.anything()])
}
const userRow = async (username: string, org = 'root') =>
  (await server.admin.in(org).get(`/api/v1/users/users/?username=${username}`)).body[0]
/** Names of groups in Default, and roles there. */
async function standing(username: string) {
  const { groups_display, org_roles } = (await userRow(username, 'DEFAULT')) ?? {}
  return { groups: groups_display, roles: org_roles }
}
const operators = () => [here.get('Operators')]
const readMembers = (name: string, ...people: (typeof PEOPLE)[number][]) =>
  slapd.change(
    `dn: ${group(name)}\nchangetype: modify\nreplace: member\n${[...people.map(person), 'uid=nobody,dc=elsewhere'].map((dn) => `member: ${dn}\n`).join('')}`,
  )
const importAll = () => server.admin.in('root').post('/api/v1/settings/ldap/users/import/?cache_police=0', {})

test('groups of all kinds and groups within groups give what the rules say, at the sign-in', async () => {
  await rule({ value: group('ops'), user_groups: operators() })
  await rule({ value: group('unique').toUpperCase(), user_groups: [here.get('Nested')] })
  await rule({ value: group('posix'), user_groups: [here.get('Unix')], org_role: 'Auditor' })
  for (const uid of ['anna', 'cora', 'dave', 'gina']) await comesIn(uid)
  expect(await standing('anna')).toEqual({ groups: 'Operators', roles: ['User'] })
  expect(await standing('cora')).toEqual({ groups: 'Nested', roles: ['User'] })
  expect(await standing('dave')).toEqual({ groups: 'Unix', roles: ['Auditor'] })
  // Nobody whom a group has placed nowhere stays without an organization.
  expect(await standing('gina')).toEqual({ groups: '', roles: ['User'] })
  await rule({ value: group('round'), user_groups: [here.get('Unix')] })
  await comesIn('anna')
  expect((await standing('anna')).groups).toBe('Operators Unix')
  // Without the place of the groups the entry's own are known, and no others.
  await configure({ AUTH_LDAP_GROUP_SEARCH_OU: '' })
  await comesIn('anna')
  expect((await standing('anna')).groups).toBe('Operators')
})

test('a person who leaves the last group loses its gifts, with an event for live sessions; gifts by hand stay', async () => {
  const other = await server.anOrg('Other')
  await rule({ value: group('ops'), user_groups: operators() })
  await rule({ match: 'subtree', value: GROUPS, org_role: 'Admin' }, server.admin.in(other))
  await comesIn('bert')
  const { id } = await userRow('bert')
  expect((await userRow('bert', other)).org_roles).toEqual(['Admin'])
  const byHand = (await server.admin.post('/api/v1/users/groups/', { name: 'By hand', users: [id] })).body.id
  const announced: unknown[] = []
  const stop = server.kernel.events.subscribe(MEMBERSHIP_LOST, ({ users }) => announced.push(...(users as string[])))
  readMembers('ops')
  await comesIn('bert')
  await expect.poll(() => announced).toContain(id)
  stop()
  expect(await userRow('bert', other)).toBeUndefined()
  // With the last membership went the group that hung on it, as when somebody here takes them out.
  expect(await userRow('bert', 'DEFAULT')).toBeUndefined()
  expect((await server.admin.get(`/api/v1/users/groups/${byHand}/`)).body.users).toEqual([])

  readMembers('ops', 'anna', 'bert')
  expect(
    (
      await server.admin.post('/api/v1/orgs/org-member-relation/', {
        user: id,
        org: (await server.admin.get('/api/v1/orgs/orgs/current/')).body.id,
        role: 'User',
      })
    ).status,
  ).toBe(201)
  await server.admin.post('/api/v1/users/users-groups-relations/', { user: id, usergroup: byHand })
  await comesIn('bert')
  expect(await standing('bert')).toEqual({ groups: 'By hand Operators', roles: ['User'] })
  readMembers('ops', 'anna')
  await comesIn('bert')
  expect(await standing('bert')).toEqual({ groups: 'By hand', roles: ['User'] })
  const log = (await server.admin.get('/api/v1/audits/operate-logs/?limit=100')).body.results.filter(
    ({ user }: { user: string }) => user === 'LDAP/AD(ldap)',
  )
  expect(log[0]).toMatchObject({ action: 'update', resource: 'bert(bert)', changes: [{ removed: ['Operators'] }] })
  readMembers('ops', 'anna', 'bert')
})

test('an import gives and takes for everybody, also for those whom the directory lists no more', async () => {
  await rule({ value: group('outer'), user_groups: [here.get('Nested')] })
  await rule({ value: group('posix'), user_groups: [here.get('Unix')] })
  expect((await importAll()).status).toBeLessThan(300)
  for (const uid of ['anna', 'cora']) expect([uid, (await standing(uid)).groups]).toEqual([uid, 'Nested'])
  expect((await standing('dave')).groups).toBe('Unix')
  await configure({
    AUTH_LDAP_SEARCH_FILTER: '(&(uid=%(user)s)(!(uid=cora)))',
    AUTH_LDAP_SYNC_IS_PERIODIC: true,
    AUTH_LDAP_SYNC_INTERVAL: 1,
  })
  const now = Date.now()
  await importWhenDue(server.kernel, new Date(now))
  await importWhenDue(server.kernel, new Date(now + 3_700_000))
  expect(await userRow('cora', 'DEFAULT')).toBeUndefined()
  expect((await standing('anna')).groups).toBe('Nested')
  // A filter that finds nobody is a mistake, not the end of everybody's groups.
  await configure({ AUTH_LDAP_SEARCH_FILTER: '(&(uid=%(user)s)(uid=none))' })
  await importAll()
  expect((await standing('anna')).groups).toBe('Nested')
})

test('a rule that is made, changed or deleted counts at once for everybody in the directory who was seen', async () => {
  await comesIn('hugo')
  await comesIn('anna')
  const groupsOf = async (uid: string) => (await standing(uid)).groups
  const made = await rule({ value: group('ops'), user_groups: operators() })
  await expect.poll(() => groupsOf('anna')).toBe('Operators')
  expect((await server.admin.patch(`${RULES}${made.id}/`, { match: 'everybody' })).status).toBe(200)
  await expect.poll(() => groupsOf('hugo')).toBe('Operators')
  expect((await server.admin.patch(`${RULES}${made.id}/`, { is_active: false })).status).toBe(200)
  await expect.poll(() => userRow('hugo', 'DEFAULT').then((row) => row?.groups_display ?? '')).toBe('')
  expect((await server.admin.patch(`${RULES}${made.id}/`, { is_active: true })).status).toBe(200)
  await expect.poll(() => groupsOf('hugo')).toBe('Operators')
  expect((await server.admin.delete(`${RULES}${made.id}/`)).status).toBe(204)
  await expect.poll(() => userRow('anna', 'DEFAULT').then((row) => row?.groups_display ?? '')).toBe('')
})

test('what comes from outside is changed there: each way to change it by hand is refused', async () => {
  await rule({ value: group('roots'), user_groups: operators(), org_role: 'Auditor', system_role: 'Auditor' })
  await comesIn('emma')
  const row = await userRow('emma', 'DEFAULT')
  expect(row).toMatchObject({
    role: 'Auditor',
    role_given_by: 'ldap',
    given_org_roles: ['Auditor'],
    given_groups: operators(),
  })
  const { id } = row
  const personPath = `/api/v1/users/users/${id}/`
  const org = (await server.admin.get('/api/v1/orgs/orgs/current/')).body.id
  const [place] = (await server.admin.get(`/api/v1/users/users-groups-relations/?user=${id}`)).body
  const [member] = (await server.admin.get(`/api/v1/orgs/org-member-relation/?user=${id}&role=Auditor`)).body
  expect([place.given_by, member.given_by]).toEqual(['ldap', 'ldap'])
  const { admin } = server
  const groupPath = `/api/v1/users/groups/${here.get('Operators')}/`
  for (const [what, answer] of Object.entries({
    role: await admin.patch(personPath, { role: 'User' }),
    roles: await admin.patch(personPath, { org_roles: ['User'] }),
    groups: await admin.patch(personPath, { groups: [] }),
    members: await admin.patch(groupPath, { users: [] }),
    place: await admin.delete(`/api/v1/users/users-groups-relations/${place.id}/`),
    moved: await admin.patch(`/api/v1/users/users-groups-relations/${place.id}/`, { usergroup: here.get('Unix') }),
    places: await admin.delete(`/api/v1/users/users-groups-relations/?user=${id}&usergroup=${here.get('Operators')}`),
    member: await admin.delete(`/api/v1/orgs/org-member-relation/${member.id}/`),
    promoted: await admin.patch(`/api/v1/orgs/org-member-relation/${member.id}/`, { role: 'Admin' }),
    organization: await admin.patch(`/api/v1/orgs/orgs/${org}/`, { auditors: [] }),
    out: await admin.post(`${personPath}remove/`),
  }))
    expect([what, answer.status, answer.body]).toEqual([
      what,
      400,
      expect.objectContaining({ detail: 'This comes from LDAP/AD and is changed there' }),
    ])
  // The form sends back what it has been shown, and more may be given by hand.
  expect(
    (
      await admin.patch(personPath, {
        role: 'Auditor',
        org_roles: ['Auditor', 'User'],
        groups: [...row.groups, here.get('Unix')],
      })
    ).status,
  ).toBe(200)
  expect(await standing('emma')).toEqual({ groups: 'Operators Unix', roles: ['Auditor', 'User'] })
  // A group that a rule gives is not deleted before the rule.
  expect((await admin.delete(groupPath)).body.code).toBe('referenced_by_others')
  // With the source goes what it gave, and nothing else.
  expect((await admin.patch(personPath, { source: 'local' })).status).toBe(200)
  expect(await userRow('emma', 'DEFAULT')).toMatchObject({
    role: 'User',
    role_given_by: '',
    org_roles: ['User'],
    groups_display: 'Unix',
  })
})

test('a system administrator is made by a rule that names the group, and by nothing else', async () => {
  await comesIn('finn')
  expect(await userRow('finn')).toMatchObject({ role: 'User' })
  const draft = { name: 'too wide', source: 'ldap', system_role: 'Admin' }
  for (const wide of [
    { match: 'pattern', value: `cn=*,${GROUPS}` },
    { match: 'subtree', value: GROUPS },
    { match: 'everybody' },
  ])
    expect([wide, (await server.admin.post(RULES, { ...draft, ...wide })).body]).toEqual([
      wide,
      expect.objectContaining({ system_role: expect.anything() }),
    ])
  const made = await rule({ value: group('auditing'), system_role: 'Admin', org_role: 'none' })
  await expect.poll(async () => (await userRow('finn')).role).toBe('Admin')
  // A role that somebody here gave is not the source's to take.
  await comesIn('ida')
  const ida = await userRow('ida')
  expect((await server.admin.in('root').patch(`/api/v1/users/users/${ida.id}/`, { role: 'Auditor' })).status).toBe(200)
  await comesIn('ida')
  expect(await userRow('ida')).toMatchObject({ role: 'Auditor', role_given_by: '' })
  await server.admin.delete(`${RULES}${made.id}/`)
  await expect.poll(async () => (await userRow('finn')).role).toBe('User')
})

test('a local person of the same name is given nothing', async () => {
  await rule({ match: 'everybody', user_groups: operators(), org_role: 'Admin', system_role: 'Auditor' })
  expect((await signIn('locally')).status).toBe(400)
  await importAll()
  expect(await userRow('locally', 'DEFAULT')).toMatchObject({
    id: local.id,
    source: 'local',
    role: 'User',
    org_roles: ['User'],
    groups: [],
  })
  expect(await userRow('admin')).toMatchObject({ source: 'local', role: 'Admin', role_given_by: '' })
})

test('a rule that could never mean anybody, gives nothing, or what is kept elsewhere is refused by its field', async () => {
  const faults: [Record<string, unknown>, string][] = [
    [{ value: '' }, 'value'],
    [{ value: 'admins' }, 'value'],
    [{ value: `cn="a",${GROUPS}` }, 'value'],
    [{ match: 'pattern', value: group('ops') }, 'value'],
    [{ match: 'pattern', value: 'cn=a\\2a*,dc=x' }, 'value'],
    [{ match: 'subtree', value: 'no dn' }, 'value'],
    [{ value: group('a'), org_role: 'none' }, 'org_role'],
    [{ value: group('a'), org_role: 'none', user_groups: operators() }, 'org_role'],
    [{ value: group('a'), org_role: 'Owner' }, 'org_role'],
    [{ value: group('a'), mode: 'perhaps' }, 'mode'],
    [{ value: group('a'), source: 'local' }, 'source'],
    [{ value: group('a'), priority: 0 }, 'priority'],
    [{ value: 'cn='.padEnd(1100, 'a') }, 'value'],
    [{ value: group('a'), user_groups: ['00000000-0000-0000-0000-000000000009'] }, 'user_groups'],
  ]
  for (const [changes, field] of faults) {
    const { status, body } = await server.admin.post(RULES, { name: 'wrong', source: 'ldap', ...changes })
    expect([changes, status, Object.keys(body)]).toEqual([changes, 400, expect.arrayContaining([field])])
  }
  const boss = await server.aPerson('boss', { orgRoles: ['Admin'] })
  expect((await boss.get(RULES)).status).toBe(403)
  expect((await boss.post(RULES, { name: 'mine', match: 'everybody', org_role: 'Admin' })).status).toBe(403)
})

test('the effects of a rule are shown with the names of people, and nothing is stored', async () => {
  await comesIn('jack')
  const draft = { name: 'tried out', source: 'ldap', match: 'everybody', user_groups: operators(), org_role: 'Auditor' }
  const { status, body } = await server.admin.post(`${RULES}?preview=true&limit=100`, draft)
  expect(status).toBe(200)
  const of = <T extends { person: { name: string } }>(rows: T[]) =>
    rows.find(({ person }) => person.name === 'jack(jack)')
  expect(of(body.places.rows)).toMatchObject({ gained: ['Operators'], lost: [] })
  expect(of(body.roles.rows)).toMatchObject({ after: { organizations: [{ roles: ['Auditor', 'User'] }] } })
  expect((await server.admin.get(RULES)).body).toEqual([])
  expect(await standing('jack')).toEqual({ groups: '', roles: ['User'] })
  const made = await rule({ ...draft, name: 'kept' })
  await expect.poll(async () => (await standing('jack')).groups).toBe('Operators')
  const narrowed = await server.admin.patch(`${RULES}${made.id}/?preview=true&limit=100`, {
    match: 'exact',
    value: group('posix'),
  })
  expect(of(narrowed.body.places.rows)).toMatchObject({ gained: [], lost: ['Operators'] })
  const gone = await server.admin.delete(`${RULES}${made.id}/?preview=true&limit=100`)
  expect(of(gone.body.places.rows)).toMatchObject({ lost: ['Operators'] })
  expect((await standing('jack')).groups).toBe('Operators')
})
