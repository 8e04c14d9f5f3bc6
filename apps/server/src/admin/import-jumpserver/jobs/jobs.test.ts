import { afterAll, beforeAll, expect, test } from 'vitest'
import { translate } from '../../../kernel/i18n/translate.ts'
import { assetRows2, assetRows3 } from '../fixtures/assets-fixture.ts'
import { type Installations, onTarget, startInstallations } from '../fixtures/installations-fixture.ts'
import { DEFAULT, peopleRows, SHANGHAI } from '../fixtures/people-fixture.ts'
import { V2_19, V3_10 } from '../fixtures/tables-fixture.ts'
import { allLinesOf } from '../report/print.ts'
import type { Report } from '../report/report.ts'

let theirs: Installations
beforeAll(async () => {
  theirs = await startInstallations()
})
afterAll(() => theirs?.close())

const textOf = (report: Report) => allLinesOf(report.kinds, 'en').join('\n')
const untranslated = (report: Report, label: string) => {
  const { changed, stays } = report.kind(label)
  return [label, ...changed.keys(), ...stays.keys()].filter((sentence) => translate('cn', sentence) === sentence)
}
const id = (number: number) => `60000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const JOB = `id uuid, org_id c36, name c128, args txt, module c128, comment txt, created_by c128?, date_created dt?`

test('commands of version 3 come as runbooks, each version kept; playbooks and runs stay behind', async () => {
  const job = (number: number, name: string, more: object = {}) => ({
    ...{ id: id(number), org_id: DEFAULT, name, type: 'adhoc', module: 'shell', args: 'uptime', is_periodic: false },
    ...more,
  })
  const from = await theirs.make(
    'postgres',
    {
      ...V3_10,
      ops_job: `${JOB}, type c128, chdir c1024?, is_periodic bool`,
      ops_adhoc: `${JOB}, pattern c1024`,
      ops_playbook: 'id uuid, name c128',
      ops_jobexecution: 'id uuid',
    },
    {
      ...peopleRows('v3.10'),
      ...assetRows3('domain'),
      ops_job: [
        job(1, 'uptime', { chdir: "/srv/it's", is_periodic: true }),
        job(2, 'uptime', { org_id: SHANGHAI }),
        job(3, 'python', { module: 'python' }),
        job(4, 'book', { type: 'playbook' }),
        job(5, 'named', { args: 'echo {{ inventory_hostname }}' }),
      ],
      ops_adhoc: [{ id: id(6), org_id: DEFAULT, name: 'uptime', args: 'w', module: 'raw' }],
      ops_playbook: [{ id: id(7), name: 'patch' }],
      ops_jobexecution: [{ id: id(8) }],
    },
  )
  await onTarget(async (target) => {
    const unasked = (await target.import(from)).report
    expect(unasked.kind('Runbooks')).toMatchObject({ read: 6, added: 0, behind: 6 })
    expect(untranslated(unasked, 'Runbooks')).toEqual([])
    const { report } = await target.import(from, { withJobs: true })
    const { read, added, behind } = report.kind('Runbooks')
    expect([read, added, behind]).toEqual([7, 3, 4])
    expect(untranslated(report, 'Runbooks')).toEqual([])
    expect(textOf(report)).toContain('Is run by the clock there: make a schedule here: uptime')
    const stored = () => target.rows('SELECT org_id, name, steps, version FROM ops_runbook ORDER BY id')
    const steps = (command: string) => [{ name: 'uptime', kind: 'command', command }]
    expect(await stored()).toEqual([
      { org_id: DEFAULT, name: 'uptime', version: 1, steps: steps("cd '/srv/it'\\''s' || exit\nuptime") },
      { org_id: SHANGHAI, name: 'uptime', version: 1, steps: steps('uptime') },
      { org_id: DEFAULT, name: 'uptime-2', version: 1, steps: steps('w') },
    ])
    expect((await target.import(from, { withJobs: true })).report.kind('Runbooks')).toMatchObject({
      added: 0,
      updated: 0,
      same: 3,
    })
    await from.sql(`UPDATE ops_job SET args = 'uptime -p' WHERE org_id = '${SHANGHAI}'`)
    expect((await target.import(from, { withJobs: true })).report.kind('Runbooks')).toMatchObject({
      updated: 1,
      same: 2,
    })
    expect((await stored())[1]).toMatchObject({ version: 2, steps: steps('uptime -p') })
    expect(await target.rows('SELECT count(*)::int AS n FROM ops_runbook_version')).toEqual([{ n: 4 }])
  })
})

test('tasks of version 2 stay behind, and are counted', async () => {
  const from = await theirs.make(
    'mysql',
    { ...V2_19, ops_task: 'id uuid', ops_commandexecution: 'id uuid' },
    { ...peopleRows('v2.19'), ...assetRows2, ops_task: [{ id: id(1) }], ops_commandexecution: [{ id: id(2) }] },
  )
  await onTarget(async (target) => {
    const { report } = await target.import(from, { isDryRun: true })
    expect(textOf(report)).toContain('Batch commands that were run: 1')
    expect(untranslated(report, 'Tasks')).toEqual([])
  })
})
