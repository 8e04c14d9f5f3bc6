import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN } from '../../../../test/programs.ts'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { ASSETS } from '../fixtures/assets-fixture.ts'
import {
  addressOf,
  type Installation,
  type Installations,
  onTarget,
  startInstallations,
  type Target,
} from '../fixtures/installations-fixture.ts'
import { DEFAULT, PEOPLE, peopleRows } from '../fixtures/people-fixture.ts'
import { PERMISSIONS, permissionRows2, permissionRows3, SYSTEM_USERS } from '../fixtures/permissions-fixture.ts'
import { V2_28, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import { openSource } from '../source/open-source.ts'
import { linesOfDifferences, linesOfProof } from './print-proof.ts'
import { importMadeBefore } from './prove-command.ts'
import { proveReach } from './prove-reach.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

/** The proof of an import that was made, and its differences in lines. */
async function prove(target: Target, { address }: Installation, language: 'en' | 'cn' = 'en') {
  const source = await openSource(address)
  try {
    const lines: string[] = []
    const proof = await proveReach(await importMadeBefore(target.db, source), (people) => {
      lines.push(...linesOfDifferences(people, language).filter(Boolean))
    })
    return { proof, lines, summary: linesOfProof(proof, language, 'file').join('\n') }
  } finally {
    await source.close()
  }
}

/** People need no membership there to have rights in an organization. Here they do. */
const becomesMember = (target: Target, person: string) =>
  target.rows(`INSERT INTO orgs_member (org, "user", role) VALUES ('${DEFAULT}', '${person}', 'User')`)

test('version 2: users reach the same; what each of them does not reach here is named with its cause', async () => {
  const from = await theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...permissionRows2 })
  await onTarget(async (target) => {
    await target.import(from)
    const { proof, lines, summary } = await prove(target, from)
    const foreign = 'Permissions there name groups or targets of another organization'
    const stranger = 'The user is no member of its organization here'
    expect(lines).toEqual(
      expect.arrayContaining([
        'ming',
        `  homeless, root; lost: Connect. ${stranger}`,
        `  shop, mysql; lost: Connect, Upload file, Download file, Clipboard copy, Clipboard paste. ${stranger}`,
        `  上海-1, root; lost: Connect. ${foreign}`,
        'alice',
      ]),
    )
    expect([proof.people, proof.rights, proof.lost, proof.gained]).toEqual([2, 7, 5, 0])
    expect(summary).toContain('7 rights of 2 users were compared: 5 are lost, 0 are gained')
    expect((await prove(target, from, 'cn')).lines.join()).not.toMatch(/lost|user|organization/)
    await becomesMember(target, PEOPLE.ming)
    await from.sql(`
      UPDATE assets_systemuser SET protocol = concat('ssh', char(0)) WHERE name = 'second';
      DELETE FROM perms_assetpermission_user_groups;
      DELETE FROM assets_asset_nodes WHERE asset_id = '${ASSETS.shanghai.replaceAll('-', '')}'`)
    const same = await prove(target, from)
    expect([same.lines, same.proof.rights]).toEqual([[], 3])
    expect(same.summary).toContain('3 rights of 2 users were compared: all are the same')
    // Somebody who is switched off there since, and not here.
    await from.sql(`UPDATE users_user SET is_active = 0 WHERE id = '${PEOPLE.alice.replaceAll('-', '')}'`)
    const off = await prove(target, from)
    expect(off.lines).toEqual([
      'alice',
      expect.stringMatching(/^ {2}All \d rights? are gained\. The user is switched off or has expired there$/),
    ])
    expect(off.proof.gained).toBeGreaterThan(0)
    await from.sql(`UPDATE users_user SET is_active = 1 WHERE id = '${PEOPLE.alice.replaceAll('-', '')}'`)
    // A permission that is narrower here, one of here, somebody who is switched off.
    await target.rows(`UPDATE perms_permission SET actions = 3 WHERE id = '${PERMISSIONS.web}'`)
    await target.rows(`UPDATE users_user SET is_active = false WHERE id = '${PEOPLE.ming}'`)
    await target.rows(`INSERT INTO perms_permission_system_user (permission, systemuser)
      VALUES ('${PERMISSIONS.web}', '${SYSTEM_USERS.deploy}')`)
    expect((await prove(target, from)).lines.sort()).toEqual([
      '  All 1 right are lost. The user is switched off or has expired here',
      '  homeless, deploy; gained: Connect, Upload file. The permission web gives it',
      '  homeless, root; gained: Upload file. The permission web gives it',
      '  web-1, deploy; gained: Connect, Upload file. The permission web gives it by the node /Default/Web',
      '  web-1, root; gained: Upload file. The permission web gives it by the node /Default/Web',
      'alice',
      'ming',
    ])
  })
})

test.each([0, 1])(
  'version 3 and 4: their rules about accounts, words, protocols and nodes are compared (%#)',
  async (at) => {
    const from = at
      ? await theirs.make('mysql', V4_10, { ...peopleRows('v4.10'), ...permissionRows3('zone') })
      : await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...permissionRows3('domain') })
    const theirId = (id: string) => `'${at ? id.replaceAll('-', '') : id}'`
    await from.sql(`DELETE FROM perms_assetpermission_user_groups;
    INSERT INTO perms_assetpermission_users (assetpermission_id, user_id) VALUES
      (${theirId(PERMISSIONS.input)}, ${theirId(PEOPLE.alice)}), (${theirId(PERMISSIONS.split)}, ${theirId(PEOPLE.ming)});
    DELETE FROM assets_asset_nodes WHERE asset_id = ${theirId(ASSETS.shanghai)};
    DELETE FROM accounts_account WHERE username = ''`)
    await onTarget(async (target) => {
      await target.import(from)
      await becomesMember(target, PEOPLE.ming)
      const first = await prove(target, from)
      expect([first.lines, first.proof.people, first.proof.rights]).toEqual([[], 2, 7])
      // There: one permission takes an account away from all, two give each other's protocols.
      await from.sql(`
      UPDATE perms_assetpermission SET accounts = '["!root"]', protocols = '["all"]' WHERE id = ${theirId(PERMISSIONS.ssh)};
      UPDATE perms_assetpermission SET protocols = '["vnc"]' WHERE id = ${theirId(PERMISSIONS.whole)};
      UPDATE perms_assetpermission SET accounts = '["@INPUT", "@ANON"]', protocols = '["ssh"]' WHERE id = ${theirId(PERMISSIONS.input)};
      INSERT INTO perms_assetpermission_users (assetpermission_id, user_id) VALUES
        (${theirId(PERMISSIONS.ssh)}, ${theirId(PEOPLE.alice)}), (${theirId(PERMISSIONS.whole)}, ${theirId(PEOPLE.alice)});
      INSERT INTO perms_assetpermission_assets (assetpermission_id, asset_id) VALUES
        (${theirId(PERMISSIONS.ssh)}, ${theirId(ASSETS.homeless)}), (${theirId(PERMISSIONS.input)}, ${theirId(ASSETS.web1)})`)
      await target.import(from)
      const all = 'Connect, Upload file, Download file, Clipboard copy, Clipboard paste'
      const together = 'Protocols and accounts of several permissions count together there'
      const nobody = '@ANON gives targets without accounts, which there are not here'
      expect((await prove(target, from)).lines).toEqual([
        'alice',
        `  homeless, ssh @ANON; lost: ${all}. ${nobody}`,
        '  homeless, ssh root; gained: Connect. Another permission takes it away there',
        `  web-1, ssh @ANON; lost: ${all}. ${nobody}`,
        `  web-1, ssh root; lost: ${all}. ${together}`,
        `  web-1, vnc @ANON; lost: ${all}. ${nobody}`,
        `  web-1, vnc @INPUT; lost: ${all}. ${together}`,
      ])
    })
  },
)

test('a node that was here before gives nobody its own assets with version 3; with version 2 that is said', async () => {
  const local = 'b0000000-0000-4000-8000-000000000077'
  /** A node of the same name as theirs, with an asset. */
  const prepare = async (target: Target) => {
    await target.rows(`INSERT INTO assets_node (id, org_id, key, parent_key, value, full_value)
      SELECT '${local}', org_id, key || ':900', key, 'Web', '/Default/Web' FROM assets_node WHERE org_id = '${DEFAULT}' AND parent_key = ''`)
    await target.rows(`INSERT INTO assets_asset (id, org_id, hostname, ip, platform, protocols)
      VALUES ('${local}', '${DEFAULT}', 'local', '10.0.0.9', 'Linux', '{ssh/22}')`)
    await target.rows(`INSERT INTO assets_asset_node (asset_id, node_id) VALUES ('${local}', '${local}')`)
  }
  const of3 = await theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...permissionRows3('domain') })
  await onTarget(async (target) => {
    await prepare(target)
    const { report } = await target.import(of3)
    const report3 = allLinesOf(report.kinds, 'en').join('\n')
    expect(report3).toMatch(/replaced by the assets that are in them today: here they have others too: databases/)
    await becomesMember(target, PEOPLE.ming)
    const { proof, lines } = await prove(target, of3)
    expect([proof.gained, lines.filter((line) => line.includes('local'))]).toEqual([0, []])
  })
  const of2 = await theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...permissionRows2 })
  await onTarget(async (target) => {
    await prepare(target)
    const { report } = await target.import(of2)
    expect(allLinesOf(report.kinds, 'en').join('\n')).toContain(
      'Covers the assets that /Default/Web has here beside those from there: web',
    )
    const { lines } = await prove(target, of2)
    expect(lines).toContain(
      '  local, root; gained: Connect. The permission web covers the node /Default/Web, which has assets of its own here',
    )
  })
})

test('the command proves an import made before, with a file for its owner alone and an exit code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-proof-'))
  const from = await theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...permissionRows2 })
  try {
    await onTarget(async (target) => {
      const environment = {
        DATABASE_URL: addressOf(target.database.connection),
        SALLYPORT_SECRET_KEY: 'a key of the tests that is long enough',
        SALLYPORT_DATA_DIR: folder,
        JUMPSERVER_DATABASE: from.address,
      }
      const report = join(folder, 'report.txt')
      const words = ['import-jumpserver', '--prove', '--report', report, '--language', 'en']
      await expect(prove(target, from)).rejects.toThrow('Nothing has been imported from mysql://')
      await target.import(from)
      const done = await runToEnd(process.execPath, [ADMIN, ...words], { environment })
      const file = join(folder, 'report-rights.txt')
      expect([done.code, done.stdout]).toEqual([2, expect.stringContaining(`The differences are in ${file}.`)])
      expect(readFileSync(file, 'utf8')).toContain('homeless, root; lost: Connect.')
      expect(statSync(file).mode & 0o077).toBe(0)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
