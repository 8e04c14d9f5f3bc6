import { arriveGroupMembers, arriveGroups, endArrivedGroupMembers } from '../../../domains/users/arriving/index.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { date, text, textOrNull, uuid } from '../values.ts'

export async function importGroups(context: ImportContext): Promise<void> {
  const { source, report, ids, run } = context
  const notes = report.kind('User groups')
  const columns = ['name', 'comment', 'created_by', 'date_created', 'org_id']
  for await (const batch of source.read({ table: 'users.usergroup', columns })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => {
      const id = uuid(row.id)
      const name = text(row.name, 128) || 'Group'
      const org = ids.organization(row.org_id)
      if (id && !org) notes.staysBehind(name, ORGANIZATION_GONE)
      if (!id || !org) return []
      const values = {
        org_id: org,
        name,
        comment: text(row.comment),
        created_by: textOrNull(row.created_by, 128),
        date_created: date(row.date_created) ?? new Date(0).toISOString(),
      }
      return [{ key: id, id, name, values }]
    })
    await bring(context, notes, arriveGroups, rows, 'group')
  }
  await importMembers(context)
  const gone = await ended(context, ['users.user_groups'], () => endArrivedGroupMembers(run))
  report.kind('Members of groups').many(gone, 'Ended there since the last run: removed here', false)
}

async function importMembers({ source, report, ids, run }: ImportContext): Promise<void> {
  const notes = report.kind('Members of groups')
  const columns = ['user_id', 'usergroup_id']
  for await (const batch of source.read({ table: 'users.user_groups', columns })) {
    notes.read += batch.length
    const pairs = batch.flatMap((row) => {
      const user = ids.get('person', row.user_id)
      const group = ids.get('group', row.usergroup_id)
      return user && group ? [[user, group] as const] : []
    })
    const lost = batch.length - pairs.length
    notes.behind += lost
    notes.many(lost, 'The user or the group has not come')
    countPairs(notes, await arriveGroupMembers(run, pairs))
  }
}
