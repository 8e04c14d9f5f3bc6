import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandReviewFixture, openCommandReviewFixture } from '../../domains/acls/command-review-fixture.ts'

const TRY = '/api/v1/assets/cmd-filters/try/'

let fixture: CommandReviewFixture
beforeAll(async () => {
  fixture = await openCommandReviewFixture()
})
afterAll(() => fixture?.close())

test('[A1.05] an administrator tries a command: which rule decides, what it found and who would be asked; nothing is opened', async () => {
  const { server, assetId, systemUserId, person, filterId } = fixture
  const confirm = await fixture.aRule()
  const deny = await fixture.aRule({ type: 'regex', content: 'rm\\s+-rf', action: 0, reviewers: [], priority: 10 })
  const where = { user: person.id, asset: assetId, system_user: systemUserId }
  const tried = async (command: string) => (await server.admin.post(TRY, { ...where, command })).body
  expect(await tried('sudo rm  -rf /srv; reboot')).toMatchObject({
    action: 'deny',
    match: 'rm  -rf',
    rule: { id: deny, filter: filterId, filter_name: 'dangerous', action: 0, priority: 10 },
    reviewers: [],
  })
  expect(await tried('sudo reboot')).toMatchObject({
    action: 'confirm',
    match: 'reboot',
    rule: { id: confirm },
    reviewers: ['first of test(first)', 'second of test(second)'],
  })
  expect(await tried('ls')).toMatchObject({ action: 'allow', rule: null, match: '' })
  const seen = (await tried('ls; sudo reboot; $x')).parts.map((part: { text: string; action: string }) => [
    part.text,
    part.action,
  ])
  expect(seen).toEqual([
    ['ls', 'allow'],
    ['sudo reboot', 'confirm'],
    ['reboot', 'confirm'],
  ])
  // A part that takes too long says so.
  const slow = await fixture.aRule({ type: 'regex', content: '^(a+)+$', action: 0, reviewers: [], priority: 1 })
  const long = `${'a'.repeat(40)}!`
  expect((await tried(`ls; ${long}`)).parts).toMatchObject([
    { text: 'ls', action: 'allow', reason: '' },
    { text: long, action: 'deny', reason: 'A rule took too long on this: it is denied' },
  ])
  expect((await server.admin.delete(`/api/v1/assets/cmd-filters/${filterId}/rules/${slow}/`)).status).toBe(204)
  // The text of the line, and its expansion by the shell.
  expect((await tried("ls; sudo re'boo't")).parts.at(-1)).toMatchObject({ source: "sudo re'boo't", text: 'reboot' })
  expect((await tried('ls; $x')).reason).toBe('Not known before it runs, so no rule can be about it: $x')
  // Nobody is asked about their own.
  const [first] = fixture.reviewers
  const { body } = await server.admin.post(TRY, { ...where, user: first.id, command: 'reboot' })
  expect(body.reviewers).toEqual(['second of test(second)'])
  // Filters of the asset do not hold where it is not named.
  expect((await server.admin.post(TRY, { user: person.id, command: 'reboot' })).body.rule).toBeNull()
  expect(await fixture.openTickets()).toEqual([])
})

test('[A1.05] tried in a database, a command is judged by the filters of that application, and as a statement: nothing is taken apart as by a shell', async () => {
  const { server, assetId, person } = fixture
  const made = async (path: string, draft: object) => (await server.admin.post(`/api/v1/${path}`, draft)).body.id
  const application = await made('applications/applications/', {
    name: 'orders',
    category: 'db',
    type: 'mysql',
    attrs: { host: '127.0.0.1', port: 3306, database: 'orders' },
  })
  const filter = await made('assets/cmd-filters/', { name: 'statements', applications: [application] })
  await made(`assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', content: 'drop table', action: 0 })
  const tried = (more: object) =>
    server.admin.post(TRY, { user: person.id, application, command: "select 'drop' ' table'; $x", ...more })
  expect((await tried({})).body).toMatchObject({ action: 'allow', rule: null, parts: [], reason: '' })
  const { body } = await tried({ command: 'drop table people' })
  expect(body).toMatchObject({ action: 'deny', match: 'drop table', rule: { filter, filter_name: 'statements' } })
  // A statement after another one is no line of a shell either, which would join what is quoted.
  expect((await tried({ command: "select 1; select 'drop'' table'" })).body).toMatchObject({
    action: 'allow',
    parts: [],
  })
  // As the guard of a session has it: without comments, and each statement alone.
  const hidden = (await tried({ command: 'select 1; drop/**/table people' })).body
  expect(hidden).toMatchObject({ action: 'deny', match: 'drop table' })
  expect(hidden.parts.map(({ text }: { text: string }) => text)).toContain('drop table people')
  // More statements than a session's guard looks at, and one that takes too long before many others.
  const many = (await tried({ command: Array.from({ length: 300 }, (_, at) => `select ${at}`).join(';') })).body
  expect(many).toMatchObject({ action: 'deny', rule: null, parts: [] })
  expect(many.reason).toContain('Only a part of this could be checked')
  await made(`assets/cmd-filters/${filter}/rules/`, { filter, type: 'regex', content: '^(a+)+$', action: 0 })
  const slow = (
    await tried({ command: ['select 0', ...[40, 41, 42].map((length) => `${'a'.repeat(length)}!`)].join('; ') })
  ).body
  expect(slow).toMatchObject({ action: 'deny', match: '', reason: 'A rule took too long on this: it is denied' })
  expect(slow.parts.map(({ text }: { text: string }) => text)).toEqual([`${'a'.repeat(40)}!`])
  // The same words on a machine are none of this filter's business.
  expect((await tried({ application: null, asset: assetId, command: 'drop table' })).body.rule).toBeNull()
  expect((await tried({ asset: assetId })).body).toEqual({
    application: ['Choose an asset or an application, not both'],
  })
  const elsewhere = await server.anOrg('without applications')
  const { status, body: why } = await server.admin.in(elsewhere).post(TRY, { application, command: 'drop table' })
  expect([status, why]).toEqual([400, { application: ['Not found.'] }])
})

test('[A1.05 A5.06] a target of another organization is reported as unknown, and only administrators try', async () => {
  const { server, assetId, systemUserId, person } = fixture
  const other = await server.anOrg('elsewhere')
  const body = { user: person.id, asset: assetId, system_user: systemUserId, command: 'reboot' }
  const { status, body: why } = await server.admin.in(other).post(TRY, body)
  expect([status, Object.keys(why).sort()]).toEqual([400, ['asset', 'system_user', 'user']])
  expect((await person.post(TRY, body)).status).toBe(403)
  // The root organization has them all, and system administrators are of every organization.
  expect((await server.admin.in(ROOT_ORG_ID).post(TRY, body)).status).toBe(200)
  expect((await server.admin.post(TRY, { ...body, user: server.admin.id })).status).toBe(200)
  expect((await server.admin.post(TRY, { ...body, user: crypto.randomUUID() })).body).toEqual({ user: ['Not found.'] })
  for (const wrong of [{ command: '' }, { command: 'x'.repeat(10_001) }, { asset: 'web-1' }])
    expect((await server.admin.post(TRY, { ...body, ...wrong })).status).toBe(400)
})
