import { DownloadIcon, UploadIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { lazily } from '../../design/lazily.tsx'
import { t } from '../../lib/i18n.ts'
import { mayAccess } from '../../session/session.ts'
import type { ExportDialogProps } from '../export/ExportDialog.tsx'
import type { ListedRows } from '../export/export-range.ts'
import type { ImportDialogProps } from '../import/ImportDialog.tsx'
import { proveMfa } from '../second-factor/MfaVerifyDialog.tsx'
import type { ResourcePages } from '../view/define-pages.ts'
import { mayWrite, READ_ONLY } from '../view/write-rules.ts'

/* Seldom opened, and each with its own way through a file. */
const ExportDialog = lazily<ExportDialogProps>(() => import('../export/ExportDialog.tsx').then((m) => m.ExportDialog))
const ImportDialog = lazily<ImportDialogProps>(() => import('../import/ImportDialog.tsx').then((m) => m.ImportDialog))

export interface FileButtonsProps {
  pages: ResourcePages
  /** The query of the list now; read when a dialog opens. */
  listed: ListedRows
  /** A page's own list; rows of a list inside another page are not imported there. */
  own: boolean
  /** The root organization's lists take no rows (A6.32). */
  frozen: boolean
  /** After rows were imported. */
  onImported: () => void
}

/** Import and Export among the tools of a table, where the resource has them. */
export function FileButtons({ pages, listed, own, frozen, onImported }: FileButtonsProps): ReactNode {
  const [open, setOpen] = useState<'import' | 'export'>()
  const { definition, list: view } = pages
  const modes = (['create', 'update'] as const).filter(
    (mode) => definition.operations.includes(mode) && mayWrite(pages, mode),
  )
  const canImport = own && view?.hasImport !== false && definition.operations.includes('import') && modes.length > 0
  // Another address than the definition's may be a route without files.
  const canExport =
    (view?.hasExport ?? listed.path === definition.path) &&
    definition.operations.includes('export') &&
    mayAccess(definition.permission.list)
  const openExport = async () => {
    if (!view?.exportNeedsMfa || (await proveMfa())) setOpen('export')
  }
  return (
    <>
      {canImport && (
        <Button
          type="text"
          icon={<UploadIcon />}
          aria-label={t('Import')}
          title={t('Import')}
          whyDisabled={frozen ? READ_ONLY() : undefined}
          onClick={() => setOpen('import')}
        />
      )}
      {canExport && (
        <Button
          type="text"
          icon={<DownloadIcon />}
          aria-label={t('Export')}
          title={t('Export')}
          onClick={() => void openExport()}
        />
      )}
      {open === 'export' && <ExportDialog listed={listed} onClose={() => setOpen(undefined)} />}
      {open === 'import' && (
        <ImportDialog
          listed={listed}
          modes={modes}
          bearsRights={definition.bearsRights === true}
          onClose={(changed) => {
            setOpen(undefined)
            if (changed) onImported()
          }}
        />
      )}
    </>
  )
}
