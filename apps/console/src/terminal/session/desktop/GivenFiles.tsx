import { sizeText } from '@sallyport/contract/size-text.ts'
import { ClipboardPasteIcon, DownloadIcon, FolderIcon, UploadIcon, XIcon } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Popover } from '../../../design/popups/Popover.tsx'
import { t } from '../../../lib/i18n.ts'
import { copiedFileAddress, DRIVE_NAME, type GivenFile, givenFileAddress } from './given-files.ts'
import type { Giving, useGivenFiles } from './use-given-files.ts'

export interface GivenFilesProps {
  session: string
  files: ReturnType<typeof useGivenFiles>
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** Puts some of the person's on the machine's clipboard; unless given, that is not to be had now. */
  onClipboard?: ((ids: number[]) => void) | undefined
}

/** Files that the person and the machine give each other: the machine has them as a drive. */
export function GivenFilesButton(props: GivenFilesProps) {
  const { files, isOpen, onOpen } = props
  const open = (wanted: boolean) => {
    onOpen(wanted)
    // Rights may be others by now.
    if (wanted) void files.read()
  }
  return (
    <Popover
      title={t('Files')}
      side="before"
      isOpen={isOpen}
      onOpenChange={open}
      button={<Button type="text" icon={<FolderIcon />} aria-label={t('Files')} title={t('Files')} />}
    >
      <Content {...props} />
    </Popover>
  )
}

function Content({ session, files, onClipboard }: GivenFilesProps) {
  const picker = useRef<HTMLInputElement>(null)
  const { listing, failure, giving } = files
  if (!listing) return <Words>{failure ? <p role="alert">{failure}</p> : <p role="status">{t('Loading')}</p>}</Words>
  const { may_upload, may_download, may_paste, entries, copied } = listing
  return (
    <Words>
      <p>{t('The machine has them as the drive {{name}}, until the session ends.', { name: DRIVE_NAME })}</p>
      {!may_upload && <p>{t('You have no permission to upload to this machine.')}</p>}
      {!may_download && <p>{t('You have no permission to download from this machine.')}</p>}
      {failure && <p role="alert">{failure}</p>}
      {may_upload && (
        <>
          <Button icon={<UploadIcon />} onClick={() => picker.current?.click()}>
            {t('Upload files')}
          </Button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={t('Upload files')}
            onChange={({ target }) => {
              void files.give([...(target.files ?? [])])
              target.value = ''
            }}
          />
        </>
      )}
      {entries.length + giving.length === 0 && <p>{t('Nothing is there yet.')}</p>}
      <ul>
        {giving.map((one) => (
          <OnItsWay key={`giving ${one.key}`} one={one} onForget={() => files.forget(one.key)} />
        ))}
        {entries.map((file) => (
          <Row
            key={file.id}
            {...{ file, session }}
            mayDownload={may_download}
            onClipboard={may_paste ? onClipboard : undefined}
            onRemove={files.remove}
          />
        ))}
      </ul>
      {copied.length > 0 && (
        <>
          <h3>{t('Copied on the machine')}</h3>
          <ul aria-label={t('Copied on the machine')}>
            {copied.map(({ id, name, path, size }) => (
              <li key={id}>
                <span className="wt-desktop-file" title={path}>
                  {path}
                </span>
                {size !== null && <span>{sizeText(size)}</span>}
                <Download name={name} address={copiedFileAddress(session, id)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Words>
  )
}

const Words = ({ children }: { children: ReactNode }) => <div className="wt-desktop-files">{children}</div>

function OnItsWay({ one: { name, part, failure }, onForget }: { one: Giving; onForget: () => void }) {
  return (
    <li>
      <span className="wt-desktop-file" title={name}>
        {name}
      </span>
      {failure ? (
        <>
          <span role="alert">{failure}</span>
          <Button
            type="text"
            size="small"
            icon={<XIcon />}
            aria-label={t('Remove {{name}}', { name })}
            onClick={onForget}
          />
        </>
      ) : (
        <progress aria-label={t('Uploading {{name}}', { name })} value={part} />
      )}
    </li>
  )
}

function Download({ name, address }: { name: string; address: string }) {
  return (
    <a
      className="button text small icon-only"
      href={address}
      download={name}
      aria-label={t('Download {{name}}', { name })}
      title={t('Download')}
    >
      <DownloadIcon />
    </a>
  )
}

interface RowProps {
  file: GivenFile
  mayDownload: boolean
  session: string
  onClipboard: ((ids: number[]) => void) | undefined
  onRemove: (id: number) => void
}

function Row({ file, mayDownload, session, onClipboard, onRemove }: RowProps) {
  const { id, name, path, size, is_own, is_open } = file
  return (
    <li>
      <span className="wt-desktop-file" title={path}>
        {name}
      </span>
      <span>{is_open ? t('Being written by the machine') : sizeText(size)}</span>
      <span>{is_own ? t('Yours') : t('From the machine')}</span>
      {onClipboard && is_own && !is_open && (
        <Button
          type="text"
          size="small"
          icon={<ClipboardPasteIcon />}
          aria-label={t('Put {{name}} on the clipboard of the machine', { name })}
          title={t('Put on the clipboard of the machine')}
          onClick={() => onClipboard([id])}
        />
      )}
      {mayDownload && !is_open && <Download name={name} address={givenFileAddress(session, id)} />}
      <Button
        type="text"
        size="small"
        icon={<XIcon />}
        aria-label={t('Remove {{name}}', { name })}
        title={t('Remove')}
        onClick={() => onRemove(id)}
      />
    </li>
  )
}
