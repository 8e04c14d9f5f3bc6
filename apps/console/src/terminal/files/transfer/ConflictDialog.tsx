import { visibleName } from '@sallyport/contract/names.ts'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Dialog } from '../../../design/dialogs/Dialog.tsx'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { sizeText } from '../folder/entries.ts'
import { shownPath } from '../folder/machine-names.ts'
import { parentOf } from '../folder/paths.ts'
import type { ConflictAnswer, Transfer } from './queue.ts'

export interface ConflictDialogProps {
  transfer: Transfer
  /** Others of the same batch wait, or may meet a taken name later. */
  isOneOfMany: boolean
  onAnswer: (answer: ConflictAnswer, forAll: boolean) => void
  onCancel: () => void
}

/** Asks what to do where something of the same name stands. */
export function ConflictDialog({ transfer, isOneOfMany, onAnswer, onCancel }: ConflictDialogProps) {
  const [forAll, setForAll] = useState(false)
  const { name, to, size, existing } = transfer
  const isFolder = existing?.kind === 'folder'
  return (
    <Dialog
      title={isFolder ? t('A folder of this name is there already') : t('A file of this name is there already')}
      onClose={onCancel}
      foot={
        <>
          <Button onClick={() => onAnswer('skip', forAll)}>{t('Skip@@file')}</Button>
          <Button onClick={() => onAnswer('keep', forAll)}>{t('Keep both')}</Button>
          <Button
            type="primary"
            danger
            whyDisabled={isFolder ? t('A folder cannot be overwritten by a file.') : undefined}
            onClick={() => onAnswer('overwrite', forAll)}
          >
            {t('Overwrite')}
          </Button>
        </>
      }
    >
      <p className="fm-break">
        <strong>{visibleName(name)}</strong> → {shownPath(parentOf(to))}
      </p>
      <p>
        {t('There: {{size}}, {{time}}', {
          size: sizeText(existing?.size ?? null),
          time: existing?.modified ? formatDate(existing.modified * 1000) : '-',
        })}
        <br />
        {t('New: {{size}}', { size: sizeText(size) })}
      </p>
      {isOneOfMany && (
        <Checkbox checked={forAll} onChange={setForAll}>
          {t('The same for all others of this transfer')}
        </Checkbox>
      )}
    </Dialog>
  )
}
