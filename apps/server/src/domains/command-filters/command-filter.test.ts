import { afterAll, beforeAll, expect, test } from 'vitest'
import { ANN, type AssetsFixture, BOB, openAssetsFixture, otherAdmin } from '../assets/assets-fixture.ts'
import { commandPattern } from './command-pattern.ts'
import { commandRulesFor } from './command-rules.ts'

let fixture: AssetsFixture
beforeAll(async () => {
  fixture = await openAssetsFixture()
})
afterAll(() => fixture?.close())

test('[A3.18] lines become one pattern: words as a whole, blanks in any amount, blank lines skipped', () => {
  const pattern = new RegExp(commandPattern('command', 'rm -rf\n\n  reboot \nmkfs.ext4\n'))
  for (const text of ['rm   -rf /', 'sudo reboot', 'mkfs.ext4 /dev/sda']) expect(pattern.test(text), text).toBe(true)
  for (const text of ['rebooted', 'rm-rf', 'mkfsxext4', 'ls']) expect(pattern.test(text), text).toBe(false)
  expect(commandPattern('regex', '^ls|a b')).toBe('^ls|a b')
})

test('[A1.05 A3.18 A5.06] rules apply by any one binding, in order of priority, and never across organizations', async () => {
  const asset = await fixture.make('assets', { hostname: 'guarded', ip: '1', platform: 'Linux' })
  const user = await fixture.make('system-users', { name: 'web', username: 'web', password: 'x' })
  const foreign = await fixture.make('assets', { hostname: 'guarded', ip: '1', platform: 'Linux' }, otherAdmin)
  const byAsset = await fixture.make('cmd-filters', { name: 'by asset', assets: [asset.id] })
  const byUser = await fixture.make('cmd-filters', { name: 'by identity', system_users: [user.id] })
  const rule = (filter: { id: string }, row: Record<string, unknown>) =>
    fixture.make(`cmd-filters/${filter.id}/rules`, row)
  const allow = await rule(byAsset, { content: 'ls', action: 9, priority: 10 })
  const deny = await rule(byUser, { content: 'rm -rf', action: 0, priority: 10 })
  const late = await rule(byUser, { type: 'regex', content: 'shut(down)?', action: 0 })
  expect(late).toMatchObject({
    priority: 50,
    pattern: 'shut(down)?',
    action: 0,
    action_display: 'Deny',
    filter: byUser.id,
  })
  const rules = await commandRulesFor(fixture.kernel.db, {
    userId: ANN,
    target: { family: 'asset', id: asset.id },
    systemUserId: user.id,
  })
  expect(rules.map((one) => one.id)).toEqual([deny.id, allow.id, late.id])
  expect(
    await commandRulesFor(fixture.kernel.db, {
      userId: BOB,
      target: { family: 'asset', id: foreign.id },
      systemUserId: user.id,
    }),
  ).toEqual([])
  const listed = (
    await fixture.call('GET', `/api/v1/assets/cmd-filter-rules/?asset_id=${asset.id}&system_user_id=${user.id}`)
  ).body as {
    id: string
  }[]
  expect(listed.map((one) => one.id)).toEqual([deny.id, allow.id, late.id])
  expect(
    (
      await fixture.call(
        'GET',
        `/api/v1/assets/cmd-filter-rules/?asset_id=${asset.id}&system_user_id=${user.id}`,
        undefined,
        otherAdmin,
      )
    ).body,
  ).toEqual([])
  const ofUser = await fixture.call('GET', `/api/v1/assets/system-users/${user.id}/cmd-filter-rules/`)
  expect((ofUser.body as { id: string }[]).map(({ id }) => id)).toEqual([deny.id, late.id])
  expect((await fixture.call('GET', '/api/v1/assets/cmd-filter-rules/')).body).toEqual([])
  expect((await fixture.call('GET', `/api/v1/assets/cmd-filters/${byUser.id}/`)).body.rules).toEqual([deny.id, late.id])
  await fixture.call('PATCH', `/api/v1/assets/cmd-filters/${byUser.id}/`, { is_active: false })
  expect(
    (
      await commandRulesFor(fixture.kernel.db, { target: { family: 'asset', id: asset.id }, systemUserId: user.id })
    ).map((one) => one.id),
  ).toEqual([allow.id])
  const wrong = await fixture.call('POST', `/api/v1/assets/cmd-filters/${byUser.id}/rules/`, {
    type: 'regex',
    content: '(',
  })
  expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['content']])
  expect(
    (await fixture.call('POST', `/api/v1/assets/cmd-filters/${byUser.id}/rules/`, { content: 'x' }, otherAdmin)).status,
  ).toBe(400)
})

test('[A3.18] a rule that would hold up gateways while they read it is refused', async () => {
  const { id } = await fixture.make('cmd-filters', { name: 'large' })
  const make = (content: string) => fixture.call('POST', `/api/v1/assets/cmd-filters/${id}/rules/`, { content })
  const refused = await make('x'.repeat(30_001))
  expect([refused.status, refused.body.content]).toEqual([400, [expect.stringContaining('30000 characters')]])
  expect((await make('word\n'.repeat(6000))).status).toBe(201)
})

test('[A3.18] an invalid expression among rules that are imported together refuses all, by its place', async () => {
  const { id } = await fixture.make('cmd-filters', { name: 'imported' })
  const rules = `/api/v1/assets/cmd-filters/${id}/rules/`
  const bad = { type: 'regex', content: '(rm|' }
  const refused = await fixture.call('POST', rules, [{ content: 'ls' }, bad, { content: 'rm', priority: 101 }])
  expect([refused.status, (refused.body as object[]).map((one) => Object.keys(one))]).toEqual([
    400,
    [[], ['content'], ['priority']],
  ])
  expect((await fixture.call('GET', rules)).body).toEqual([])
  const stored = await fixture.call('POST', rules, [{ content: 'ls' }, { ...bad, type: 'command' }])
  const [first, second] = stored.body as { id: string }[]
  // A word of one type may be no expression of the other.
  const changed = await fixture.call('PATCH', `${rules}${second?.id}/`, { type: 'regex' })
  expect([stored.status, changed.status, Object.keys(changed.body)]).toEqual([201, 400, ['content']])
  expect((await fixture.call('GET', rules)).body.map((one: { id: string }) => one.id).sort()).toEqual(
    [first?.id, second?.id].sort(),
  )
})
