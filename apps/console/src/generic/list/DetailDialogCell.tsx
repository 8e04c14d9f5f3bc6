import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { type ReactNode, useState } from 'react'
import { LazyDialog } from '../../design/dialogs/lazy-dialog.tsx'
import type { Row } from '../../lib/api.ts'
import { DetailCard } from '../detail/DetailCard.tsx'
import type { ColumnView } from '../view/list-view.ts'
import { rowTitle } from '../view/row-title.ts'

export interface DetailDialogCellProps {
  definition: ResourceDefinition
  row: Row
  dialog: NonNullable<ColumnView['dialog']>
  children: ReactNode
}

/**
 * A value that opens a dialog with facts of its row (docs/rules/lists-and-forms.md#dialog_detail).
 */
export function DetailDialogCell({ definition, row, dialog, children }: DetailDialogCellProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={dialog.dimmed?.(row) ? 'link off' : 'link'}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {children}
      </button>
      {open && (
        <LazyDialog title={dialog.title?.(row) ?? rowTitle({ definition }, row)} onClose={() => setOpen(false)}>
          <DetailCard definition={definition} row={row} items={dialog.fields} />
        </LazyDialog>
      )}
    </>
  )
}
