import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, type TestServer } from '../../../test/server.ts'
import { settingsOf } from '../settings/index.ts'
import { type OutsidePerson, REFUSED, type SaveOptions, savePeople } from './outside-people.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.close())

const person = (username: string, rest: Partial<OutsidePerson> = {}): OutsidePerson => ({
  username,
  name: `${username} of the directory`,
  email: `${username}@directory.example`,
  ...rest,
})

const save = (people: OutsidePerson[], options: Partial<SaveOptions> = {}) =>
  savePeople(server.kernel, people, { source: 'ldap', create: true, update: true, ...options })

/** As administrators see one person of Default; undefined when they are not among them. */
async function seen(username: string, org = DEFAULT_ORG_ID) {
  const { body } = await server.admin.in(org).get(`/api/v1/users/users/?username=${encodeURIComponent(username)}`)
  return body.find((row: { username: string }) => row.username === username)
}

test('a name that is empty, longer than 128 signs, or has control signs makes nobody; the longest that fits does', async () => {
  const longest = 'n'.repeat(128)
  const bad = ['', `${longest}n`, 'line\nfeed', 'delete\u007f']
  const { saved, refused } = await save([...bad, longest].map((name) => person(name, { email: '' })))
  expect(saved.map(({ username, done }) => [username, done])).toEqual([[longest, 'created']])
  expect([...refused]).toEqual(bad.map((name) => [name.slice(0, 128), REFUSED.username]))
})

test('nobody is made whose name only looks like that of somebody who is here', async () => {
  await save([person('Ren\u00E9')])
  const { saved, refused } = await save(
    ['rene\u0301', 'Ｒｅｎ\u00E9', 'ren\u00E9\u200B'].map((name, n) =>
      person(name, { email: `rene${n}@directory.example` }),
    ),
  )
  expect(saved).toEqual([])
  expect([...refused.values()].toSorted()).toEqual([REFUSED.race, REFUSED.race, REFUSED.username].toSorted())
})

test('nobody is made who would be taken for somebody else by letters of another script, here or in the same batch; names of one script stay apart', async () => {
  const alike = ['\u0430dmin', 'AD\u039cIN', 'm\u0430xim', 'adm\u0131n']
  const fine = ['maxim', 'maxin', 'user1', 'userl', '张三', '张三1', '李四', 'максим', '王admin']
  const { saved, refused } = await save(
    [...fine, ...alike].map((name, n) => person(name, { email: `alike${n}@directory.example` })),
  )
  expect(saved.map(({ username }) => username)).toEqual(fine)
  expect([...refused]).toEqual(alike.map((name) => [name, REFUSED.race]))
  // 'maxim' in Cyrillic letters alone.
  const whole = await save([person('scope'), person('\u0455\u0441\u043e\u0440\u0435')])
  expect(whole.saved.map(({ username }) => username)).toEqual(['scope'])
})

test('an address of a provider is taken as forms take it', async () => {
  const suffix = settingsOf(server.kernel).get('EMAIL_SUFFIX')
  const bad = {
    zero: 'jo\u200bhn@x.example',
    wide: 'ｊohn@x.example',
    cyrillic: 'j\u043ehn@x.example',
    spaced: 'a b@x.example',
    dots: 'a..b@x.example',
  }
  await save(Object.entries(bad).map(([name, email]) => person(name, { email })))
  for (const name of Object.keys(bad)) expect((await seen(name)).email).toBe(`${name}@${suffix}`)
  await save([person('bidi', { name: 'John\u202enhoJ\nRoot' })])
  expect((await seen('bidi')).name).toBe('John nhoJ Root')
})

test('a person without a usable address gets one of the suffix of the settings', async () => {
  const suffix = settingsOf(server.kernel).get('EMAIL_SUFFIX')
  const edge = `${'e'.repeat(128 - '@x.example'.length)}@x.example`
  await save([
    person('has none', { email: '' }),
    person('two-signs', { email: 'a@b@c.example' }),
    person('too-long', { email: `e${edge}` }),
    person('just-fits', { email: edge }),
  ])
  const emails = await Promise.all(
    ['has none', 'two-signs', 'too-long', 'just-fits'].map(async (username) => (await seen(username)).email),
  )
  expect(emails).toEqual([`has_none@${suffix}`, `two-signs@${suffix}`, `too-long@${suffix}`, edge])
})

test('an address belongs to one person, however it is written: a new one is refused, a known one keeps their own', async () => {
  await save([person('owner', { email: 'Owner@directory.example' }), person('other')])
  const { saved, refused } = await save([
    person('thief', { email: 'OWNER@directory.example' }),
    person('other', { email: 'owner@directory.example', name: 'Other anew' }),
    person('first-of-two', { email: 'shared@directory.example' }),
    person('second-of-two', { email: 'Shared@directory.example' }),
  ])
  expect(Object.fromEntries(refused)).toEqual({ thief: REFUSED.email, 'second-of-two': REFUSED.email })
  expect(saved.map(({ username, done }) => [username, done])).toEqual([
    ['other', 'updated'],
    ['first-of-two', 'created'],
  ])
  expect(await seen('other')).toMatchObject({ name: 'Other anew', email: 'other@directory.example' })
  // Their own address, written otherwise, is no conflict.
  expect((await save([person('owner', { email: 'owner@directory.example' })])).refused.size).toBe(0)
  expect((await seen('owner')).email).toBe('owner@directory.example')
})

test('phone, messenger and comment are taken where they are usable; what the source does not say stays', async () => {
  await save([
    person('described', { phone: '13800138000', wechat: 'w'.repeat(200), comment: 'c'.repeat(2000) }),
    person('nonsense', { phone: '12800138000' }),
  ])
  const first = await seen('described')
  expect([first.phone, first.wechat, first.comment]).toEqual(['13800138000', 'w'.repeat(128), 'c'.repeat(1024)])
  expect((await seen('nonsense')).phone).toBeFalsy()
  await save([person('described', { name: '', phone: '138001380001', wechat: '', comment: '' })])
  const later = await seen('described')
  expect([later.phone, later.wechat, later.comment, later.name]).toEqual([
    '13800138000',
    first.wechat,
    first.comment,
    'described of the directory',
  ])
  await save([person('nameless', { name: '' })])
  expect((await seen('nameless')).name).toBe('nameless')
})

test('people are made or updated only where that was asked for, and who has not changed is said so', async () => {
  const absent = await save([person('nobody-yet')], { create: false })
  expect([absent.saved, [...absent.refused]]).toEqual([[], [['nobody-yet', REFUSED.absent]]])
  await save([person('stays')])
  const kept = await save([person('stays', { name: 'Anew' })], { update: false })
  expect([kept.saved[0]?.done, kept.saved[0]?.changes]).toEqual(['unchanged', []])
  expect((await seen('stays')).name).toBe('stays of the directory')
  const changed = await save([person('stays', { name: 'Anew' })])
  expect(changed.saved[0]).toMatchObject({ done: 'updated', name: 'Anew' })
  expect(changed.saved[0]?.changes.map(({ field }) => field)).toEqual(['name'])
  expect((await save([person('stays', { name: 'Anew' })])).saved[0]?.done).toBe('unchanged')
})

test('a local person is taken over only when an administrator names them, and a local system administrator never', async () => {
  await server.aPerson('local')
  await server.aPerson('chief', { role: 'Admin' })
  const unasked = await save([person('local'), person('chief')])
  expect([...unasked.refused.values()]).toEqual([REFUSED.source, REFUSED.source])
  const named = await save([person('local'), person('chief')], { named: true })
  expect(Object.fromEntries(named.refused)).toEqual({ chief: REFUSED.administrator })
  expect((await seen('local')).source).toBe('ldap')
  // Now of the directory: another source does not get them, not even by name.
  expect([...(await save([person('local')], { source: 'radius', named: true })).refused.values()]).toEqual([
    REFUSED.source,
  ])
})

test('whom the source disables is signed out at once; only an administrator brings them back', async () => {
  const leaver = await server.aPerson('leaver')
  await save([person('leaver')], { named: true })
  expect((await leaver.get('/api/v1/users/profile/')).status).toBe(200)
  await save([person('leaver', { is_active: false })])
  expect((await leaver.get('/api/v1/users/profile/')).status).toBe(401)
  await save([person('leaver', { is_active: true })])
  expect((await seen('leaver')).is_active).toBe(false)
  await save([person('leaver')], { named: true })
  expect((await seen('leaver')).is_active).toBe(false)
  await save([person('leaver', { is_active: true })], { named: true })
  expect((await seen('leaver')).is_active).toBe(true)
  await save([person('asleep', { is_active: false })])
  expect((await seen('asleep')).is_active).toBe(false)
})

test('new people join Default, or the organization that was named together with those who are here already', async () => {
  const org = await server.anOrg('Branch')
  await save([person('early')])
  expect([!!(await seen('early')), !!(await seen('early', org))]).toEqual([true, false])
  await save([person('early'), person('late')], { org })
  await save([person('early'), person('late')], { org })
  expect([!!(await seen('early', org)), !!(await seen('late', org)), !!(await seen('late'))]).toEqual([
    true,
    true,
    false,
  ])
})

test('more than a batch of people: all are stored, each batch with what is logged about it', async () => {
  const many = Array.from({ length: 501 }, (_, number) => person(`many-${number}`))
  const logged: number[] = []
  const { saved } = await save(many, { log: async (_, rows) => void logged.push(rows.length) })
  expect([saved.length, logged]).toEqual([501, [500, 1]])
  const failing = save([person('half')], { log: () => Promise.reject(new Error('not logged')) })
  await expect(failing).rejects.toThrow('not logged')
  expect(await seen('half')).toBeUndefined()
})
