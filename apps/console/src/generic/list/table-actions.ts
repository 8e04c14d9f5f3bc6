import { type Row, withQuery } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import { deleteRow, deleteRows } from '../rows/deleting.ts'
import type { BulkAction, RowAction } from '../view/actions.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { rowTitle } from '../view/row-title.ts'
import { byRule, mayWrite, READ_ONLY } from '../view/write-rules.ts'

/**
 * What may be done to a row: update, delete and clone where the view and the person's role allow
 * them, then the view's own.
 */
export function rowActionsOf(
  pages: ResourcePages,
  base: string,
  path: string,
  frozen: boolean,
  onDeleted: (row: Row) => void,
): RowAction[] {
  const view = pages.list
  const built: RowAction[] = []
  if (addressOf(`${base}Update`) && view?.canUpdate !== false && mayWrite(pages, 'update'))
    built.push({
      name: 'update',
      title: msg('Update'),
      order: 10,
      can: (row) => (frozen ? READ_ONLY() : byRule(view?.canUpdate, row)),
      run: (row, { go }) => go(addressOf(`${base}Update`, { id: row.id }) ?? ''),
    })
  if (view?.canDelete !== false && mayWrite(pages, 'destroy'))
    built.push({
      name: 'delete',
      title: msg('Delete'),
      order: 20,
      danger: true,
      can: (row) => (frozen ? READ_ONLY() : byRule(view?.canDelete, row)),
      run: (row) =>
        pages.deletion
          ? pages.deletion(row, () => onDeleted(row))
          : deleteRow(
              { resource: pages.definition.name, path, bearsRights: pages.definition.bearsRights },
              row,
              rowTitle(pages, row),
              () => onDeleted(row),
            ),
    })
  if (addressOf(`${base}Create`) && view?.canClone !== false && view?.canCreate !== false && mayWrite(pages, 'create'))
    built.push({
      name: 'clone',
      title: msg('Clone'),
      order: 30,
      can: (row) => (frozen ? READ_ONLY() : byRule(view?.canClone, row)),
      run: (row, { go }) => go(withQuery(addressOf(`${base}Create`) ?? '', { clone_from: row.id })),
    })
  return [...built, ...(view?.rowActions ?? [])]
}

/** What may be done to all ticked rows, harmless first. */
export function bulkActionsOf(pages: ResourcePages, path: string, frozen: boolean): BulkAction[] {
  const view = pages.list
  const own = (view?.bulkActions?.filter(({ has }) => has?.() !== false) ?? []).toSorted(
    (one, other) => Number(one.danger === true) - Number(other.danger === true),
  )
  if (
    view?.canBulkDelete === false ||
    view?.canDelete === false ||
    !pages.definition.operations.includes('bulk_destroy') ||
    !mayWrite(pages, 'destroy')
  )
    return own
  return [
    ...own,
    {
      name: 'delete',
      title: msg('Delete'),
      danger: true,
      takesAway: true,
      asks: true,
      can: () => (frozen ? READ_ONLY() : true),
      run: (ids, rows, { refresh }) => {
        const names = rows.map((row) => rowTitle(pages, row))
        deleteRows(
          { resource: pages.definition.name, path, bearsRights: pages.definition.bearsRights },
          ids,
          names,
          refresh,
        )
      },
    },
  ]
}

/** The create page, where there is one and this person may create. */
export function createAddressOf(pages: ResourcePages, base: string): string | undefined {
  const { createRoute = `${base}Create`, canCreate } = pages.list ?? {}
  const allowed = mayWrite(pages, 'create') && (typeof canCreate === 'function' ? canCreate() : canCreate !== false)
  return allowed ? addressOf(createRoute) : undefined
}
