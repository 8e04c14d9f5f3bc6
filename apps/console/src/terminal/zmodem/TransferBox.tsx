import { sizeText } from '@sallyport/contract/size-text.ts'
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { t } from '../../lib/i18n.ts'
import type { FileTransfer, TransferView } from './file-transfer.ts'
import { fits, openSink, plainName } from './save.ts'

export interface TransferBoxProps {
  transfer: FileTransfer
  view: TransferView
}

/**
 * The file that a machine sends or asks for, and its progress, over the terminal that waits for it.
 */
export function TransferBox({ transfer, view }: TransferBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  // Out of the terminal, which has no use for keys now; but onto no button: a machine may begin at
  // any time, and a return on its way must not take a file.
  useEffect(() => box.current?.focus(), [])
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || (event.ctrlKey && event.key.toLowerCase() === 'c')) transfer.cancel()
  }
  return (
    <div
      className="wt-transfer"
      ref={box}
      role="dialog"
      aria-label={t('File transfer')}
      tabIndex={-1}
      onKeyDown={handleKey}
    >
      {view.step === 'offered' && <Offer transfer={transfer} file={view.file} />}
      {view.step === 'choosing' && <Choice transfer={transfer} />}
      {view.step === 'moving' && <Progress view={view} />}
      <Button size="small" onClick={() => transfer.cancel()}>
        {t('Cancel transfer')}
      </Button>
    </div>
  )
}

function Offer({
  transfer,
  file,
}: {
  transfer: FileTransfer
  file: Extract<TransferView, { step: 'offered' }>['file']
}) {
  const name = plainName(file.name)
  const canTake = fits(file)
  const accept = (all: boolean) => {
    // Closing the browser's own dialog asks again.
    transfer.accept(openSink, all).catch(() => {})
  }
  return (
    <>
      <p>
        {t('The machine sends you a file:')} <strong>{name}</strong>
        {file.size !== undefined && ` (${sizeText(file.size)})`}
      </p>
      {!canTake && <p>{t('This file is too large for this browser. The file manager can fetch it.')}</p>}
      {canTake && (
        <Button size="small" type="primary" onClick={() => accept(false)}>
          {t('Save file')}
        </Button>
      )}
      {canTake && file.left > 0 && (
        <Button size="small" onClick={() => accept(true)}>
          {t('Save all {{count}} files', { count: file.left + 1 })}
        </Button>
      )}
      {file.left > 0 && (
        <Button size="small" onClick={() => transfer.skip()}>
          {t('Skip file')}
        </Button>
      )}
    </>
  )
}

function Choice({ transfer }: { transfer: FileTransfer }) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    transfer.choose([...event.dataTransfer.files])
  }
  const dragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button inside, which the keyboard reaches.
    <div
      className={over ? 'wt-transfer-drop wt-transfer-over' : 'wt-transfer-drop'}
      onDragOver={dragOver}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>{t('The machine waits for files. Drop them here, or choose some.')}</p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Choose files')}
        onChange={({ target }) => transfer.choose([...(target.files ?? [])])}
      />
      <Button size="small" type="primary" onClick={() => input.current?.click()}>
        {t('Choose files')}
      </Button>
    </div>
  )
}

function Progress({ view }: { view: Extract<TransferView, { step: 'moving' }> }) {
  const { direction, name, size, done } = view
  const label =
    direction === 'download' ? t('Downloading {{name}}', { name: plainName(name) }) : t('Uploading {{name}}', { name })
  return (
    <div className="wt-transfer-progress" role="status">
      <p>{label}</p>
      <progress aria-label={label} {...(size ? { max: size, value: Math.min(done, size) } : {})} />
      <p>{size === undefined ? sizeText(done) : `${sizeText(done)} / ${sizeText(size)}`}</p>
    </div>
  )
}
