// Class 2: object-level checks. Every id parameter is tried with an id of another person and
// another organization by the generated walks on the server; here, from outside, the objects that
// are worth most: machines, identities with their secrets, grants, sessions, keys, messages,
// imports, selections.
import { beforeAll, expect, test } from 'vitest'
import { type Answer, aName, anOrganization, aPerson, DEFAULT_ORG, fine, type Person, ROOT_ORG } from './visitor.ts'

/**
 * Administers the organization that owns everything here; the others have nothing to do with it, or
 * are plain members of it.
 */
let owner: Person
let theirs: Person
let member: Person
const rows: Record<string, { path: string; id: string }> = {}

beforeAll(async () => {
  const org = await anOrganization()
  owner = await aPerson({ orgRoles: ['Admin'], org })
  member = await aPerson({ org })
  theirs = await aPerson({ orgRoles: ['Admin'], org: await anOrganization() })
  const make = async (name: string, path: string, draft: object) => {
    const { id } = fine(await owner.call('POST', path, draft))
    rows[name] = { path, id }
    return id as string
  }
  const identity = {
    username: 'root',
    protocol: 'ssh',
    login_mode: 'auto',
    password: 'Secret-of-identity-1',
    auto_push: false,
  }
  const systemUser = await make('identity', '/api/v1/assets/system-users/', { name: 'identity', ...identity })
  const asset = await make('machine', '/api/v1/assets/assets/', {
    hostname: 'machine-of-ours',
    ip: '10.0.0.1',
    platform: 'Linux',
  })
  await make('group', '/api/v1/users/groups/', { name: 'group-of-ours', users: [member.id] })
  await make('grant', '/api/v1/perms/asset-permissions/', {
    name: 'grant-of-ours',
    users: [member.id],
    assets: [asset],
    system_users: [systemUser],
  })
  rows.person = { path: '/api/v1/users/users/', id: member.id }
})

const strangers = () => ({
  'an administrator of another organization': theirs,
  'the same, who names the organization': theirs.in(owner.org),
  'the same in root': theirs.in(ROOT_ORG),
  'the same in Default': theirs.in(DEFAULT_ORG),
  'a plain member': member,
})

test('ids of another organization open nothing: not read, listed, counted, searched, selected, exported, changed or deleted', async () => {
  const wrong: string[] = []
  for (const [what, { path, id }] of Object.entries(rows)) {
    const before = fine(await owner.call('GET', `${path}${id}/`))
    for (const [who, stranger] of Object.entries(strangers())) {
      const refused = ({ status }: Answer, how: string) => {
        if (![403, 404, 400].includes(status)) wrong.push(`${how} of ${what} by ${who}: ${status}`)
      }
      refused(await stranger.call('GET', `${path}${id}/`), 'GET')
      refused(await stranger.call('PATCH', `${path}${id}/`, { comment: 'taken over' }), 'PATCH')
      refused(await stranger.call('PUT', `${path}${id}/`, before), 'PUT')
      refused(await stranger.call('PATCH', path, [{ id, comment: 'taken over' }]), 'bulk PATCH')
      refused(await stranger.call('DELETE', `${path}${id}/`), 'DELETE')
      const { spm } = fine(await stranger.call('POST', '/api/v1/common/resources/cache/', { resources: [id] }))
      await stranger.call('DELETE', `${path}?spm=${spm}`)
      for (const query of [`ids=${id}`, `id=${id}`, `spm=${spm}`, 'search=of-ours', 'format=csv', '']) {
        const { status, text, body } = await stranger.call('GET', `${path}?${query}&limit=100`)
        if (
          status !== 403 &&
          (text.includes(id) || text.includes('of-ours') || (query.startsWith('ids') && body.count))
        )
          wrong.push(`GET ?${query} of ${what} by ${who} tells it`)
      }
    }
    expect(fine(await owner.call('GET', `${path}${id}/`))).toEqual(before)
  }
  expect(wrong).toEqual([])
})

test('what hangs on a foreign object stays shut too: secrets of identities, granted machines, sign-ins, tasks, relations, passwords', async () => {
  const { identity, machine, grant, person } = rows
  const doors: [string, string, unknown?][] = [
    ['GET', `/api/v1/assets/system-users/${identity?.id}/auth-info/`],
    ['GET', `/api/v1/assets/system-users/${identity?.id}/assets/${machine?.id}/auth-info/`],
    ['PUT', `/api/v1/assets/system-users/${identity?.id}/auth-info/`, { password: 'Taken-over-1' }],
    ['POST', `/api/v1/assets/assets/${machine?.id}/tasks/`, { action: 'test' }],
    ['GET', `/api/v1/assets/assets/${machine?.id}/gateways/`],
    ['GET', `/api/v1/perms/users/${person?.id}/assets/`],
    ['GET', `/api/v1/perms/users/${person?.id}/nodes/children/tree/`],
    ['PATCH', `/api/v1/users/users/${person?.id}/password/reset/`, {}],
    ['PUT', `/api/v1/users/users/${person?.id}/password/`, { password: 'Taken-over-1' }],
    ['GET', `/api/v1/users/users/${person?.id}/mfa/reset/`],
    ['POST', `/api/v1/users/users/${person?.id}/remove/`, {}],
    ['POST', '/api/v1/perms/asset-permissions-users-relations/', { assetpermission: grant?.id, user: theirs.id }],
    [
      'POST',
      '/api/v1/perms/asset-permissions/',
      { name: aName('grant'), users: [theirs.id], assets: [machine?.id], system_users: [identity?.id] },
    ],
  ]
  const wrong: string[] = []
  for (const [method, path, body] of doors) {
    const { status, text } = await theirs.call(method, path, body)
    if (![400, 403, 404].includes(status) || text.includes('Secret-of-identity'))
      wrong.push(`${method} ${path}: ${status}`)
  }
  expect(wrong).toEqual([])
})

test('a person’s own things are closed even to an administrator: keys, messages, selections, imports', async () => {
  const key = fine(await member.call('GET', '/api/v1/authentication/access-keys/')).at(0) ?? fine(await makeKey())
  const { spm } = fine(await owner.call('POST', '/api/v1/common/resources/cache/', { resources: [rows.machine?.id] }))
  const job = fine(
    await owner.call('POST', '/api/v1/assets/labels/import-jobs/', {
      mode: 'create',
      rows: [{ name: aName('label'), value: 'x' }],
    }),
  )
  for (const other of [owner, theirs]) {
    expect((await other.call('GET', `/api/v1/authentication/access-keys/${key.id}/`)).status).toBe(404)
    expect((await other.call('DELETE', `/api/v1/authentication/access-keys/${key.id}/`)).status).toBe(404)
    expect((await other.call('GET', '/api/v1/authentication/access-keys/')).text).not.toContain(key.id)
  }
  // A second administrator of the same organization: the selection and the import are still not
  // theirs.
  const second = await aPerson({ orgRoles: ['Admin'], org: owner.org })
  expect(fine(await owner.call('GET', `/api/v1/assets/assets/?spm=${spm}&limit=10`)).count).toBe(1)
  expect(fine(await second.call('GET', `/api/v1/assets/assets/?spm=${spm}&limit=10`)).count).toBe(0)
  expect((await second.call('GET', `/api/v1/assets/labels/import-jobs/${job.id}/`)).status).toBe(404)
})

async function makeKey() {
  fine(await member.call('POST', '/api/v1/authentication/access-keys/', {}))
  const answer = await member.call('GET', '/api/v1/authentication/access-keys/')
  return { ...answer, body: answer.body[0] }
}
