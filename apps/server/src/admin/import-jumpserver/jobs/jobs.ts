import { runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { arriveRunbooks } from '../../../domains/ops/arriving/index.ts'
import type { ArrivingRow } from '../../../kernel/arrivals/arrival.ts'
import { bring, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { Names } from '../names.ts'
import type { KindNotes } from '../report/report.ts'
import type { SourceRow } from '../source/source.ts'
import { bool, date, text, textOrNull, uuid } from '../values.ts'

const COLUMNS = [
  ...['org_id', 'name', 'type', 'args', 'module', 'chdir', 'is_periodic', 'comment', 'created_by', 'date_created'],
]
/** Modules whose argument a shell runs. */
const SHELL = /^(?:shell|raw|command)$/
const LONGEST = runbook.fields.steps.fields.command.maxLength

/** Commands that are run again and again: since version 3 they are here as runbooks. What was run stays behind. */
export async function importJobs(context: ImportContext): Promise<void> {
  const { source, report, version } = context
  if (version.model === 2) {
    const tasks = report.kind('Tasks')
    tasks.many(
      await source.count('ops.task'),
      'Are run by the system itself, or were made by others: make runbooks here',
    )
    tasks.many(await source.count('ops.commandexecution'), 'Batch commands that were run')
    return
  }
  const notes = report.kind('Runbooks')
  if (!context.withJobs) {
    const jobs = (await source.count('ops.job')) + (await source.count('ops.adhoc'))
    notes.read += jobs
    notes.behind += jobs
    notes.many(jobs, 'Are of their authors alone there, and would be read by all here: ask for them by --jobs')
    return
  }
  const names = new Names(128)
  for (const table of ['ops.job', 'ops.adhoc'])
    for await (const batch of source.read({ table, columns: COLUMNS })) {
      notes.read += batch.length
      await bring(
        context,
        notes,
        arriveRunbooks,
        batch.flatMap((row) => runbookOf(context, row, names, notes)),
      )
    }
  for await (const batch of source.read({ table: 'ops.playbook', columns: ['name'] })) {
    notes.read += batch.length
    for (const row of batch) notes.staysBehind(text(row.name, 128), 'Is a playbook, which there is not here')
  }
  notes.many(await source.count('ops.jobexecution'), 'Runs of jobs')
}

function runbookOf({ ids }: ImportContext, row: SourceRow, names: Names, notes: KindNotes): ArrivingRow[] {
  const id = uuid(row.id)
  const name = text(row.name, 128) || (id ?? '')
  const org = ids.organization(row.org_id)
  const given = text(row.args)
  const folder = text(row.chdir, 1024)
  const command = folder ? `cd '${folder.replaceAll("'", "'\\''")}' || exit\n${given}` : given
  if (!id) return []
  if (!org) notes.staysBehind(name, ORGANIZATION_GONE)
  // Templates of single commands have no type.
  else if ((row.type ?? 'adhoc') !== 'adhoc' || !SHELL.test(row.module ?? ''))
    notes.staysBehind(name, 'Is no command of a shell')
  else if (!given || command.length > LONGEST || command.includes('{{'))
    notes.staysBehind(name, 'Its command is empty, too long, or has variables')
  else {
    if (bool(row.is_periodic)) notes.leaves(name, 'Is run by the clock there: make a schedule here')
    const created = date(row.date_created) ?? new Date(0).toISOString()
    const values = {
      ...{ org_id: org, name: names.free(org, name, id), steps: [{ name, kind: 'command', command }], variables: [] },
      ...{ comment: text(row.comment, 1024), created_by: textOrNull(row.created_by, 128), date_created: created },
    }
    return [{ key: id, id, name, values }]
  }
  return []
}
