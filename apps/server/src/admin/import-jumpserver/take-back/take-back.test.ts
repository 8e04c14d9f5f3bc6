import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN } from '../../../../test/programs.ts'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { ASSETS, NODES } from '../fixtures/assets-fixture.ts'
import { HISTORY_3, historyRows, SESSIONS } from '../fixtures/history-fixture.ts'
import {
  addressOf,
  type Installations,
  onTarget,
  startInstallations,
  type Target,
} from '../fixtures/installations-fixture.ts'
import { DEFAULT, PEOPLE, peopleRows, SHANGHAI } from '../fixtures/people-fixture.ts'
import { permissionRows2, permissionRows3, SYSTEM_USERS } from '../fixtures/permissions-fixture.ts'
import { ruleRows2 } from '../fixtures/rules-fixture.ts'
import { V2_28, V3_10, V4_10 } from '../fixtures/tables-fixture.ts'
import { FLOWS, TICKETS_4, ticketRows4 } from '../fixtures/tickets-fixture.ts'
import { asOnlyImport } from '../lock.ts'
import { takeBackInLines } from './take-back-command.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const made = (at: number) =>
  at === 0
    ? theirs.make('mysql', V2_28, { ...peopleRows('v2.28'), ...permissionRows2, ...ruleRows2 })
    : at === 1
      ? theirs.make('postgres', V3_10, { ...peopleRows('v3.10'), ...permissionRows3('domain') })
      : theirs.make('mysql', V4_10, { ...peopleRows('v4.10'), ...permissionRows3('zone') })

/** An administrator, without whom nothing is taken back. */
const administrator = (target: Target) =>
  target.rows(
    `INSERT INTO users_user (username, name, email, role) VALUES ('boss', 'Boss', 'boss@here.example', 'Admin')`,
  )

/** How many rows all tables have, but the operate log and the counters. */
async function amounts(target: Target): Promise<Record<string, number>> {
  const tables = await target.rows(`
    SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname !~ '^(audits_|kernel_row_count)'`)
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::int AS amount FROM "${name}"`)
  const rows = await target.rows(counts.join(' UNION ALL '))
  return Object.fromEntries(rows.filter(({ amount }) => amount > 0).map(({ name, amount }) => [name, amount]))
}

const takeBack = async (target: Target, isDryRun = false) =>
  (await takeBackInLines({ db: target.db, name: 'jumpserver', isDryRun, user: 'root' }, 'en')).file

test.each([0, 1, 2])(
  'an import that nobody has touched is taken back without a trace, but in the operate log (%#)',
  async (at) => {
    const from = await made(at)
    await onTarget(async (target) => {
      await administrator(target)
      const before = await amounts(target)
      await target.import(from)
      await target.import(from)
      const tried = await takeBack(target, true)
      expect(tried[0]).toBe('The import from jumpserver would be taken back. Nothing was written.')
      const lines = await takeBack(target)
      expect(lines.slice(1)).toEqual(tried.slice(1))
      expect(lines.filter((line) => line.includes('removed,') && !line.endsWith(' 0 stay'))).toEqual([])
      expect(await amounts(target)).toEqual(before)
      const log = await target.rows('SELECT action, resource FROM audits_operate_log ORDER BY id')
      expect(log.at(-1)).toEqual({ action: 'delete', resource: 'jumpserver' })
      // It comes again as at first.
      const { report } = await target.import(from)
      expect(report.kind('Users').added).toBe(9)
    })
  },
)

const id = (number: number) => `60000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const JOBS = `id uuid, org_id c36, name c128, args txt, module c128, type c128, chdir c1024?, is_periodic bool`
const job = (number: number, name: string) => ({
  ...{ id: id(number), org_id: DEFAULT, name, type: 'adhoc', module: 'shell', args: 'uptime', is_periodic: false },
})

test('runbooks, settings and ticket flows go, earlier passwords with their people; what happened stays and is counted', async () => {
  const tables = { ...V4_10, ...HISTORY_3, ...TICKETS_4, ops_job: JOBS }
  const from = await theirs.make('postgres', tables, {
    ...{ ...peopleRows('v4.10'), ...permissionRows3('zone'), ...historyRows(3), ...ticketRows4 },
    ops_job: [job(1, 'uptime'), job(2, 'free')],
    settings_setting: [{ name: 'SECURITY_PASSWORD_MIN_LENGTH', value: '12', encrypted: false, enabled: true }],
  })
  await onTarget(async (target) => {
    await administrator(target)
    await target.import(from, { withJobs: true })
    expect(await target.rows('SELECT 1 FROM users_password_history')).not.toEqual([])
    // Changed: who decides on commands, and a runbook.
    await target.rows(`UPDATE tickets_flow_rule SET strategy = 'super_admin' WHERE flow_id = '${FLOWS.commands}'`)
    await target.rows(`UPDATE ops_runbook SET comment = 'ours' WHERE id = '${id(2)}'`)
    const announced: string[] = []
    const listener = await target.pool.connect()
    listener.on('notification', ({ payload = '' }) => announced.push(payload))
    await listener.query('LISTEN sallyport')
    await asOnlyImport(target.pool, async () => {
      await expect(takeBack(target)).rejects.toThrow('Another import goes on')
      await expect(target.import(from)).rejects.toThrow('Another import goes on')
    })
    const lines = await takeBack(target)
    await listener.query('SELECT 1')
    listener.release(true)
    const of = (label: string) => lines.slice(lines.indexOf(label) + 1).slice(0, 2)
    expect(of('Users')[0]).toBe('  9 removed, 0 stay')
    expect(of('Ticket flows')).toEqual(['  1 removed, 1 stay', '    Changed here: command_confirm'])
    expect(of('Runbooks')).toEqual(['  1 removed, 1 stay', '    Changed here: free'])
    expect(of('Settings')).toEqual(['  1 removed, 0 stay', '    As they were before: SECURITY_PASSWORD_MIN_LENGTH'])
    expect(announced.join()).toContain('SECURITY_PASSWORD_MIN_LENGTH')
    // Its session would be read by nobody.
    expect(of('Organizations')[1]).toBe('    Have history, which stays: 上海')
    expect(of('History from JumpServer')[0]).toBe(
      '  Stay, as evidence: 5 sessions, 0 recordings, 3 commands, 7 rows of logs, 2 tickets, 1 comments',
    )
    expect(await target.rows(`SELECT 1 FROM terminal_session WHERE id = '${SESSIONS.desk}'`)).toHaveLength(1)
    for (const table of ['users_password_history', 'settings_setting', 'kernel_arrival'])
      expect([table, await target.rows(`SELECT 1 FROM ${table}`)]).toEqual([table, []])
    // History is here already, and people come again.
    const { report } = await target.import(from)
    expect([report.kind('Users').added, report.kind('Past sessions').added]).toEqual([9, 0])
  })
})

test('rows that were changed here, or that something of here needs, stay and are named', async () => {
  const from = await made(0)
  await onTarget(async (target) => {
    await administrator(target)
    await target.import(from)
    // Changed: a user, an asset, the switch of a system user. A password alone is no change: sign-ins write it.
    await target.rows(`UPDATE users_user SET name = 'Alice of here' WHERE id = '${PEOPLE.alice}'`)
    await target.rows(`UPDATE users_user SET password_hash = 'rewritten' WHERE id = '${PEOPLE.ming}'`)
    await target.rows(`UPDATE assets_asset SET comment = 'ours now' WHERE id = '${ASSETS.web1}'`)
    await target.rows(`UPDATE assets_system_user SET su_enabled = false WHERE id = '${SYSTEM_USERS.deploy}'`)
    // Needed: a node with a node of here in it, an asset that a permission of here names, a group of the other organization.
    await target.rows(`INSERT INTO assets_node (org_id, key, parent_key, value, full_value)
      SELECT org_id, key || ':1', key, 'here', full_value || '/here' FROM assets_node WHERE id = '${NODES.deep}'`)
    await target.rows(`WITH p AS (INSERT INTO perms_permission (org_id, family, name, date_expired)
      VALUES ('${DEFAULT}', 'asset', 'of here', '2090-01-01') RETURNING id)
      INSERT INTO perms_permission_target (permission, asset) SELECT id, '${ASSETS.homeless}' FROM p`)
    await target.rows(`INSERT INTO users_user_group (org_id, name) VALUES ('${SHANGHAI}', 'of here')`)
    const lines = await takeBack(target)
    const stays = (label: string) => lines.slice(lines.indexOf(label) + 1, lines.indexOf('', lines.indexOf(label)))
    expect(stays('Users')).toEqual(['  8 removed, 1 stay', '    Changed here: Alice of here'])
    expect(stays('Assets')).toEqual([
      '  3 removed, 2 stay',
      '    Changed here: web-1',
      '    Needed by something that was made here: homeless',
    ])
    expect(stays('System users')).toEqual([
      '  2 removed, 2 stay',
      '    Changed here: deploy',
      // It is switched to from the other one.
      '    Needed by something that was made here: root',
    ])
    expect(stays('Nodes')).toEqual(['  2 removed, 2 stay', expect.stringMatching(/made here: (?:Web, a-b|a-b, Web)$/)])
    expect(lines.join()).toContain('Needed by something that was made here: 上海')
    // Assets that stay are in a node, and organizations have a root.
    expect(
      await target.rows(
        'SELECT 1 FROM assets_asset a WHERE NOT EXISTS (SELECT 1 FROM assets_asset_node n WHERE n.asset_id = a.id)',
      ),
    ).toEqual([])
    expect(
      await target.rows(`SELECT 1 FROM assets_node WHERE org_id = '${SHANGHAI}' AND parent_key = ''`),
    ).toHaveLength(1)
    expect(await target.rows('SELECT 1 FROM kernel_arrival')).toEqual([])
    // They are rows of here: the next import leaves them as they are.
    const { report } = await target.import(from)
    expect(report.kind('Users').added).toBe(8)
    expect(await target.rows(`SELECT name FROM users_user WHERE id = '${PEOPLE.alice}'`)).toEqual([
      { name: 'Alice of here' },
    ])
  })
})

test('nothing is taken back that would leave nobody to administer, or that an earlier version imported', async () => {
  const from = await made(0)
  await onTarget(async (target) => {
    await target.import(from)
    const before = await amounts(target)
    await expect(takeBack(target)).rejects.toThrow(/Nobody would be left to administer/)
    await administrator(target)
    await target.rows(`DELETE FROM kernel_arrival_kind WHERE kind = 'person'`)
    await expect(takeBack(target)).rejects.toThrow(/run it once more/)
    expect(await target.rows('SELECT 1 FROM users_user_group')).toHaveLength(before.users_user_group ?? 0)
    await target.import(from)
    await takeBack(target)
    expect(await target.rows(`SELECT username FROM users_user WHERE username <> 'boss'`)).toEqual([])
  })
})

test('the command takes back the only import, without its database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-back-'))
  const from = await made(0)
  try {
    await onTarget(async (target) => {
      await administrator(target)
      await target.import(from)
      const environment = {
        DATABASE_URL: addressOf(target.database.connection),
        SALLYPORT_SECRET_KEY: 'a key of the tests that is long enough',
        SALLYPORT_DATA_DIR: folder,
      }
      const report = join(folder, 'report.txt')
      const words = ['import-jumpserver', '--take-back', '--report', report, '--language', 'cn']
      const done = await runToEnd(process.execPath, [ADMIN, ...words], { environment })
      expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('来自 jumpserver 的导入已撤回。')])
      expect(readFileSync(join(folder, 'report-taken-back.txt'), 'utf8')).toContain('移除 9，保留 0')
      expect(await target.rows(`SELECT 1 FROM users_user WHERE id = '${PEOPLE.alice}'`)).toEqual([])
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
