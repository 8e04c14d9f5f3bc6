import { FolderOpenIcon } from 'lucide-react'
import { EmptyState } from '../../../design/EmptyState.tsx'
import { t } from '../../../lib/i18n.ts'
import type { Folder } from '../folder/use-folder.ts'
import { ManualSignIn } from './ManualSignIn.tsx'
import type { ShownFiles } from './use-shown-files.ts'

interface PaneNoticeProps {
  folder: Folder
  path: string
  shown: ShownFiles
}

/** Why no files are shown: the folder cannot be read, or nothing is in it. */
export function PaneNotice({ folder: { error, listing, reload }, path, shown: { entries, filter } }: PaneNoticeProps) {
  if (error)
    return (
      <div className="fm-error" role="alert">
        <p>{error}</p>
        <ManualSignIn path={path} onSignedIn={reload} />
      </div>
    )
  if (!listing || entries.length > 0) return null
  const ofFolder = listing.is_machine
    ? listing.may_upload
      ? t('Nothing here. Drop files to upload them.')
      : t('Nothing here.')
    : t('You have no machines with files here.')
  return <EmptyState className="fm-empty" icon={<FolderOpenIcon />} title={filter ? t('Nothing matches') : ofFolder} />
}

/** How many files there are, or are chosen. */
export function PaneCount({ folder: { listing, loading }, shown: { entries, chosen } }: Omit<PaneNoticeProps, 'path'>) {
  return (
    <div className="fm-count" role="status">
      {loading && !listing
        ? t('Loading')
        : chosen.length
          ? t('{{chosen}} of {{count}} selected', { chosen: chosen.length, count: entries.length })
          : t('Entries: {{count}}', { count: entries.length })}
    </div>
  )
}
