import {
  arriveLabels,
  endFavorites,
  endLabeled,
  favorArrived,
  labelArrived,
} from '../../../domains/assets/arriving/index.ts'
import { bring, countPairs, ended, type ImportContext, ORGANIZATION_GONE } from '../context.ts'
import { bool, date, text, textOrNull, uuid } from '../values.ts'

const NO_TIME = new Date(0).toISOString()

/** Labels and what they are on; favorites. Since 3.10 labels are on other things too. */
export async function importLabels(context: ImportContext): Promise<void> {
  const isNew = context.source.has('labels.label')
  await importOwnLabels(context, isNew ? 'labels.label' : 'assets.label')
  await (isNew ? importLabeled(context) : importPairs(context, 'assets.asset_labels'))
  const { report, run } = context
  report
    .kind('Labels')
    .many(
      await ended(context, [isNew ? 'labels.labeledresource' : 'assets.asset_labels'], () => endLabeled(run)),
      'Ended there since the last run: removed here',
      false,
    )
  await importFavorites(context)
}

async function importOwnLabels(context: ImportContext, table: string): Promise<void> {
  const { source, report, ids } = context
  const notes = report.kind('Labels')
  const columns = ['org_id', 'name', 'value', 'category', 'is_active', 'comment', 'date_created']
  const taken = new Map<string, string>()
  for await (const batch of source.read({ table, columns })) {
    notes.read += batch.length
    const rows = batch.flatMap((row) => {
      const id = uuid(row.id)
      const name = text(row.name, 128).trim()
      const value = text(row.value, 128).trim()
      const org = ids.organization(row.org_id)
      const shown = `${name}:${value}`
      if (id && !org) notes.staysBehind(shown, ORGANIZATION_GONE)
      if (!id || !org) return []
      const same = taken.get(`${org} ${shown}`)
      if (same) {
        notes.staysBehind(shown, 'There is the same one twice: assets of both have the first')
        ids.set('label', id, same)
        return []
      }
      taken.set(`${org} ${shown}`, id)
      const values = {
        ...{ org_id: org, name, value, category: row.category === 'S' ? 'S' : 'U' },
        ...{ is_active: row.is_active === undefined || bool(row.is_active), comment: textOrNull(row.comment) },
        date_created: date(row.date_created) ?? NO_TIME,
      }
      return [{ key: id, id, name: shown, values }]
    })
    await bring(context, notes, arriveLabels, rows, 'label')
  }
}

const LABELED = 'Labels on assets'

async function importPairs({ source, report, ids, run }: ImportContext, table: string): Promise<void> {
  const notes = report.kind(LABELED)
  for await (const batch of source.read({ table, columns: ['asset_id', 'label_id'] })) {
    const pairs = batch.flatMap((row) => pairOf(ids, row.label_id, row.asset_id))
    notes.read += batch.length
    countPairs(notes, await labelArrived(run, pairs))
  }
}

async function importLabeled({ source, report, ids, run }: ImportContext): Promise<void> {
  const notes = report.kind(LABELED)
  for await (const batch of source.read({ table: 'labels.labeledresource', columns: ['label_id', 'res_id'] })) {
    // With or without dashes, even in one table.
    const pairs = batch.flatMap((row) => pairOf(ids, row.label_id, row.res_id))
    notes.read += batch.length
    const others = batch.length - pairs.length
    notes.behind += others
    notes.many(others, 'Is on something else than a machine that has come')
    countPairs(notes, await labelArrived(run, pairs))
  }
}

function pairOf(ids: ImportContext['ids'], label: string | null | undefined, asset: string | null | undefined) {
  const pair = [ids.get('label', label), ids.get('asset', asset)] as const
  return pair[0] && pair[1] ? [[pair[0], pair[1]] as const] : []
}

async function importFavorites({ source, report, ids, run }: ImportContext): Promise<void> {
  const notes = report.kind('Favorite assets')
  for await (const batch of source.read({ table: 'assets.favoriteasset', columns: ['user_id', 'asset_id'] })) {
    const pairs = batch.flatMap((row) => {
      const person = ids.get('person', row.user_id)
      const asset = ids.get('asset', row.asset_id)
      return person && asset ? [[person, asset] as const] : []
    })
    notes.read += batch.length
    notes.behind += batch.length - pairs.length
    notes.many(batch.length - pairs.length, 'The user or the asset has not come')
    countPairs(notes, await favorArrived(run, pairs))
  }
  notes.many(
    await ended({ source }, ['assets.favoriteasset'], () => endFavorites(run)),
    'Ended there since the last run: removed here',
    false,
  )
}
