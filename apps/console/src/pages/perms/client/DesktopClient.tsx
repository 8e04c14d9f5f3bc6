import { DownloadIcon } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { Button } from '../../../design/Button.tsx'
import { rdpFileName } from '../../../lib/file-names.ts'
import { t } from '../../../lib/i18n.ts'
import { ONLY_IN_PAGE } from '../../../lib/only-in-page.ts'
import { ClientLines } from './ClientLines.tsx'
import { desktopLines, readRdpFile } from './client-lines.ts'

interface DesktopClientProps {
  /** Id of the machine, or of the remote app. */
  name: string
  /** The file for clients of RDP or, where these are not served, a connection token. */
  made: string
  /** Whole minutes in which it must be used. */
  minutes: number
  onAgain: () => void
}

/** The file that clients of RDP open, and lines for those that are started in a shell. */
export function DesktopClient({ name, made, minutes, onAgain }: DesktopClientProps) {
  const isFile = readRdpFile(made) !== undefined
  const address = useMemo(
    () => (isFile ? URL.createObjectURL(new Blob([made], { type: 'application/x-rdp' })) : ''),
    [isFile, made],
  )
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  if (minutes <= 0)
    return (
      <p role="status">
        {t('Anything not used by now has expired.')} <Button onClick={onAgain}>{t('Get a new one')}</Button>
      </p>
    )
  return (
    <>
      {isFile && (
        <p>
          <a className="button primary" href={address} download={rdpFileName(name)}>
            <DownloadIcon aria-hidden="true" /> {t('Save the file')}
          </a>{' '}
          <span className="quiet">{t('Remote Desktop of Windows, Remmina and others open it.')}</span>
        </p>
      )}
      <ClientLines
        lines={desktopLines(made, location.hostname)}
        minutes={minutes}
        warning={t('It opens one session as you, so do not share it.')}
      />
      <p className="quiet">{ONLY_IN_PAGE()}</p>
      <p className="quiet">
        <a href="/core/download/" target="_blank" rel="noopener">
          {t('Clients to download')}
        </a>
      </p>
    </>
  )
}
