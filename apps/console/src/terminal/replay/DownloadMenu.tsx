import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { type MenuItem, useMenu } from '../../design/popups/menu.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { saveExport } from './save-export.ts'

/** The recording as a file: for programs, or as a page that plays by itself. */
export function DownloadMenu({
  address,
  sessionId,
  isDesktop,
  onError,
}: {
  address: string
  sessionId: string
  /** For programs of terminals it is nothing. */
  isDesktop: boolean
  onError: (text: string) => void
}) {
  const [saving, setSaving] = useState(false)
  const savePage = async () => {
    setSaving(true)
    try {
      await saveExport(`${address}?format=html`, `${sessionId}.html`)
    } catch (failure) {
      onError(errorText(failure))
    } finally {
      setSaving(false)
    }
  }
  const cast = { key: 'cast', label: t('For asciinema (.cast)'), href: `${address}?format=cast`, isDownload: true }
  const items: MenuItem[] = [
    { key: 'html', label: t('Web page that plays by itself (.html)') },
    ...(isDesktop ? [] : [cast]),
    { key: 'tar', label: t('With the session’s data (.tar)'), href: address, isDownload: true },
  ]
  const { trigger, popup } = useMenu({ items, onChoose: (key) => key === 'html' && void savePage() })
  return (
    <>
      <Button {...trigger} size="small" loading={saving}>
        {t('Download')}
      </Button>
      {popup}
    </>
  )
}
