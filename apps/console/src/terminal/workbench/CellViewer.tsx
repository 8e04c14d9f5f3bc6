import { Modal } from 'antd'
import { Button } from '../../design/Button.tsx'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/i18n.ts'
import type { Value } from './answers.ts'
import { readValue, textOf } from './rows-shown.ts'

/** One value whole: JSON indented, bytes as such. */
export function CellViewer({ name, value, onClose }: { name: string; value: Value; onClose: () => void }) {
  const text = textOf(value)
  const read = text === null ? undefined : readValue(text)
  return (
    <Modal
      open
      title={name}
      width={720}
      onCancel={onClose}
      footer={text === null ? null : <Button onClick={() => void copyText(text)}>{t('Copy')}</Button>}
    >
      {Array.isArray(value) && <p>{t('The value is longer: this is its beginning.')}</p>}
      <pre className={`wb-value wb-value-${read?.kind ?? 'null'}`}>{read ? read.shown : 'NULL'}</pre>
    </Modal>
  )
}
