import { LICENSE_WITHOUT_END } from '@sallyport/contract/constants.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError, showSuccess } from '../../design/dialogs/feedback.tsx'
import { Notice } from '../../design/Notice.tsx'
import { Facts } from '../../generic/detail/Facts.tsx'
import { api } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { licenseValid, session } from '../../session/session.ts'

const DETAIL = '/api/v1/xpack/license/detail'
const IMPORT = '/api/v1/xpack/license/import'
/** The words of success are read before the page goes. */
const RELOAD_DELAY_MS = 500

interface LicenseDetail {
  subscription_id: string
  corporation: string
  date_expired: string | null
  asset_count: number | null
  edition: string
}

const FACTS: readonly [keyof LicenseDetail, string][] = [
  ['subscription_id', msg('Subscription ID')],
  ['corporation', msg('Corporation')],
  ['date_expired', msg('Valid until@@license')],
  ['asset_count', msg('Asset count')],
  ['edition', msg('Edition')],
]

/** The license, and a way to import one (docs/rules/settings.md#license). */
export function License() {
  const { data } = useQuery({ queryKey: [DETAIL], queryFn: () => api.get<LicenseDetail>(DETAIL) })
  const valid = licenseValid()
  const rows = valid ? FACTS.map(([field, label]) => [t(label), shown(data?.[field])]) : [[t('License'), data?.edition]]
  return (
    <div className="detail-grid">
      <section className="panel">
        <h2>{t('License')}</h2>
        {!valid && (
          <Notice tone="info" role="status" title={t('Import a license to unlock everything that needs one.')} />
        )}
        <div className="fact-group">
          <Facts
            facts={rows
              .filter(([, value]) => value !== null && value !== undefined && value !== '')
              .map(([label, value]) => ({ field: String(label), label: String(label), content: String(value) }))}
          />
        </div>
      </section>
      <div className="detail-side">
        <section className="panel">
          <h2>{t('Quick actions')}</h2>
          <ul className="quick-actions">
            <li>
              <span>{t('Import license')}</span>
              <ImportButton />
            </li>
          </ul>
        </section>
      </div>
    </div>
  )
}

const shown = (value: string | number | null | undefined) => (value === LICENSE_WITHOUT_END ? t('No end@@date') : value)

function ImportButton() {
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const send = async (file: File) => {
    setBusy(true)
    try {
      const body = new FormData()
      body.append('file', file)
      const { status, msg: words } = await api.post<{ status: boolean; msg: string }>(IMPORT, body)
      if (!status) return showError(words)
      showSuccess(words)
      setTimeout(() => location.reload(), RELOAD_DELAY_MS)
    } catch {
      // The call has told the person already.
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        size="small"
        loading={busy}
        disabled={session().settings.XPACK_ENABLED !== true}
        onClick={() => input.current?.click()}
      >
        {t('Import')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('Import license')}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void send(file)
          target.value = ''
        }}
      />
    </>
  )
}
