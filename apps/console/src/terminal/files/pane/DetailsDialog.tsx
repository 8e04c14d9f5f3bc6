import { visibleName } from '@sallyport/contract/names.ts'
import { useEffect, useState } from 'react'
import { Dialog } from '../../../design/dialogs/Dialog.tsx'
import { Skeleton } from '../../../design/Skeleton.tsx'
import { errorText } from '../../../lib/api.ts'
import { formatDate } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { modeText, sizeText } from '../folder/entries.ts'
import { KIND_TEXT } from '../folder/FileList.tsx'
import { type Details, readDetails } from '../folder/files-api.ts'
import { shownPath } from '../folder/machine-names.ts'
import { nameOf, parentOf } from '../folder/paths.ts'

/** All that the machine says of one file. */
export function DetailsDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const [details, setDetails] = useState<Details>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    readDetails(path).then(setDetails, (problem: unknown) => setError(errorText(problem)))
  }, [path])
  const time = (seconds: number | null) => (seconds === null ? '' : formatDate(seconds * 1000))
  const rows: [string, string][] = details
    ? [
        [t('Folder'), shownPath(parentOf(path))],
        [t('Kind'), KIND_TEXT[details.kind]()],
        ...(details.target === null ? [] : [[t('Target@@link'), details.target] as [string, string]]),
        [
          t('Size'),
          details.size === null
            ? ''
            : `${sizeText(details.size)} (${t('{{count|byte|bytes}}', { count: details.size })})`,
        ],
        [t('Modified'), time(details.modified)],
        [t('Last read'), time(details.accessed)],
        [
          t('Permissions@@file'),
          details.mode === null ? '' : `${modeText(details.mode)} (${details.mode.toString(8).padStart(4, '0')})`,
        ],
        [t('Owner (number)'), details.uid === null ? '' : String(details.uid)],
        [t('Group (number)'), details.gid === null ? '' : String(details.gid)],
      ]
    : []
  return (
    <Dialog title={visibleName(nameOf(path))} onClose={onClose}>
      {error ? <p role="alert">{error}</p> : !details && <Skeleton lines={6} />}
      <dl className="fm-details">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value || '-'}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
