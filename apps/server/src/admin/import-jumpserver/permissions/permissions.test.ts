import { afterAll, beforeAll, expect, test } from 'vitest'
import { APPS, ASSETS } from '../fixtures/assets-fixture.ts'
import {
  type Installations,
  onTarget,
  opened,
  startInstallations,
  type Target,
} from '../fixtures/installations-fixture.ts'
import { PEOPLE, peopleRows } from '../fixtures/people-fixture.ts'
import { PERMISSIONS, permissionRows2, permissionRows3, SYSTEM_USERS } from '../fixtures/permissions-fixture.ts'
import { V2_28, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

/** Each permission in one line: its name, what it is about, and as whom. */
async function permissionsOf(target: Target): Promise<string[]> {
  const rows = await target.rows(`
    SELECT p.name, p.family, p.actions, concat_ws(' ', variadic array_remove(ARRAY[
      (SELECT string_agg('/' || n.value, ' ' ORDER BY n.value) FROM perms_permission_node x JOIN assets_node n ON n.id = x.node WHERE x.permission = p.id),
      (SELECT string_agg(coalesce(a.hostname, b.name), ' ' ORDER BY a.hostname, b.name) FROM perms_permission_target x
        LEFT JOIN assets_asset a ON a.id = x.asset LEFT JOIN applications_application b ON b.id = x.application WHERE x.permission = p.id)], NULL)) AS targets,
      (SELECT string_agg(s.name, ' ' ORDER BY s.name) FROM perms_permission_system_user x JOIN assets_system_user s ON s.id = x.systemuser WHERE x.permission = p.id) AS logins
    FROM perms_permission p ORDER BY p.name`)
  return rows.map(
    ({ name, family, actions, targets, logins }) => `${name} ${family} ${actions}: ${targets} as ${logins}`,
  )
}

test('system users, accounts and permissions of version 2 come as they are', async () => {
  const from = await theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...permissionRows2 })
  await onTarget(async (target) => {
    const { report } = await target.import(from)
    const users = await target.rows('SELECT * FROM assets_system_user ORDER BY id')
    expect(users.map(({ id, username, protocol }) => [id, username, protocol])).toEqual([
      [SYSTEM_USERS.root, 'root', 'ssh'],
      [SYSTEM_USERS.deploy, 'deploy', 'ssh'],
      [SYSTEM_USERS.person, '', 'ssh'],
      [SYSTEM_USERS.mysql, 'app', 'mysql'],
    ])
    const [root, deploy, , mysql] = users
    expect([opened(root.password_sealed), mysql.password_sealed]).toEqual(['root word', null])
    expect([deploy.su_from, deploy.su_enabled, deploy.priority]).toEqual([SYSTEM_USERS.root, true, 100])
    const accounts = await target.rows('SELECT * FROM assets_account ORDER BY id')
    expect(
      accounts.map((one) => [one.asset, one.systemuser, one.username, opened(one.password_sealed), one.push_due]),
    ).toEqual([
      [ASSETS.web1, SYSTEM_USERS.root, '', 'web-1 word', false],
      [ASSETS.homeless, SYSTEM_USERS.root, '', null, false],
      [ASSETS.web1, null, 'guest', 'guest word', false],
    ])
    const [app] = await target.rows('SELECT * FROM applications_account')
    expect([app.app, app.systemuser, opened(app.password_sealed)]).toEqual([APPS.shop, SYSTEM_USERS.mysql, 'shop word'])
    expect(await permissionsOf(target)).toEqual([
      'databases application 255: shop as mysql',
      'nothing asset 0:  as null',
      'web asset 1: /Web homeless as root',
    ])
    const people =
      await target.rows(`SELECT "user" AS id FROM perms_permission_user WHERE permission = '${PERMISSIONS.web}'
      UNION ALL SELECT usergroup FROM perms_permission_user_group WHERE permission = '${PERMISSIONS.web}'`)
    // The group is of another organization.
    expect(people.map(({ id }) => id)).toEqual([PEOPLE.alice])
    const text = allLinesOf(report.kinds, 'en').join('\n')
    for (const words of [
      'Is for mongodb, which is not known here: mongo',
      'Takes the names of users, as another one of its protocol does: second',
      'Its secret does not open with this key: comes without: mysql',
      'Its organization is gone there: ofNobody',
    ])
      expect(text).toContain(words)
    const { report: again } = await target.import(from)
    for (const { label, added, updated } of again.kinds) expect([label, added, updated]).toEqual([label, 0, 0])
  })
})

test.each([0, 1])(
  'accounts of version 3 and 4 become system users; permissions reach what they reached there (%#)',
  async (at) => {
    const from = at
      ? await theirs.make('mysql', V4_10, { ...peopleRows('v4.10'), ...permissionRows3('zone') })
      : await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...permissionRows3('domain') })
    await onTarget(async (target) => {
      const { report } = await target.import(from)
      const accounts = await target.rows(`
      SELECT a.hostname AS on, s.name, s.protocol, c.password_sealed, NULL::bytea AS token_sealed
      FROM assets_account c JOIN assets_asset a ON a.id = c.asset JOIN assets_system_user s ON s.id = c.systemuser
      UNION ALL SELECT a.name, s.name, s.protocol, c.password_sealed, s.token_sealed
      FROM applications_account c JOIN applications_application a ON a.id = c.app JOIN assets_system_user s ON s.id = c.systemuser`)
      const secrets = accounts.map(
        (one) => `${one.on} ${one.name} ${one.protocol} ${opened(one.password_sealed)} ${opened(one.token_sealed)}`,
      )
      expect(secrets.sort()).toEqual(
        [
          // A machine with two protocols has a system user for each.
          'web-1 root ssh web-1 word null',
          'web-1 root-vnc vnc web-1 word null',
          'homeless root ssh homeless word null',
          // Like a text that was encoded twice, and yet the very password.
          'homeless deploy ssh deploy wÃ©rd null',
          'win administrator ssh windows word null',
          'win administrator-rdp rdp windows word null',
          'plain vault rdp null null',
          'shop app mysql shop word null',
          'cluster account-k8s k8s null cluster token',
          '上海-1 root ssh 上海 word null',
        ].sort(),
      )
      expect(await target.rows('SELECT 1 FROM assets_account WHERE push_due')).toEqual([])
      expect(await permissionsOf(target)).toEqual([
        'databases asset 255: /Web as root root-vnc',
        'databases (k8s) application 255: cluster as account-k8s',
        'databases (mysql app) application 255: shop as app',
        'input asset 255: homeless as @INPUT ssh @USER ssh',
        'split asset 255: homeless web-1 as root root-vnc',
        'split (administrator) asset 255: win as administrator administrator-rdp',
        'ssh asset 1: win as administrator',
        'web asset 1: homeless as root',
        'whole asset 255: /a-b homeless as root root-vnc',
      ])
      const text = allLinesOf(report.kinds, 'en').join('\n')
      for (const words of [
        'Is switched off: old',
        'Its secret is neither a password, a key nor a token: cloud',
        'Its secret is in an outside vault: comes without: vault',
        'Its private key cannot be read here: comes without: root',
        'Gives nothing on 1 target, which have none of its accounts: web',
        'Comes as 2 permissions: accounts differ by asset, or it has applications: split',
        'Takes deploy away in this permission alone: others may still give it: split',
        'Deleting files and sharing sessions are no actions here: ssh',
        'Names no protocol, or its protocols cannot be read: gives nothing: nothing',
        'Gives nothing that has come: nothing',
      ])
        expect(text).toContain(words)
      const { report: again } = await target.import(from)
      for (const { label, added, updated } of again.kinds) expect([label, added, updated]).toEqual([label, 0, 0])
      // Applications cannot be switched off here: nobody reaches one any more that was switched off there.
      await from.sql(`UPDATE assets_asset SET is_active = false WHERE name = 'shop'`)
      const { report: off } = await target.import(from)
      expect(allLinesOf(off.kinds, 'en').join('\n')).toContain('which applications cannot be here: shop')
      expect((await permissionsOf(target)).filter((line) => line.includes(': shop'))).toEqual([])
    })
  },
)
