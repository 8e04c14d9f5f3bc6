import { DEFAULT_ORG_ID, ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ensureRootNode } from '../../../domains/assets/index.ts'
import { arriveOrganizations } from '../../../domains/orgs/arriving/index.ts'
import { orgsListedOrganization } from '../../../domains/orgs/index.ts'
import { bring, type ImportContext } from '../context.ts'
import { Names } from '../names.ts'
import { date, text, textOrNull, uuid } from '../values.ts'

/** Their organization of hidden things, such as the hosts of remote applications. */
const SYSTEM = '00000000-0000-0000-0000-000000000004'
const LIKE_AN_ID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

export async function importOrganizations(context: ImportContext): Promise<void> {
  const { source, report, ids, run } = context
  const notes = report.kind('Organizations')
  const names = new Names(128)
  const here = await run.db
    .select({ id: orgsListedOrganization.id, name: orgsListedOrganization.name })
    .from(orgsListedOrganization)
  for (const { id, name } of here) names.take('', name, id)
  ids.set('organization', DEFAULT_ORG_ID, DEFAULT_ORG_ID)
  // The first start makes the root node of Default: an import may come before it.
  await ensureRootNode(run.db, DEFAULT_ORG_ID, here.find(({ id }) => id === DEFAULT_ORG_ID)?.name ?? 'Default')
  const columns = ['name', 'comment', 'created_by', 'date_created']
  for await (const batch of source.read({ table: 'orgs.organization', columns })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => {
      const id = uuid(row.id)
      const name = text(row.name).trim() || 'Organization'
      if (id === DEFAULT_ORG_ID) notes.same++
      if (!id || id === DEFAULT_ORG_ID || id === ROOT_ORG_ID) return []
      if (id === SYSTEM) {
        notes.staysBehind(name, 'Holds what JumpServer itself needs')
        return []
      }
      const isReserved = /^(?:root|default)$/i.test(name) || LIKE_AN_ID.test(name)
      const free = names.free('', isReserved ? `${name} (JumpServer)` : name, id)
      if (free !== name) notes.changes(name, 'Comes as {{name}}: its name is taken or reserved', { name: free })
      const values = {
        name: free,
        comment: text(row.comment),
        created_by: textOrNull(row.created_by, 32),
        date_created: date(row.date_created) ?? new Date(0).toISOString(),
      }
      return [{ key: id, id, name, values }]
    })
    const outcomes = await bring(context, notes, arriveOrganizations, rows, 'organization')
    // Organizations have a root node from their beginning on; that of a renamed one is renamed.
    for (const { id, key, values } of rows)
      if (['added', 'updated'].includes(outcomes.get(key) ?? '')) await ensureRootNode(run.db, id, values.name)
  }
}
