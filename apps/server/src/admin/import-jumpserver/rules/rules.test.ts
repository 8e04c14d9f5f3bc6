import { afterAll, beforeAll, expect, test } from 'vitest'
import { translate } from '../../../kernel/i18n/translate.ts'
import { ASSETS } from '../fixtures/assets-fixture.ts'
import { type Installations, onTarget, startInstallations } from '../fixtures/installations-fixture.ts'
import { PEOPLE, peopleRows } from '../fixtures/people-fixture.ts'
import { SYSTEM_USERS } from '../fixtures/permissions-fixture.ts'
import { FILTER, RULES, ruleRows2, ruleRows3 } from '../fixtures/rules-fixture.ts'
import { V2_28, V3_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')
/** Remarks that have no Chinese. */
const untranslated = ({ kinds }: Report) =>
  kinds
    .flatMap(({ label, changed, stays }) => [label, ...changed.keys(), ...stays.keys()])
    .filter((sentence) => translate('cn', sentence) === sentence)
const isUnchanged = ({ kinds }: Report) => kinds.every(({ added, updated }) => added === 0 && updated === 0)

test('command filters and sign-in rules of version 2 come as they are', async () => {
  const from = await theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...ruleRows2 })
  await onTarget(async (target) => {
    const { report } = await target.import(from)
    const rules = await target.rows(
      'SELECT filter, type, content, action, priority FROM assets_command_filter_rule ORDER BY id',
    )
    expect(rules).toEqual([
      { filter: FILTER, type: 'command', content: 'rm\r\nreboot', action: 0, priority: 1 },
      { filter: FILTER, type: 'regex', content: 'ls.*', action: 9, priority: 50 },
    ])
    expect(await target.rows('SELECT system_user_id FROM assets_command_filter_system_user')).toEqual([
      { system_user_id: SYSTEM_USERS.root },
    ])
    // The assets in and below its node; the one of another organization is none of them.
    expect(await target.rows('SELECT asset_id FROM assets_command_filter_asset')).toEqual([{ asset_id: ASSETS.web1 }])
    expect(await target.rows('SELECT rule_id, user_id FROM assets_command_filter_rule_reviewer')).toEqual([
      { rule_id: RULES.deny, user_id: PEOPLE.admin },
    ])
    const logins = await target.rows('SELECT id, "user", action, is_active, rules FROM acls_login_acl ORDER BY id')
    expect(logins).toEqual([
      {
        ...{ id: RULES.login, user: PEOPLE.alice, action: 'allow', is_active: true },
        rules: { ip_group: ['10.0.0.0/8'], time_period: [{ id: 1, value: '09:00~18:00' }] },
      },
      {
        ...{ id: RULES.always, user: PEOPLE.ming, action: 'reject', is_active: false },
        rules: { ip_group: ['*'], time_period: [] },
      },
    ])
    const [connect] = await target.rows('SELECT users, system_users, assets FROM acls_login_asset_acl')
    expect(connect).toEqual({
      users: { username_group: ['alice'] },
      system_users: { name_group: ['*'], username_group: ['root'], protocol_group: ['ssh'] },
      assets: { ip_group: ['*'], hostname_group: ['web-1'] },
    })
    const reviewers = await target.rows(
      'SELECT acl_id FROM acls_login_acl_reviewer UNION ALL SELECT acl_id FROM acls_login_asset_acl_reviewer',
    )
    expect(reviewers.map((one) => one.acl_id)).toEqual([RULES.login, RULES.connect])
    expect(textOf(report)).toContain('Has no commands or no action that is known here: who')
    expect(textOf(report)).toContain('comes switched off, since here it would always hold: no times')
    expect(untranslated(report)).toEqual([])
    expect(isUnchanged((await target.import(from)).report)).toBe(true)
  })
})

test('rules of version 3 come where they can be said here, never weaker than there', async () => {
  const from = await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...ruleRows3() })
  await onTarget(async (target) => {
    const { report } = await target.import(from)
    const filters = await target.rows(`
      SELECT f.name, r.action, r.content,
        ARRAY(SELECT asset_id::text FROM assets_command_filter_asset x WHERE x.filter_id = f.id) AS assets,
        ARRAY(SELECT user_id::text FROM assets_command_filter_user x WHERE x.filter_id = f.id) AS users,
        (SELECT string_agg(DISTINCT s.name, ' ') FROM assets_command_filter_system_user x
          JOIN assets_system_user s ON s.id = x.system_user_id WHERE x.filter_id = f.id) AS logins
      FROM assets_command_filter f JOIN assets_command_filter_rule r ON r.filter = f.id ORDER BY f.name`)
    const content = 'rm\nreboot'
    expect(filters).toEqual([
      { name: 'both', action: 2, content, assets: [], users: [PEOPLE.alice], logins: null },
      { name: 'no deleting', action: 0, content, assets: [ASSETS.web1], users: [], logins: null },
      { name: 'roots', action: 0, content, assets: [], users: [], logins: '@INPUT ssh @USER ssh root root-vnc' },
    ])
    const logins = await target.rows('SELECT "user", action, is_active FROM acls_login_acl ORDER BY "user"')
    expect(logins).toEqual([
      { user: PEOPLE.alice, action: 'confirm', is_active: true },
      { user: PEOPLE.ming, action: 'confirm', is_active: true },
    ])
    expect(await target.rows('SELECT count(*)::int AS n FROM acls_login_acl_reviewer')).toEqual([{ n: 2 }])
    expect(await target.rows('SELECT name, users, system_users, assets FROM acls_login_asset_acl')).toEqual([
      {
        name: 'ask',
        users: { username_group: ['alice'] },
        system_users: { name_group: ['*'], username_group: ['root'], protocol_group: ['*'] },
        assets: { ip_group: ['*'], hostname_group: ['web-1'] },
      },
    ])
    for (const words of [
      'Allows for users, assets and accounts together, which cannot be said here: allowed',
      'Holds for every login whose name is typed, too: roots',
      'Names databases or clusters: here it holds for its machines alone: ask',
      'Has the action warning, which is not known here: told',
      'Finds its users or assets by attributes, or names none that has come: found',
      'Holds for users, assets and accounts together there; here for all that are named of one of them: both',
      'Has the action reject, which is not known here: none',
      'Comes as 2 rules, one for each user: office',
    ])
      expect(textOf(report)).toContain(words)
    expect(untranslated(report)).toEqual([])
    expect(isUnchanged((await target.import(from)).report)).toBe(true)
  })
})
