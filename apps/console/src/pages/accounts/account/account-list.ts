import { linkCell } from '../../../generic/cells/link-cell.tsx'
import type { ColumnView } from '../../../generic/view/list-view.ts'
import { addressOf } from '../../../navigation/routes.ts'

/** Accounts come with machines, applications and system users: a list of them makes and removes none. */
export const NOTHING_ADDED_HERE = {
  canCreate: false,
  canUpdate: false,
  canClone: false,
  canBulkDelete: false,
  hasImport: false,
  hasSelection: false,
} as const

interface OfSystemUser {
  id: string
  systemuser: string | null
  systemuser_display: string
}

/** Where an account's login comes from, if it is linked to a system user. */
export const systemUserColumn = <R extends OfSystemUser & Record<string, unknown>>(): ColumnView<R> => ({
  field: 'systemuser',
  cell: linkCell(
    ({ systemuser }) => (systemuser ? addressOf('SystemUserDetail', { id: systemuser }) : undefined),
    (row) => row.systemuser_display,
  ),
})
