import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wasUsedBefore } from '../../../domains/users/password/password.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import { ASSETS, assetRows2, assetRows3 } from '../fixtures/assets-fixture.ts'
import { HISTORY_3, historyRows, SESSIONS } from '../fixtures/history-fixture.ts'
import { type Installations, onTarget, startInstallations } from '../fixtures/installations-fixture.ts'
import { DEFAULT, HASH, PEOPLE, peopleRows, SHANGHAI } from '../fixtures/people-fixture.ts'
import { V2_28, V4_10 } from '../fixtures/tables-fixture.ts'
import {
  EARLIER,
  FLOWS,
  LATER,
  TICKETS,
  TICKETS_2,
  TICKETS_4,
  ticketRows2,
  ticketRows4,
} from '../fixtures/tickets-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const counts = (report: Report, label: string) => {
  const { read, added, updated, same, behind } = report.kind(label)
  return { read, added, updated, same, behind }
}
const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')
const untranslated = ({ kinds }: Report) =>
  kinds
    .flatMap(({ label, changed, stays }) => [label, ...changed.keys(), ...stays.keys()])
    .filter((sentence) => translate('cn', sentence) === sentence)
const LABELS = ['Ticket flows', 'Past tickets', 'Comments of tickets', 'Earlier passwords']

test('closed tickets, flows and earlier passwords of version 2 come; what is open is decided there', async () => {
  const tables = { ...V2_28, ...TICKETS_2 }
  const from = await theirs.make('mysql', tables, { ...peopleRows('v2.28'), ...assetRows2, ...ticketRows2 })
  await onTarget(async (target) => {
    const tried = await target.import(from, { isDryRun: true })
    const { report } = await target.import(from)
    expect(textOf(tried.report)).toBe(textOf(report))
    expect(untranslated(report)).toEqual([])
    expect(LABELS.map((label) => counts(report, label))).toEqual([
      { read: 3, added: 2, updated: 0, same: 0, behind: 1 },
      { read: 4, added: 2, updated: 0, same: 0, behind: 2 },
      { read: 2, added: 1, updated: 0, same: 0, behind: 1 },
      { read: 5, added: 3, updated: 0, same: 0, behind: 2 },
    ])
    for (const words of [
      'Is open there: decide it there, and it comes with the next run: about open',
      'Has 4 levels there: the first two come: command_confirm',
      'The organization has a flow of this type: set its levels here: apply_asset',
    ])
      expect(textOf(report)).toContain(words)
    const flows = await target.rows(`
      SELECT f.id, f.org_id, f.approval_level, array_agg(r.strategy ORDER BY r.level) AS strategies,
        ARRAY(SELECT user_id::text FROM tickets_flow_assignee a WHERE a.flow_id = f.id) AS people
      FROM tickets_flow f JOIN tickets_flow_rule r ON r.flow_id = f.id WHERE f.org_id <> '${ROOT_ORG_ID}'
      GROUP BY f.id ORDER BY f.id`)
    expect(flows).toEqual([
      {
        ...{ id: FLOWS.assets, org_id: SHANGHAI, approval_level: 2, strategies: ['custom_user', 'super_admin'] },
        people: [PEOPLE.alice],
      },
      { id: FLOWS.commands, org_id: DEFAULT, approval_level: 2, strategies: ['org_admin', 'super_admin'], people: [] },
    ])
    const [asset, command] = await target.rows(
      'SELECT id, state, serial_num, applicant, applicant_display, meta, time_zone, process_map FROM tickets_ticket ORDER BY id',
    )
    expect(asset).toMatchObject({
      ...{ id: TICKETS.asset, state: 'approved', serial_num: 'JS-202403010001', applicant: PEOPLE.alice },
      ...{ applicant_display: '爱丽丝(alice)', time_zone: 'Asia/Shanghai' },
      meta: {
        ...{ apply_assets: [ASSETS.web1], apply_assets_display: ['web-1(10.0.0.1)'], apply_actions: 31 },
        apply_date_start: '2024-03-01 08:00:00',
      },
      process_map: [{ state: 'approved', processor: PEOPLE.admin, approval_date: '2024-03-01T11:00:00.000Z' }],
    })
    expect(asset.meta).not.toHaveProperty('unknown')
    expect(command).toMatchObject({
      ...{ state: 'rejected', process_map: [] },
      meta: { apply_run_command: 'rm -rf /', apply_run_user: 'alice' },
    })
    expect(await target.rows('SELECT level, user_id FROM tickets_assignee')).toEqual([
      { level: 1, user_id: PEOPLE.admin },
    ])
    expect(await target.rows('SELECT body, "user" FROM tickets_comment')).toEqual([
      { body: '可以 <b>ok</b>', user: PEOPLE.admin },
    ])
    // The oldest first, and the password of today last.
    const history = await target.rows(
      `SELECT password_hash FROM users_password_history WHERE user_id = '${PEOPLE.alice}' ORDER BY id`,
    )
    expect(history.map((one) => one.password_hash)).toEqual([...EARLIER, HASH])
    expect(await wasUsedBefore(target.db, PEOPLE.alice, 'Passw0rd!', 1)).toBe(true)
    expect(await target.rows(`SELECT 1 FROM users_password_history WHERE user_id = '${PEOPLE.ming}'`)).toHaveLength(1)

    // One that comes later is older all the same.
    await from.sql(`INSERT INTO users_userpasswordhistory (id, password, user_id, date_created)
      SELECT '${'5'.repeat(32)}', '${LATER}', user_id, '2021-01-01' FROM users_userpasswordhistory WHERE password = '${EARLIER[0]}'`)
    expect(counts((await target.import(from)).report, 'Earlier passwords')).toMatchObject({ added: 1 })
    expect(await wasUsedBefore(target.db, PEOPLE.alice, 'Passw0rd!', 1)).toBe(true)
    const again = await target.import(from)
    for (const label of LABELS)
      expect([label, counts(again.report, label)]).toMatchObject([label, { added: 0, updated: 0 }])
    // There: a flow changes, and a ticket is closed. Here: another flow has changed.
    await from.sql(`
      UPDATE tickets_ticketflow SET approval_level = 1;
      UPDATE tickets_ticket SET state = 'closed', status = 'closed' WHERE state = 'open'`)
    await target.rows(`UPDATE tickets_flow_rule SET strategy = 'org_admin' WHERE flow_id = '${FLOWS.commands}'`)
    const later = await target.import(from)
    expect(counts(later.report, 'Ticket flows')).toMatchObject({ added: 0, updated: 1, same: 1 })
    expect(textOf(later.report)).toContain(
      'Changed there and here since the last run: stays as it is here: command_confirm',
    )
    expect(counts(later.report, 'Past tickets')).toMatchObject({ added: 1, same: 2 })
    expect(await target.rows(`SELECT count(*)::int AS n FROM tickets_flow_assignee`)).toEqual([{ n: 1 }])
  })
})

test('tickets of version 4 come from their tables, flows where they are decided by names or administrators', async () => {
  const tables = { ...V4_10, ...TICKETS_4 }
  const from = await theirs.make(
    'postgres',
    { ...tables, ...HISTORY_3 },
    {
      ...{ ...peopleRows('v4.10'), ...assetRows3('zone'), ...ticketRows4, ...historyRows(3) },
      tickets_ticketsession: [SESSIONS.shell, SESSIONS.old].map((session_id) => ({
        session_id,
        ticket_id: TICKETS.asset,
      })),
    },
  )
  await onTarget(async (target) => {
    const { report } = await target.import(from)
    expect(untranslated(report)).toEqual([])
    expect(LABELS.slice(0, 3).map((label) => counts(report, label))).toMatchObject([
      { read: 3, added: 2, behind: 1 },
      { read: 3, added: 2, behind: 1 },
      { read: 1, added: 1, behind: 0 },
    ])
    expect(textOf(report)).toContain('are found by attributes: login_confirm')
    expect(counts(report, 'Sessions of tickets')).toMatchObject({ read: 2, added: 1, behind: 1 })
    expect(textOf(report)).toContain('Has 3 levels there: the first two come: about asset')
    const strategies = await target.rows(
      `SELECT strategy FROM tickets_flow_rule WHERE flow_id IN ('${FLOWS.assets}', '${FLOWS.commands}') ORDER BY flow_id, level`,
    )
    expect(strategies.map(({ strategy }) => strategy)).toEqual(['custom_user', 'super_admin', 'org_admin'])
    const [asset, command] = await target.rows(
      'SELECT applicant_display, meta, time_zone, process_map FROM tickets_ticket ORDER BY id',
    )
    expect(asset).toMatchObject({
      ...{ applicant_display: '爱丽丝(alice)', time_zone: 'UTC' },
      meta: {
        ...{ apply_permission_name: 'web', apply_assets_display: ['web-1(10.0.0.1)'], apply_actions: 1 },
        ...{ apply_system_users_display: ['root'], apply_date_start: '2024-03-01 10:00:00' },
      },
      process_map: [
        {
          ...{ approval_level: 1, state: 'approved', assignees: [PEOPLE.admin, PEOPLE.ming], processor: PEOPLE.admin },
          processor_display: 'admin(admin)',
        },
        { approval_level: 2, state: 'closed' },
      ],
    })
    expect(command).toMatchObject({ meta: { apply_run_command: 'reboot', apply_run_system_user: 'root' } })
    expect(await target.rows('SELECT action FROM tickets_comment')).toEqual([{ action: 'approved' }])
    const again = await target.import(from)
    for (const label of [...LABELS, 'Sessions of tickets'])
      expect([label, counts(again.report, label)]).toMatchObject([label, { added: 0, updated: 0 }])
  })
})
