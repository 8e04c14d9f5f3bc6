import { InboxIcon } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { checkFile, type FileFault, type FileType } from './check-file.ts'

interface DropZoneProps {
  /** MB. */
  limit: number
  busy: boolean
  onFile: (file: File, type: FileType) => void
  /** A new try: what was said about the last one is over. */
  onChoose: () => void
}

/**
 * Takes one file, dropped or chosen; the hint turns red when it is not one that can be read
 * (A5.14).
 */
export function DropZone({ limit, busy, onFile, onChoose }: DropZoneProps) {
  const [fault, setFault] = useState<FileFault>()
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const take = async (files: readonly File[]) => {
    if (busy || files.length === 0) return
    onChoose()
    const checked = await checkFile(files, limit)
    // The same file, mended, must be a change again.
    if (input.current) input.current.value = ''
    setFault('fault' in checked ? checked.fault : undefined)
    if (!('fault' in checked)) onFile(checked.file, checked.type)
  }
  const drag = (event: DragEvent, entered: boolean) => {
    event.preventDefault()
    setOver(entered)
  }
  return (
    <div className="drop-zone">
      <label
        className={over ? 'over' : undefined}
        onDragEnter={(event) => drag(event, true)}
        onDragOver={(event) => drag(event, true)}
        onDragLeave={(event) => drag(event, false)}
        onDrop={(event) => {
          drag(event, false)
          void take([...event.dataTransfer.files])
        }}
      >
        <input
          ref={input}
          type="file"
          accept=".csv,.xlsx"
          disabled={busy}
          aria-describedby={id}
          onChange={(event) => void take([...(event.target.files ?? [])])}
        />
        <InboxIcon aria-hidden="true" />
        <span>{busy ? t('The file is being read…') : t('Drop a file here, or click to choose one')}</span>
      </label>
      <p id={id} className={fault ? 'bad' : undefined} role={fault ? 'alert' : undefined}>
        {t('One CSV or XLSX file of at most {{limit}} MB', { limit })}
        {fault && <span> — {FAULTS[fault]()}</span>}
      </p>
    </div>
  )
}

const FAULTS: Readonly<Record<FileFault, () => string>> = {
  many: () => t('Choose one file at a time.'),
  type: () => t('This is another type of file. Save it as CSV or XLSX.'),
  size: () => t('This file is larger.'),
  empty: () => t('This file is empty.'),
  content: () => t('The content of this file does not match its name. Save it again as CSV or XLSX.'),
}
