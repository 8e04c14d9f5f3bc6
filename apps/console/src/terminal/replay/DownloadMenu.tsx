import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { Dropdown } from '../Dropdown.tsx'
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
  const items = [
    { key: 'html', label: t('Web page that plays by itself (.html)'), onClick: () => void savePage() },
    ...(isDesktop
      ? []
      : [
          {
            key: 'cast',
            label: (
              <a href={`${address}?format=cast`} download>
                {t('For asciinema (.cast)')}
              </a>
            ),
          },
        ]),
    {
      key: 'tar',
      label: (
        <a href={address} download>
          {t('With the session’s data (.tar)')}
        </a>
      ),
    },
  ]
  return (
    <Dropdown menu={{ items }} trigger={['click']}>
      <Button size="small" loading={saving}>
        {t('Download')}
      </Button>
    </Dropdown>
  )
}
