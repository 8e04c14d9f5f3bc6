import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import { CellEditor } from './CellEditor.tsx'
import type { Value } from './result-view.ts'
import { readValue, textOf } from './rows-shown.ts'
import type { ValueEdit } from './value-edit.ts'

interface CellViewerProps {
  name: string
  value: Value
  /** Undefined where it can not be changed. */
  edit: ValueEdit | undefined
  onClose: () => void
}

/** One value whole, JSON indented and bytes as such; and another one in its place. */
export function CellViewer({ name, value, edit, onClose }: CellViewerProps) {
  const [isEdited, setEdited] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const text = textOf(value)
  const read = text === null ? undefined : readValue(text)
  const isPart = Array.isArray(value)
  const footer = (
    <div className="data-grid-edit-bar">
      {edit && !isPart && <Button onClick={() => setEdited(true)}>{t('Change the value')}</Button>}
      {text !== null && <Button onClick={() => void copyText(text)}>{t('Copy')}</Button>}
    </div>
  )
  return (
    <Dialog
      title={name}
      width={720}
      // A message about the running statement is not lost.
      onClose={isRunning ? undefined : onClose}
      foot={!isEdited && footer}
    >
      {edit && isEdited && !isPart ? (
        <CellEditor {...edit} value={value} onRunning={setRunning} onDone={onClose} onBack={() => setEdited(false)} />
      ) : (
        <>
          {isPart && <p>{t('This is the beginning of a longer value.')}</p>}
          <pre className={`data-grid-value data-grid-value-${read?.kind ?? 'null'}`}>{read ? read.shown : 'NULL'}</pre>
        </>
      )}
    </Dialog>
  )
}
